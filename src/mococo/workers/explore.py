"""What an environment looks like from outside: a few thousand steps of actions that nobody chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mococo.workers.messages import PackedPolicy

if TYPE_CHECKING:
    from mococo.workers.stage import Stage

Floats = NDArray[np.float64]

STEPS = 6000
EPISODES = 60
_LONGEST_HOLD = 32  # steps for which an action is held, so that its slow effects show


@dataclass(frozen=True)
class Exploration:
    """What was seen. observed : (n, n_observed); before, after : (holds, n_observed), actions : (holds,)."""

    observed: Floats
    returns: Floats
    """(episodes,) of those that ended."""
    before: Floats
    after: Floats
    actions: NDArray[np.int64]
    """The action that was held from before to after."""


@dataclass(frozen=True)
class Explore:
    """Work for one worker: episodes of actions at random, of actions that are held, and of one action each."""

    number: int
    values: Floats
    """(k, dims) the actions."""
    n_observed: int
    seeds: Sequence[int]
    t_max: int
    gamma: float

    def __call__(self, stage: Stage) -> Exploration:
        """Play them."""
        head = np.array([self.n_observed, 0, 0, 0, len(self.values), 0])
        # As places in the list: a mean of values is one of them when only that one is advocated.
        convert = stage.converter(PackedPolicy(head, np.zeros(0), self.values))
        nothing = np.zeros(0)
        return explore(self, stage.env, lambda place: convert(place, nothing), stage.tick)


def explore(job: Explore, env: Any, action: Any, tick: Any) -> Exploration:
    """The steps of all episodes; `env` has `reset` and `step` in the manner of Gymnasium."""
    observed: list[Floats] = []
    returns: list[float] = []
    holds: list[tuple[Floats, Floats, int]] = []
    for episode, seed in enumerate(job.seeds):
        rng = np.random.default_rng([seed, episode])
        seen = _numbers(env.reset(seed=seed)[0], job, 0)
        observed.append(seen)
        total, discount, t, ended = 0.0, 1.0, 0, False
        constant = int(rng.integers(len(job.values)))
        while t < job.t_max and not ended and len(observed) < STEPS:
            place, length = _next_hold(episode, constant, len(job.values), rng)
            begun = seen
            for _ in range(min(length, job.t_max - t)):
                observation, reward, terminated, truncated, _ = env.step(action(place))
                t += 1
                tick(t)
                seen = _numbers(observation, job, t)
                observed.append(seen)
                total += discount * float(reward)
                discount *= job.gamma
                ended = bool(terminated or truncated)
                if ended:
                    break
            holds.append((begun, seen, place))
        if ended or t == job.t_max:
            if not np.isfinite(total):
                raise FloatingPointError(f"a reward in the first {t} steps from seed {seed} is not finite")
            returns.append(total)
        if len(observed) >= STEPS:
            break
    before, after, actions = zip(*holds, strict=True)
    return Exploration(np.array(observed), np.array(returns), np.array(before), np.array(after), np.array(actions))


def _next_hold(episode: int, constant: int, k: int, rng: np.random.Generator) -> tuple[int, int]:
    """An action, and for how long: of three episodes, one draws in each step, one holds, one never changes."""
    kind = episode % 3
    if kind == 2:
        return constant, _LONGEST_HOLD
    return int(rng.integers(k)), 1 if kind == 0 else int(rng.integers(1, _LONGEST_HOLD + 1))


def _numbers(observation: Any, job: Explore, t: int) -> Floats:
    seen = np.array(observation, dtype=np.float64).ravel()
    if len(seen) != job.n_observed:
        raise ValueError(f"the observation after step {t} has {len(seen)} numbers, its space says {job.n_observed}")
    if not np.isfinite(seen).all():
        raise FloatingPointError(f"the observation after step {t} is not finite: {seen.tolist()}")
    return seen
