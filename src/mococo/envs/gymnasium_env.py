"""Every other environment of Gymnasium's, or of the user's: described by its spaces and by what a few steps show."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mococo.envs.choices import Choices, tailored
from mococo.envs.here import game, made
from mococo.envs.proposal import GENES, Proposal, propose
from mococo.envs.seeds import draw_seeds, training_seeds
from mococo.envs.simulator import Simulator
from mococo.envs.spaces import Draft, chosen_actions, endless, observed_numbers
from mococo.envs.spec import Action, Environment, Feature
from mococo.errors import SimulationError
from mococo.workers import pool
from mococo.workers.explore import EPISODES, Exploration, Explore, explore
from mococo.workers.messages import Failure

Floats = NDArray[np.float64]

T_MAX = 1000
_TAIL = 0.005  # of the values seen, which may lie beyond an estimated domain
_MARGIN = 0.1  # by which it is then widened at both ends
_DIGITS = 2
_MOST_DEATHS = 5  # of workers while an environment is explored
SETTINGS = {"num_gens": 50, "db_pop_size": 100, "rb_pop_size": 200, "eta": 12, "beta": 1.02}


@dataclass(frozen=True)
class _Seen:
    """What an environment says of itself."""

    drafts: list[Draft]
    actions: tuple[Action, ...]
    continuous: bool
    legal: tuple[float, ...]
    t_max: int
    threshold: float | None


def from_gymnasium(simulator: Simulator, choices: Choices) -> Environment:
    """The environment as the user wants it; what he and its spaces leave open is estimated, and told in its notes."""
    seen = _look(simulator)
    t_max = choices.t_max or seen.t_max or T_MAX
    notes = [] if choices.t_max or seen.t_max else [f"Episodes have no end of their own; {T_MAX} steps are taken."]
    env = Environment(
        id=simulator.id,
        features=tuple(_first(draft) for draft in seen.drafts),
        actions=seen.actions,
        performance_bounds=(-1.0, 1.0),
        estimated_bounds=True,
        t_max=t_max,
        gamma=1.0 if choices.gamma is None else choices.gamma,
        n_state=1,
        step=None,
        observe=None,
        draw_starts=draw_seeds,
        training_starts=training_seeds,
        float32=False,
        continuous=seen.continuous,
        legal_actions=seen.legal,
        simulator=simulator,
        settings=SETTINGS | {"min_complexity": min(2, len(choices.actions or seen.actions))},
    )
    plain = msgspec.structs.replace(choices, features=(), kwargs={}, domains={})
    env = tailored(env, plain)  # names and actions first: exploration uses them
    found = explore_env(env)
    features, more = _features(env.features, seen.drafts, choices.domains, found)
    if found.failures:
        more.append(f"While it was explored it failed {len(found.failures)} times, first: {found.failures[0].text}.")
    if choices.performance_bounds is None:
        low, high = _bounds(found.returns, seen.threshold)
        env = replace(env, performance_bounds=(low, high))
        more.append(f"Performance bounds, estimated: {low:g} to {high:g}. Name better ones with --bounds.")
    env = replace(env, features=features, notes=(*notes, *more))
    env = tailored(env, Choices(features=choices.features, domains=choices.domains))
    return with_proposal(env, found)


def _first(draft: Draft) -> Feature:
    """A feature before its domain is known."""
    name, low, high, crisp = draft
    return Feature(name, 0.0, 1.0) if endless(low, high) else Feature(name, low, high, crisp=crisp)


def with_proposal(env: Environment, found: Exploration) -> Environment:
    """With subspecies that suit it, and why."""
    proposal = propose(env, found)
    return replace(env, settings={**env.settings, "subspecies": proposal.tags}, why=proposal.why)


def proposed(env: Environment, genes: int = GENES) -> Proposal:
    """Subspecies for any environment, after a look at it."""
    return propose(env, explore_env(env), genes)


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


def explore_env(env: Environment) -> Exploration:
    """A few thousand steps of an environment, without any policy."""
    values = env.action_values.reshape(len(env.actions), -1)
    seeds = [int(seed) for seed in draw_seeds(EPISODES, 1)[:, 0]]
    job = Explore(1, values, len(env.observed), seeds, env.t_max, env.gamma)
    if env.simulator is None:
        plain = _Gymnasiums(env)
        return explore(job, lambda _: plain, lambda place: float(values[place, 0]), lambda _: None)
    work = _One(job, env.simulator)
    pool.run(env.simulator, work, 1)
    assert isinstance(work.answer, Exploration)
    faults = (*work.faults, *work.answer.failures)
    if faults and (env.simulator.on_fault == "stop" or len(work.answer.before) == 0):
        raise _faulty(env.simulator, faults[0])
    return replace(work.answer, failures=faults)


def _faulty(simulator: Simulator, fault: Failure) -> SimulationError:
    advice = "; with --on-fault worst it is explored on" if simulator.on_fault == "stop" else ""
    return SimulationError(
        f"{simulator.id} failed while it was explored with actions at random, in the episode from seed {fault.seed}: "
        f"{fault.text}{advice}"
    )


class _Gymnasiums:
    """A game in the manner of Gymnasium."""

    def __init__(self, env: Environment) -> None:
        self._env, self._game = env, game(env)

    def reset(self, seed: int) -> tuple[tuple[float, ...], None]:
        """A fresh start."""
        return self._game.begin(tuple(self._env.draw_starts(1, seed)[0].tolist()))[1], None

    def step(self, action: float) -> tuple[tuple[float, ...], float, bool, bool, None]:
        """One step."""
        _, seen, reward, ended = self._game.step(action)
        return seen, reward, ended, False, None


class _One:
    """`pool.Work` of a single job, given again without the episodes that end or hang every process."""

    def __init__(self, job: Explore, simulator: Simulator) -> None:
        self._job, self._given, self._simulator = job, False, simulator
        self.answer: Any = None
        self.faults: list[Failure] = []

    @property
    def left(self) -> bool:
        return self.answer is None

    def take(self) -> Explore | None:
        job, self._given = (None if self._given else self._job), True
        return job

    def done(self, answer: Any) -> None:
        self.answer = answer

    def died(self, number: int, place: tuple[int, int], ending: str, *, hung: bool) -> None:
        episode = place[0]
        self.faults.append(Failure("hung" if hung else "died", ending, self._job.seeds[episode]))
        if self._simulator.on_fault == "stop" or len(self.faults) >= _MOST_DEATHS:
            raise _faulty(self._simulator, self.faults[-1])
        self._job = replace(self._job, skip=self._job.skip | {episode})
        self.back(number)

    def back(self, number: int) -> None:
        del number
        self._given = False


def _features(
    features: Sequence[Feature], drafts: Sequence[Draft], given: Container[str], found: Exploration
) -> tuple[tuple[Feature, ...], list[str]]:
    """Features on finite domains, and how those came about."""
    result, estimated, still = [], [], []
    for feature, (_, least, most, crisp), values in zip(features, drafts, found.observed.T, strict=True):
        if values.min() == values.max() and not crisp:
            still.append(feature.name)
        if crisp or not endless(least, most) or feature.name in given:
            result.append(feature)
            continue
        low, high = _domain(values, symmetric=least == -most)
        result.append(replace(feature, low=low, high=high))
        estimated.append(f"{feature.name} [{low:g}, {high:g}]")
    notes = []
    if estimated:
        notes.append(
            f"Domains that the environment leaves open, estimated from {len(found.observed):,} steps of actions at "
            f"random and of actions that are held: {', '.join(estimated)}. Name better ones with --domains."
        )
    if still:
        notes.append(f"Never seen to change: {', '.join(still)}.")
    return tuple(result), notes


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
