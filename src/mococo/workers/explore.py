"""What an environment looks like from outside: a few thousand steps of actions that nobody chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mococo.workers.messages import Failure, PackedPolicy

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
    failures: tuple[Failure, ...] = ()
    """Of episodes that ended in an exception."""


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
    skip: frozenset[int] = frozenset()
    """Episodes that have ended a worker."""

    def __call__(self, stage: Stage) -> Exploration:
        """Play them."""
        head = np.array([self.n_observed, 0, 0, 0, len(self.values), 0])
        # As places in the list: a mean of values is one of them when only that one is advocated.
        convert = stage.converter(PackedPolicy(head, np.zeros(0), self.values))
        nothing = np.zeros(0)

        def begin(episode: int) -> Any:
            stage.ticks.begin(self.number, episode, 0)
            return stage.env

        return explore(self, begin, lambda place: convert(place, nothing), stage.tick, stage.renew)


def explore(job: Explore, begin: Any, action: Any, tick: Any, renew: Any = None) -> Exploration:
    """The steps of all episodes; `begin` gives what has `reset` and `step` in the manner of Gymnasium."""
    log, failures = _Log([], [], []), []
    for episode, seed in enumerate(job.seeds):
        if episode in job.skip:
            continue
        try:
            _play(job, begin(episode), (action, tick), (episode, seed), log)
        except Exception as error:
            if renew is None:
                raise
            failures.append(Failure.of(error, seed))
            renew()
        if len(log.observed) >= STEPS:
            break
    if not log.holds:
        empty = np.zeros((0, job.n_observed))
        return Exploration(empty, np.zeros(0), empty, empty, np.zeros(0, np.int64), tuple(failures))
    before, after, actions = zip(*log.holds, strict=True)
    return Exploration(
        np.array(log.observed), np.array(log.returns), np.array(before), np.array(after), np.array(actions),
        tuple(failures),
    )  # fmt: skip


@dataclass(frozen=True)
class _Log:
    """What was seen so far."""

    observed: list[Floats]
    returns: list[float]
    holds: list[tuple[Floats, Floats, int]]


def _play(job: Explore, env: Any, how: tuple[Any, Any], which: tuple[int, int], log: _Log) -> None:
    """One episode."""
    (action, tick), (episode, seed) = how, which
    rng = np.random.default_rng([seed, episode])
    seen = _numbers(env.reset(seed=seed)[0], job, 0)
    log.observed.append(seen)
    total, discount, t, ended = 0.0, 1.0, 0, False
    constant = int(rng.integers(len(job.values)))
    while t < job.t_max and not ended and len(log.observed) < STEPS:
        place, length = _next_hold(episode, constant, len(job.values), rng)
        begun = seen
        for _ in range(min(length, job.t_max - t)):
            observation, reward, terminated, truncated, _ = env.step(action(place))
            t += 1
            tick(t)
            seen = _numbers(observation, job, t)
            log.observed.append(seen)
            total += discount * float(reward)
            discount *= job.gamma
            ended = bool(terminated or truncated)
            if ended:
                break
        log.holds.append((begun, seen, place))
    if ended or t == job.t_max:
        if not np.isfinite(total):
            raise FloatingPointError(f"a reward in the first {t} steps from seed {seed} is not finite")
        log.returns.append(total)


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
