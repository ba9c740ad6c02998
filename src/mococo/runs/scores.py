"""Performance on fresh starts: a mean over the few training starts flatters, because the search has chosen by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Environment
from mococo.evaluation import evaluate
from mococo.front import Front
from mococo.policy import Policy

FRESH_STARTS = 1000
FRESH_SEED = 0
"""One seed for every run, so that runs can be compared; the training starts are drawn in another way."""
RESAMPLES = 2000
_AT_A_TIME = 50  # resamples; their draws fit into the cache


@dataclass(frozen=True)
class Scored:
    """A policy of a front with its performance on the training starts and on fresh ones."""

    policy: Policy
    performance: float
    complexity: int
    gen: int
    """The generation in which it was found."""
    count: int
    """Solutions of the front with this performance and complexity."""
    fresh_performance: float
    fresh_standard_error: float
    fresh_interval: tuple[float, float]
    """95 % bootstrap interval of the fresh performance."""
    fresh_uncovered: int
    """Fresh episodes that ended in a state without a rule."""

    @property
    def gap(self) -> float:
        """By how much the training starts flatter."""
        return self.performance - self.fresh_performance


def score(front: Front, env: Environment, threads: int | None = None) -> tuple[Scored, ...]:
    """The members of a front by rising complexity, equal ones counted, each on the same fresh starts."""
    members = sorted(front.distinct(), key=lambda member: (member.complexity, -member.performance))
    if not members:
        return ()
    fresh = _fresh([member.policy for member in members], env, threads)
    return tuple(
        Scored(m.policy, m.performance, m.complexity, m.gen, front.count(m), *numbers)
        for m, numbers in zip(members, fresh, strict=True)
    )


def rescore(members: Sequence[Scored], env: Environment, eta: int, threads: int | None = None) -> tuple[Scored, ...]:
    """The same policies with the performances that are found when they are played again."""
    if not members:
        return ()
    policies = [member.policy for member in members]
    played = evaluate(policies, env, starts=env.training_starts(eta), threads=threads)
    failed = played.uncovered > 0
    performances = np.where(failed, env.performance_bounds[0], played.performance).tolist()
    fresh = _fresh(policies, env, threads)
    return tuple(
        Scored(member.policy, performance, member.policy.complexity, member.gen, member.count, *numbers)
        for member, performance, numbers in zip(members, performances, fresh, strict=True)
    )


def _fresh(
    policies: Sequence[Policy], env: Environment, threads: int | None
) -> list[tuple[float, float, tuple[float, float], int]]:
    """Mean, standard error and interval on the fresh starts, and how many met a state without a rule."""
    played = evaluate(policies, env, episodes=FRESH_STARTS, seed=FRESH_SEED, threads=threads)
    returns = played.returns
    means, errors = returns.mean(axis=1), returns.std(axis=1, ddof=1) / math.sqrt(FRESH_STARTS)
    return list(zip(means.tolist(), errors.tolist(), intervals(returns), played.uncovered.tolist(), strict=True))


def intervals(returns: NDArray[np.float64]) -> list[tuple[float, float]]:
    """95 % intervals of the mean of each row by the percentile bootstrap.

    returns : (n, episodes). Every row is resampled alike, always with the same seed, so a policy's interval does not
    depend on its company.
    """
    n, episodes = returns.shape
    rng = np.random.default_rng(FRESH_SEED)
    means = np.empty((n, RESAMPLES))
    for first in range(0, RESAMPLES, _AT_A_TIME):
        draws = rng.integers(0, episodes, size=(min(_AT_A_TIME, RESAMPLES - first), episodes))
        for row, found in zip(returns, means, strict=True):
            row[draws].mean(axis=1, out=found[first : first + _AT_A_TIME])
    lows, highs = np.percentile(means, [2.5, 97.5], axis=1).tolist()
    return list(zip(lows, highs, strict=True))


def best(members: Sequence[Scored]) -> Scored:
    """The member with the highest performance on the training starts, and of those the simplest."""
    return max(members, key=lambda member: (member.performance, -member.complexity))
