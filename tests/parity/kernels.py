"""Ways to the same episodes: both compiled kernels, the oracle, and policies to try them with."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo import Environment, Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.spec import Action
from mococo.rollout import compiled, knots_for
from mococo.subspecies import lambda_1, lambda_2
from tests.reference import naive

Floats = NDArray[np.float64]
Episodes = tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]  # returns, steps, uncovered : (n_policies, n_starts)

GOLDEN = Path(__file__).parent.parent / "golden"


# ---------------------------------------------------------------- policies


def policy(tag: Sequence[int], db: Any, rb: Any, n_actions: int = 2, env: Environment = MOUNTAIN_CAR) -> Policy:
    """A policy for Mountain Car: left, right, then no push, then half a push (which only kernels accept)."""
    values = [0, 2, 1, 0.5][:n_actions]
    return Policy.from_genotypes(tag, db, rb, env.features, [Action(value, str(value)) for value in values])


def evolved(n: int) -> list[Policy]:
    """n of the golden generation, evenly spread."""
    solutions = json.loads(gzip.decompress((GOLDEN / "generation.json.gz").read_bytes()))["solutions"]
    rows = np.linspace(0, len(solutions) - 1, n).astype(int)
    return [policy(solutions[i]["tag"], solutions[i]["db"], solutions[i]["rb"]) for i in rows]


TAGS = ((2, 2), (5, 5), (3, 4), (2, 8), (8, 2), (7, 3), (8, 8), (5, 6), (16, 2))


def random(
    rng: np.random.Generator,
    n: int,
    n_actions: int,
    p_unspec: float,
    tags: Sequence[tuple[int, ...]] = TAGS,
    env: Environment = MOUNTAIN_CAR,
) -> list[Policy]:
    """n random policies; alleles are not round."""
    policies = []
    for i in range(n):
        tag = tags[i % len(tags)]
        rb = rng.integers(1, n_actions, lambda_2(tag), endpoint=True)
        rb[rng.random(len(rb)) < p_unspec] = 0
        policies.append(policy(tag, rng.random(lambda_1(tag)), rb, n_actions, env))
    return policies


def symmetric(tags: Sequence[tuple[int, int]], n_actions: int = 2) -> list[Policy]:
    """All alleles 1/2, so that velocity 0, where every episode starts, lies exactly between two sets or on a peak.

    Patterns: push with the velocity, against it, stripes, a checkerboard, quadrants with holes.
    """
    policies = []
    for m0, m1 in tags:
        i, j = np.indices((m0, m1))
        patterns = [
            1 + (2 * j >= m1),
            2 - (2 * j >= m1),
            1 + j % n_actions,
            1 + (i + j) % n_actions,
            1 + (i * m1 + j) % n_actions,
            (1 + (i + j) % n_actions) * ((i + j) % 3 > 0),
            np.where(i == j, 0, 1 + (2 * j >= m1)),
        ]
        policies += [policy((m0, m1), [0.5] * (m0 + m1), p.ravel(), n_actions) for p in patterns]
    return policies


# ---------------------------------------------------------------- kernels


def run(
    kernel: str,
    policies: Sequence[Policy],
    starts: Floats,
    env: Environment = MOUNTAIN_CAR,
    *,
    knots: int | None = None,
    fail_fast: bool = False,
    libm: bool = False,
) -> Episodes:
    """Roll out with "planar" or "general"; all policies have the same number of actions."""
    n, d, most = len(policies), len(env.features), max(max(p.tag) for p in policies)
    width = knots_for(most) if knots is None else knots
    refs, slopes = np.full((n, d, width), 1e300), np.zeros((n, d, width))
    for i, p in enumerate(policies):
        own = p.arrays.refs.shape[1]
        refs[i, :, :own], slopes[i, :, :own] = p.arrays.refs, p.arrays.slopes
    count = np.array([len(p.rules) for p in policies])
    arrays = [
        np.repeat(np.arange(n)[:, None], 2, axis=1),
        np.array([p.tag for p in policies], dtype=np.int64),
        refs,
        slopes,
        np.cumsum(count) - count,
        count,
        np.concatenate([p.arrays.masks for p in policies]),
        np.concatenate([p.arrays.actions for p in policies]),
        np.array([float(a.value) for a in policies[0].actions]),
        np.ascontiguousarray(starts, dtype=np.float64),
    ]
    before = [a.tobytes() for a in arrays]
    shape = (n, len(starts))
    returns, steps, uncovered = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, bool)
    getattr(compiled(env, width, libm), kernel)(
        0, n, 0, len(starts), *arrays, env.t_max, env.gamma, fail_fast, env.performance_bounds[0], returns, steps,
        uncovered,
    )  # fmt: skip
    assert [a.tobytes() for a in arrays] == before  # inputs stay unchanged
    return returns, steps, uncovered


def same(a: Episodes, b: Episodes) -> bool:
    """Bit for bit."""
    return all(x.tobytes() == y.tobytes() and x.shape == y.shape for x, y in zip(a, b, strict=True))


def differences(a: Episodes, b: Episodes) -> list[tuple[int, int]]:
    """(policy, start) whose episodes are not equal: what a failing test should show."""
    unequal = (a[0] != b[0]) | (a[1] != b[1]) | (a[2] != b[2])
    return [(int(i), int(j)) for i, j in np.argwhere(unequal)]


# ---------------------------------------------------------------- the oracle and Policy.act


def float32(x: float) -> float:
    return float(np.float32(x))


def oracle(policies: Sequence[Policy], starts: Floats, env: Environment = MOUNTAIN_CAR) -> Episodes:
    """The same episodes by the oracle's decoding and inference, and by the environment's step in plain Python."""
    return _episodes(policies, starts, env, _OracleChoice)


def interpreted(policies: Sequence[Policy], starts: Floats, env: Environment = MOUNTAIN_CAR) -> Episodes:
    """The same episodes by `Policy.strengths`, one observation at a time."""
    return _episodes(policies, starts, env, _PolicyChoice)


class _OracleChoice:
    def __init__(self, p: Policy, env: Environment) -> None:
        self.k = len(p.actions)
        self.domains = [(f.low, f.high) for f in env.features]
        self.rules = naive.decode_rules(p.tag, p.rb, self.k)
        self.refs = naive.decode_db(p.tag, p.db, self.domains, p.omega)

    def __call__(self, observation: list[float]) -> int:
        memberships = naive.fuzzify(observation, self.refs, self.domains)
        return naive.action(naive.strengths(self.rules, memberships, self.k)) if self.rules else 0


class _PolicyChoice:
    def __init__(self, p: Policy, env: Environment) -> None:
        self.policy = p

    def __call__(self, observation: list[float]) -> int:
        strengths = self.policy.strengths(observation)
        return int(np.argmax(strengths)) + 1 if strengths.max() > 0 else 0


def _episodes(policies: Sequence[Policy], starts: Floats, env: Environment, choice: Any) -> Episodes:
    shape = (len(policies), len(starts))
    returns, steps, uncovered = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, bool)
    for i, p in enumerate(policies):
        choose = choice(p, env)
        for j, start in enumerate(starts):
            state: tuple[float, ...] = tuple(start.tolist())
            discount = 1.0
            for _ in range(env.t_max):
                seen = [float32(x) if env.float32 else x for x in env.observe(state)]
                chosen = choose(seen)
                if chosen == 0:
                    returns[i, j], uncovered[i, j] = env.performance_bounds[0], True
                    break
                state, reward, done = env.step(state, float(p.actions[chosen - 1].value))
                assert all(math.isfinite(x) for x in state)
                returns[i, j] += discount * reward
                steps[i, j] += 1
                discount *= env.gamma
                if done:
                    break
    return returns, steps, uncovered
