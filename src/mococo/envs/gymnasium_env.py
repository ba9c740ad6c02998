"""Every other environment of Gymnasium's, or of the user's: described by its spaces and by what a few steps show."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.envs.proposal import propose
from mococo.envs.seeds import draw_seeds, training_seeds
from mococo.envs.simulator import Simulator
from mococo.envs.spaces import Draft, chosen_actions, endless, observed_numbers
from mococo.envs.spec import Action, Environment, Feature
from mococo.errors import EnvironmentSpecError, MococoError
from mococo.workers import pool
from mococo.workers.explore import EPISODES, Exploration, Explore, explore

Floats = NDArray[np.float64]

T_MAX = 1000
_TAIL = 0.005  # of the values seen, which may lie beyond an estimated domain
_MARGIN = 0.1  # by which it is then widened at both ends
_DIGITS = 2
SETTINGS = {"failed": "worst", "num_gens": 50, "db_pop_size": 100, "rb_pop_size": 200, "eta": 12, "beta": 1.02}


@dataclass(frozen=True)
class _Seen:
    """What an environment says of itself."""

    drafts: list[Draft]
    actions: tuple[Action, ...]
    continuous: bool
    legal: tuple[float, ...]
    t_max: int
    threshold: float | None


def from_gymnasium(simulator: Simulator, t_max: int | None = None, gamma: float = 1.0) -> Environment:
    """The environment; what its spaces leave open is estimated, and told in its notes."""
    seen = _look(simulator)
    notes = []
    if t_max is None and not seen.t_max:
        notes.append(f"There is no limit to an episode's length; {T_MAX} steps are taken.")
    t_max = t_max or seen.t_max or T_MAX
    found = _explore(simulator, seen, t_max, gamma)
    features, more = _features(seen.drafts, found)
    low, high = _bounds(found.returns, seen.threshold)
    notes += [*more, f"Performance bounds, estimated: {low:g} to {high:g}."]
    env = Environment(
        id=simulator.id,
        features=features,
        actions=seen.actions,
        performance_bounds=(low, high),
        estimated_bounds=True,
        t_max=t_max,
        gamma=gamma,
        n_state=1,
        step=None,
        observe=None,
        draw_starts=draw_seeds,
        training_starts=training_seeds,
        float32=False,
        continuous=seen.continuous,
        legal_actions=seen.legal,
        simulator=simulator,
        settings=SETTINGS | {"min_complexity": min(2, len(seen.actions))},
        notes=tuple(notes),
    )
    return with_proposal(env, found)


def with_proposal(env: Environment, found: Exploration) -> Environment:
    """With subspecies that suit it, and why."""
    proposal = propose(env, found)
    return replace(env, settings={**env.settings, "subspecies": proposal.tags}, notes=(*env.notes, *proposal.why))


def _look(simulator: Simulator) -> _Seen:
    env = made(simulator)
    try:
        actions, continuous = chosen_actions(env.action_space, simulator.id)
        scalars = not continuous and not isinstance(actions[0].value, tuple)
        spec = env.spec
        return _Seen(
            observed_numbers(_original(env), simulator.id),
            actions,
            continuous,
            tuple(float(a.value) for a in actions) if scalars else (),  # type: ignore[arg-type]
            (spec.max_episode_steps if spec else None) or 0,
            spec.reward_threshold if spec else None,
        )
    finally:
        env.close()


def _original(env: Any) -> Any:
    """The space before `Simulator` flattened it, which has the names."""
    from gymnasium.wrappers import FlattenObservation

    return env.env.observation_space if isinstance(env, FlattenObservation) else env.observation_space


def made(simulator: Simulator) -> Any:
    """The environment itself, in this process."""
    import gymnasium

    try:
        return simulator.maker()()
    except MococoError:
        raise
    except gymnasium.error.DependencyNotInstalled as error:
        raise EnvironmentSpecError(f"{simulator.id} needs a library that is not installed: {error}") from None
    except Exception as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise EnvironmentSpecError(f"{simulator.id} cannot be made ({told})") from error


def _explore(simulator: Simulator, seen: _Seen, t_max: int, gamma: float) -> Exploration:
    values = np.array([action.value for action in seen.actions], dtype=np.float64).reshape(len(seen.actions), -1)
    seeds = [int(seed) for seed in draw_seeds(EPISODES, 1)[:, 0]]
    job = _One(Explore(1, values, seen.continuous, len(seen.drafts), seeds, t_max, gamma), simulator)
    pool.run(simulator, job, 1)
    assert isinstance(job.answer, Exploration)
    return job.answer


def explore_env(env: Environment) -> Exploration:
    """Look at an environment that is described already."""
    if env.simulator is not None:
        drafts = [(f.name, f.low, f.high, f.crisp) for f in env.observed]
        return _explore(env.simulator, _Seen(drafts, env.actions, env.continuous, (), env.t_max, None), env.t_max, 1.0)
    values = env.action_values.reshape(len(env.actions), -1)
    seeds = [int(seed) for seed in draw_seeds(EPISODES, 1)[:, 0]]
    job = Explore(1, values, env.continuous, len(env.observed), seeds, env.t_max, env.gamma)
    return explore(job, _Compiled(env), lambda place: float(values[place, 0]), lambda _: None)


class _Compiled:
    """A compiled environment's own functions, run by Python in the manner of Gymnasium."""

    def __init__(self, env: Environment) -> None:
        assert env.step is not None
        assert env.observe is not None
        self._env, self._step, self._observe = env, env.step, env.observe
        self._state: tuple[float, ...] = ()

    def reset(self, seed: int) -> tuple[tuple[float, ...], None]:
        """A fresh start."""
        self._state = tuple(self._env.draw_starts(1, seed)[0].tolist())
        return self._observe(self._state), None

    def step(self, action: float) -> tuple[tuple[float, ...], float, bool, bool, None]:
        """One step."""
        self._state, reward, ended = self._step(self._state, action)
        return self._observe(self._state), reward, ended, False, None


class _One:
    """`pool.Work` of a single job, in which every fault is an end."""

    def __init__(self, job: Explore, simulator: Simulator) -> None:
        self._job: Explore | None = job
        self._id = simulator.id
        self.answer: Any = None

    @property
    def left(self) -> bool:
        return self.answer is None

    def take(self) -> Explore | None:
        job, self._job = self._job, None
        return job

    def done(self, answer: Any) -> None:
        self.answer = answer

    def died(self, number: int, place: tuple[int, int], ending: str, *, hung: bool) -> None:
        del number, place, hung
        raise EnvironmentSpecError(f"{self._id} {ending} while it was explored with actions at random")

    def back(self, number: int) -> None:
        self.died(number, (0, 0), "ended its process", hung=False)


def _features(drafts: list[Draft], found: Exploration) -> tuple[tuple[Feature, ...], list[str]]:
    """Features on finite domains, and how those came about."""
    features, estimated, still = [], [], []
    for f, (name, low, high, crisp) in enumerate(drafts):
        values = found.observed[:, f]
        if values.min() == values.max() and not crisp:
            still.append(name)
        if crisp or not endless(low, high):
            features.append(Feature(name, low, high, crisp=crisp))
            continue
        symmetric = low == -high
        features.append(Feature(name, *_domain(values, symmetric=symmetric)))
        estimated.append(f"{name} [{features[-1].low:g}, {features[-1].high:g}]")
    notes = []
    if estimated:
        n = len(found.observed)
        notes.append(
            f"Domains that the environment leaves open, estimated from {n:,} steps of actions at random and of actions "
            f"that are held: {', '.join(estimated)}. Name better ones with --domains."
        )
    if still:
        notes.append(f"Never seen to change: {', '.join(still)}.")
    return tuple(features), notes


def _domain(values: Floats, *, symmetric: bool) -> tuple[float, float]:
    """Where nearly all values lie and a bit more, in few digits."""
    low, high = (float(x) for x in np.quantile(values, [_TAIL, 1 - _TAIL]))
    if low == high:
        low, high = low - 1.0, high + 1.0
    margin = _MARGIN * (high - low)
    low, high = low - margin, high + margin
    if symmetric and low < 0 < high and max(-low, high) < 3 * min(-low, high):
        high = max(-low, high)
        low = -high
    unit = 10.0 ** (math.floor(math.log10(high - low)) - _DIGITS + 1)
    return float(f"{math.floor(low / unit) * unit:.12g}"), float(f"{math.ceil(high / unit) * unit:.12g}")


def _bounds(returns: Floats, threshold: float | None) -> tuple[float, float]:
    """As far below and above the returns that were seen as they spread."""
    if len(returns) == 0:
        returns = np.zeros(1)
    low, high = float(returns.min()), float(returns.max())
    spread = max(high - low, 0.1 * max(abs(low), abs(high)), 1.0)
    high = max(high + spread, -math.inf if threshold is None else threshold + 0.1 * abs(threshold))
    return float(f"{low - spread:.3g}"), float(f"{high:.3g}")


