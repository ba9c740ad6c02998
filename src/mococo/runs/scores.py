"""Performance on fresh starts: a mean over the few training starts flatters, because the search has chosen by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mococo.envs.spec import Environment
from mococo.evaluation import evaluate
from mococo.front import Front
from mococo.policy import Policy

FRESH_STARTS = 1000
FRESH_SEED = 0
"""One seed for every run, so that runs can be compared; the training starts are drawn in another way."""


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


def score(front: Front, env: Environment, threads: int | None = None) -> tuple[Scored, ...]:
    """The members of a front by rising complexity, equal ones counted, each on the same fresh starts."""
    members = sorted(front.distinct(), key=lambda member: (member.complexity, -member.performance))
    if not members:
        return ()
    policies = [member.policy for member in members]
    returns = evaluate(policies, env, episodes=FRESH_STARTS, seed=FRESH_SEED, threads=threads).returns
    means, deviations = returns.mean(axis=1).tolist(), returns.std(axis=1, ddof=1).tolist()
    return tuple(
        Scored(m.policy, m.performance, m.complexity, m.gen, front.count(m), mean, deviation / math.sqrt(FRESH_STARTS))
        for m, mean, deviation in zip(members, means, deviations, strict=True)
    )


def best(members: Sequence[Scored]) -> Scored:
    """The member with the highest performance on the training starts, and of those the simplest."""
    return max(members, key=lambda member: (member.performance, -member.complexity))
