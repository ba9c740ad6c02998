"""The polynomial cosine changes states in their last bits. It must not change a single return."""

from __future__ import annotations

from functools import cache

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.evaluation import _batch_of, action_values
from mococo.policy import Policy
from mococo.rollout import Engine

Floats = NDArray[np.float64]


@cache
def policies() -> tuple[Policy, ...]:
    """500 random policies, and the archives of four short runs."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(500):
        tag = tuple(int(m) for m in rng.integers(2, 6, size=2))
        rb = rng.integers(0, 3, size=tag[0] * tag[1])
        rb[rng.random(rb.size) < 0.3] = 2
        made.append(Policy.from_genotypes(tag, rng.random(sum(tag)), rb, MOUNTAIN_CAR.features, MOUNTAIN_CAR.actions))
    for seed in range(4):
        made += [member.policy for member in mococo.train("MountainCar-v0", seed, num_gens=25).archive]
    return tuple(made)


def test_a_million_returns_are_those_with_libms_cosine() -> None:
    starts = MOUNTAIN_CAR.draw_starts(2000, seed=1)
    batch = _batch_of(policies(), action_values(policies()[0]))
    found = []
    for libm in (False, True):
        engine = Engine(MOUNTAIN_CAR, batch.partitions.refs.shape[2], threads=2, libm=libm)
        found.append(engine.roll_out(batch, starts, fail_fast=False))
    (returns, steps, uncovered, _), (exact_returns, exact_steps, exact_uncovered, _) = found
    assert returns.size >= 1_000_000
    assert np.array_equal(returns, exact_returns)
    assert np.array_equal(steps, exact_steps)
    assert np.array_equal(uncovered, exact_uncovered)
    assert 0.01 < uncovered.mean() < 0.9  # both kinds of episodes are among them
    assert (returns > -150).any()


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_ten_thousand_returns_are_gymnasiums_own(half: int) -> None:
    """Of the best policies, whose episodes are decided most finely."""
    starts = MOUNTAIN_CAR.draw_starts(600, seed=2 + half)
    performance = mococo.evaluate(policies(), "MountainCar-v0", starts=starts).performance
    chosen = [policies()[i] for i in np.argsort(-performance)[:17]]
    returns = mococo.evaluate(chosen, "MountainCar-v0", starts=starts).returns
    assert returns.size >= 10_000
    for policy, expected in zip(chosen, returns, strict=True):
        assert np.array_equal(gymnasium_returns(policy, starts), expected)


def gymnasium_returns(policy: Policy, starts: Floats) -> Floats:
    """Returns of Gymnasium's episodes; its environments are stepped in turn, so that the policy sees them together."""
    envs = [gymnasium.make("MountainCar-v0").unwrapped for _ in starts]
    for env, start in zip(envs, starts, strict=True):
        env.state = start.copy()  # type: ignore[attr-defined]
    seen = starts.astype(np.float32)
    total = np.zeros(len(starts))
    live = np.arange(len(starts))
    values = np.array([action.value for action in policy.actions])
    for _ in range(MOUNTAIN_CAR.t_max):
        strengths = policy._infer(seen[live].astype(np.float64))[1]
        holes = strengths.max(axis=1) <= 0
        total[live[holes]] = MOUNTAIN_CAR.performance_bounds[0]
        live, actions = live[~holes], values[np.argmax(strengths[~holes], axis=1)]
        going = np.ones(len(live), dtype=bool)
        for n, (i, action) in enumerate(zip(live.tolist(), actions.tolist(), strict=True)):
            observation, reward, terminated, _, _ = envs[i].step(action)
            seen[i] = observation
            total[i] += float(reward)
            going[n] = not terminated
        live = live[going]
        if not len(live):
            break
    return total
