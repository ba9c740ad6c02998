"""How fast policies are rolled out on this machine, side by side with plain Gymnasium."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mococo.config import Config
from mococo.envs.registry import find
from mococo.envs.spec import Environment
from mococo.evaluation import RolloutEvaluator
from mococo.population import SolutionSet
from mococo.training import evolve, resolve

GENERATIONS = 20
"""After so many a population is as it is for most of a run: many policies near the goal, some equal."""
_CHECKED = 256  # steps between two looks at the clock
_BLOCK = 100_000  # actions that are drawn at a time


@dataclass(frozen=True)
class Speed:
    """One way to play episodes. `policies_per_second` is NaN where no policies are evaluated."""

    way: str
    steps_per_second: float
    policies_per_second: float

    @property
    def nanoseconds(self) -> float:
        """Of one step of the environment."""
        return 1e9 / self.steps_per_second


def measure(env: str | Environment, threads: Sequence[int], seconds: float = 1.0) -> Iterator[Speed]:
    """Each way in turn, for about so many seconds: Gymnasium's step alone, with a policy, then our rollouts."""
    environment = find(env)
    config = resolve(environment, None, {})
    *_, last = evolve(environment, 0, config, num_gens=min(GENERATIONS, config.num_gens))
    solns = last.solns
    if _in_gymnasium(environment.id):
        yield Speed("Gymnasium, its step alone", _gymnasium_steps(environment, None, seconds), np.nan)
        act = last.archive.best.policy.act
        steps = _gymnasium_steps(environment, act, seconds)
        yield Speed("Gymnasium, with a policy", steps, steps * len(solns) / max(last.record.env_steps, 1))
    for n in threads:
        yield _ours(environment, config, solns, n, seconds)


def _ours(env: Environment, config: Config, solns: SolutionSet, threads: int, seconds: float) -> Speed:
    evaluator = RolloutEvaluator(env, config.subspecies, config.omega, env.training_starts(config.eta), threads)
    evaluator(solns)  # loads, or compiles
    evaluator.simulated_steps = 0
    rounds, begin = 0, time.perf_counter()
    while rounds == 0 or time.perf_counter() - begin < seconds:
        evaluator(solns)
        rounds += 1
    spent = time.perf_counter() - begin
    name = f"Mococo, {threads} thread{'' if threads == 1 else 's'}"
    return Speed(name, evaluator.simulated_steps / spent, rounds * len(solns) / spent)


def _in_gymnasium(env_id: str) -> bool:
    import gymnasium

    return env_id in gymnasium.registry


def _gymnasium_steps(env: Environment, act: Callable[[Any], Any] | None, seconds: float) -> float:
    """Steps a second of the usual loop; without `act` the actions are drawn before the clock starts."""
    import gymnasium

    real = gymnasium.make(env.id)
    drawn = np.random.default_rng(0).integers(0, len(env.actions), _BLOCK)
    actions = [_as_gymnasium_takes_it(env.actions[a].value, continuous=env.continuous) for a in drawn]
    observation, _ = real.reset(seed=0)
    steps, begin = 0, time.perf_counter()
    while True:
        action = actions[steps % _BLOCK] if act is None else act(observation)
        observation, _, terminated, truncated, _ = real.step(action)
        steps += 1
        if terminated or truncated:
            observation, _ = real.reset()
        if steps % _CHECKED == 0 and time.perf_counter() - begin >= seconds:
            break
    spent = time.perf_counter() - begin
    real.close()
    return steps / spent


def _as_gymnasium_takes_it(value: Any, *, continuous: bool) -> Any:
    return np.array(np.ravel(value), dtype=np.float32) if continuous else value
