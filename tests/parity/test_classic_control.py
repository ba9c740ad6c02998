"""The other compiled environments beside Gymnasium's: states bit for bit, rewards, ends and whole episodes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo import Environment, Policy
from mococo.envs.registry import find
from mococo.rollout import compiled
from mococo.subspecies import lambda_1, lambda_2

# Runs of a few generations: the best of each is a policy that does well.
SMALL = {"num_gens": 4, "db_pop_size": 20, "rb_pop_size": 40, "eta": 10}
IDS = ("CartPole-v1", "MountainCarContinuous-v0", "Acrobot-v1", "Pendulum-v1")
STEPS = 50_000
N_STARTS = 5


def bits(numbers: Sequence[float]) -> bytes:
    return struct.pack(f"{len(numbers)}d", *map(float, numbers))


@cache
def policies(env_id: str) -> tuple[Policy, ...]:
    """Evolved ones, and random ones of two numbers of sets, few of whose states are uncovered."""
    env, rng = find(env_id), np.random.default_rng(0)
    made = [mococo.train(env_id, seed=seed, threads=1, **SMALL).archive.best.policy for seed in range(4)]  # type: ignore[arg-type]
    d = len(env.features)
    for i in range(24):
        tag = tuple(2 + (i + f) % 2 if f >= d - 3 else 1 for f in range(d))
        rb = rng.integers(1, len(env.actions), lambda_2(tag), endpoint=True)
        rb[rng.random(len(rb)) < 0.05] = 0
        made.append(
            Policy.from_genotypes(
                tag, rng.random(lambda_1(tag)), rb, env.features, env.actions, continuous=env.continuous
            )
        )
    return tuple(made)


def chosen(env: Environment, policy: Policy | None, observation: Any, rng: np.random.Generator) -> Any:
    """The action as Gymnasium takes it, or None in an uncovered state."""
    if policy is not None:
        if policy.strengths(observation).max() <= 0:
            return None
        action = policy.act(observation)
    elif env.continuous:
        action = rng.uniform(-1.5, 1.5, 1) * env.action_values.max()  # also beyond what it allows
    else:
        action = int(rng.choice(env.legal_actions))
    return np.asarray(action, dtype=np.float32) if env.continuous else action


class Stepper:
    """Gymnasium's environment and ours, from the same states."""

    def __init__(self, env_id: str) -> None:
        self.env = find(env_id)
        self.gym: Any = gymnasium.make(env_id, disable_env_checker=True)
        self.libms = compiled(self.env, 5, libm=True).step
        self.rng = np.random.default_rng(1)
        self.steps = self.ends = 0

    def reset(self, seed: int) -> NDArray[np.float64]:
        """The start state, after Gymnasium's own reset."""
        self.observation, _ = self.gym.reset(seed=seed)
        return np.array([float(x) for x in self.gym.unwrapped.state])

    def episode(self, policy: Policy | None) -> float | None:
        """Gymnasium's return; None if the policy met a state that it does not cover."""
        total, ended = 0.0, False
        state = tuple(float(x) for x in self.gym.unwrapped.state)
        while not ended:
            action = chosen(self.env, policy, self.observation, self.rng)
            if action is None:
                return None
            self.observation, reward, terminated, truncated, _ = self.gym.step(action)
            state = self._compare(state, float(np.ravel(action)[0]), float(reward), terminated)
            total, ended = total + float(reward), terminated or truncated
            self.steps += 1
            self.ends += terminated
        return total

    def _compare(self, state: Any, action: float, reward: float, terminated: bool) -> Any:
        """Our step, in plain Python and compiled with libm's functions, beside the one that Gymnasium took."""
        theirs = tuple(float(x) for x in self.gym.unwrapped.state)
        ours, our_reward, our_end = self.env.step(state, action)
        assert bits(ours) == bits(theirs)
        assert (our_reward, our_end) == (reward, terminated)
        assert np.array(self.env.observe(ours), dtype=np.float32).tobytes() == self.observation.tobytes()
        fast, fast_reward, fast_end = self.libms(state, action)
        assert bits(fast) == bits(theirs)
        assert (fast_reward, fast_end) == (reward, terminated)
        return theirs


@pytest.mark.parametrize("env_id", IDS)
def test_50_000_steps_of_evolved_and_random_policies_are_gymnasiums(env_id: str) -> None:
    both = Stepper(env_id)
    starts = np.array([both.reset(seed) for seed in range(N_STARTS)])
    several = policies(env_id)
    ours = mococo.evaluate(several, env_id, starts=starts, threads=1).returns
    episodes = 0
    for policy, row in zip(several, ours, strict=True):
        for seed in range(N_STARTS):
            if both.steps > STEPS * 3 // 4:
                break
            both.reset(seed)
            theirs = both.episode(policy)
            assert row[seed] == (both.env.performance_bounds[0] if theirs is None else theirs)
            episodes += 1
    assert episodes > 30
    seed = N_STARTS
    while both.steps < STEPS:
        both.reset(seed)
        both.episode(None)
        seed += 1
    assert both.ends > 10 or env_id == "Pendulum-v1"


@pytest.mark.parametrize("env_id", IDS)
def test_the_description_is_gymnasiums(env_id: str) -> None:
    env, gym = find(env_id), gymnasium.make(env_id, disable_env_checker=True)
    assert gym.spec is not None
    assert gym.spec.max_episode_steps == env.t_max
    space = gym.observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert [np.float32(f.low) >= low for f, low in zip(env.observed, space.low, strict=True)] == [True] * len(space.low)
    assert [np.float32(f.high) <= high for f, high in zip(env.observed, space.high, strict=True)] == [True] * len(
        space.high
    )
    values = [np.array([a.value], dtype=np.float32) if env.continuous else a.value for a in env.actions]
    assert all(gym.action_space.contains(value) for value in values)
    if env.legal_actions:
        assert isinstance(gym.action_space, gymnasium.spaces.Discrete)
        assert gym.action_space.n == len(env.legal_actions)


@pytest.mark.parametrize("env_id", IDS)
def test_starts_lie_where_gymnasiums_resets_do(env_id: str) -> None:
    env, gym = find(env_id), gymnasium.make(env_id, disable_env_checker=True)
    resets = []
    for seed in range(300):
        gym.reset(seed=seed)
        resets.append(np.array(gym.unwrapped.state, dtype=np.float64))  # type: ignore[attr-defined]
    theirs = np.array(resets)
    for ours in (env.draw_starts(300, 0), env.training_starts(300)):
        assert ours.shape == theirs.shape
        for extreme in (np.min, np.max):
            assert extreme(ours, axis=0) == pytest.approx(extreme(theirs, axis=0), rel=0.1, abs=1e-3)
        assert ours.mean(axis=0) == pytest.approx(theirs.mean(axis=0), abs=0.2 * (theirs.std(axis=0).max() + 1e-3))
    assert env.training_starts(20).tolist() == env.training_starts(50)[:20].tolist()
    assert env.draw_starts(20, 3).tolist() == env.draw_starts(20, 3).tolist() != env.draw_starts(20, 4).tolist()


def test_a_start_in_double_precision_and_forces_beyond_the_limits_are_gymnasiums_too() -> None:
    """Mountain Car with a continuous force mixes precisions: near its walls, its goal, and at its speed limits."""
    env, gym = find("MountainCarContinuous-v0"), gymnasium.make("MountainCarContinuous-v0").unwrapped
    gym.reset(seed=0)
    for position in (-1.2, -1.19, -0.5, 0.3999999, 0.45, 0.59, 0.6):
        for velocity in (-0.07, -0.0699, 0.0, 0.0123, 0.07):
            for precision in (np.float64, np.float32):
                for force in (-1.7, -1.0, -0.3, 0.0, 1.0, 1.0000001, 3.0):
                    state = np.array([position, velocity], dtype=precision)
                    if precision is np.float64 and np.array_equal(state, state.astype(np.float32)):
                        continue  # nothing tells them apart but the type that Gymnasium keeps
                    gym.state = state  # type: ignore[attr-defined]
                    _, reward, terminated, _, _ = gym.step(np.array([force], dtype=np.float32))
                    ours = env.step(tuple(float(x) for x in state), force)
                    assert bits(ours[0]) == bits(gym.state)  # type: ignore[attr-defined]
                    assert ours[1:] == (float(reward), terminated)
