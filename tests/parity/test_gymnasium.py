"""Mountain Car beside Gymnasium's MountainCar-v0: states bit for bit, rewards, ends and whole episodes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo import Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR, observe, step
from tests.parity import kernels

NO_RULE = 1  # what the tests below do in an uncovered state: nothing


@pytest.fixture
def gym() -> Iterator[Any]:
    env = gymnasium.make("MountainCar-v0")
    yield env
    env.close()


def bits(state: Any) -> bytes:
    position, velocity = state
    return struct.pack("dd", float(position), float(velocity))


def choice(policy: Policy, observation: NDArray[np.float32]) -> int:
    strengths = policy.strengths(observation)
    return int(policy.actions[int(np.argmax(strengths))].value) if strengths.max() > 0 else NO_RULE


def test_50_000_steps_of_evolved_and_random_policies_are_gymnasiums_bit_for_bit(gym: Any) -> None:
    rng = np.random.default_rng(0)
    policies: list[Policy | None] = [
        *kernels.evolved(150),
        *kernels.random(rng, 60, 2, 0.1),
        *kernels.random(rng, 60, 3, 0.3),
        *[None] * 90,  # every action at random
    ]
    env = gym.unwrapped
    steps = goals = walls = 0
    for policy in policies:
        env.reset(seed=1)
        state = (
            (rng.uniform(-1.2, 0.5), rng.uniform(-0.07, 0.07)) if rng.random() < 0.5 else (rng.uniform(-0.6, -0.4), 0.0)
        )
        env.state = np.array(state)
        for _ in range(200):
            observation = np.array(observe(state), dtype=np.float32)
            action = int(rng.integers(3)) if policy is None else choice(policy, observation)
            seen, reward, terminated, _, _ = env.step(action)
            state, our_reward, done = step(state, float(action))
            assert bits(state) == bits(env.state)
            assert np.array(observe(state), dtype=np.float32).tobytes() == seen.tobytes()
            assert (our_reward, done) == (float(reward), terminated)
            steps += 1
            walls += state[0] == -1.2
            goals += done
            if done:
                break
    assert steps >= 50_000
    assert goals > 100
    assert walls > 100


@pytest.mark.parametrize("action", [0, 1, 2])
def test_a_step_from_the_edges_of_the_state_space_is_gymnasiums(gym: Any, action: int) -> None:
    env = gym.unwrapped
    for position in (-1.2, -1.199999, -0.5, 0.45, 0.49999, 0.5, 0.55, 0.6):
        for velocity in (-0.07, -0.0699, -0.001, 0.0, 0.001, 0.0699, 0.07):
            env.reset(seed=1)
            env.state = np.array([position, velocity])
            _, reward, terminated, _, _ = env.step(action)
            state, our_reward, done = step((position, velocity), float(action))
            assert bits(state) == bits(env.state)
            assert (our_reward, done) == (float(reward), terminated)


def test_the_goal_is_reached_at_exactly_its_position(gym: Any) -> None:
    """Hardly any episode lands there; these states are chosen to."""
    env, landed = gym.unwrapped, 0
    for position in np.linspace(0.44, 0.499, 500).tolist():
        velocity = (0.5 - position) - (0.001 + np.cos(3 * position) * (-0.0025))
        state, _, done = step((position, velocity), 2.0)
        env.reset(seed=1)
        env.state = np.array([position, velocity])
        _, _, terminated, _, _ = env.step(2)
        assert bits(state) == bits(env.state)
        assert done == terminated
        landed += state[0] == 0.5
        assert done or state[0] != 0.5
    assert landed > 50


def test_compiled_episodes_are_gymnasiums_own(gym: Any) -> None:
    """From Gymnasium's own resets, through its time limit, with the actions of `Policy.act`."""
    rng = np.random.default_rng(2)
    policies = [
        *kernels.evolved(30),
        *kernels.random(rng, 18, 2, 0.0),
        *kernels.random(rng, 12, 3, 0.0, tags=((3, 3), (5, 6), (2, 7))),
        *kernels.symmetric([(2, 2), (3, 6), (4, 4), (6, 6), (7, 8), (5, 2)])[::2],
    ]
    n_starts = 10
    starts = np.zeros((n_starts, 2))
    for j in range(n_starts):
        gym.reset(seed=j)
        starts[j] = gym.unwrapped.state
    steps = 0
    for policy in policies:
        found = mococo.evaluate(policy, "MountainCar-v0", starts=starts)
        for j in range(n_starts):
            observation, _ = gym.reset(seed=j)
            total, ended = 0.0, False
            while not ended:
                if policy.strengths(observation).max() <= 0:
                    total, ended = -200.0, True
                    continue
                observation, reward, terminated, truncated, _ = gym.step(policy.act(observation))
                total += float(reward)
                steps += 1
                ended = terminated or truncated
            assert found.returns[0, j] == total, (policy, starts[j])
    assert steps > 70_000


def test_the_environments_description_is_gymnasiums(gym: Any) -> None:
    env = gym.unwrapped
    velocity = MOUNTAIN_CAR.features[1]
    assert (np.float32(velocity.low), np.float32(velocity.high)) == (env.low[1], env.high[1])
    assert np.float32(MOUNTAIN_CAR.features[0].low) == env.low[0]
    assert MOUNTAIN_CAR.features[0].high == env.goal_position
    assert gym.spec.max_episode_steps == MOUNTAIN_CAR.t_max
    assert gym.action_space.n == len(MOUNTAIN_CAR.legal_actions)
    assert all(gym.action_space.contains(action) for action in MOUNTAIN_CAR.legal_actions)


def test_an_action_of_a_policy_is_one_that_gymnasium_takes(gym: Any) -> None:
    observation, _ = gym.reset(seed=3)
    policy = kernels.policy((2, 2), [0.5] * 4, [1, 2, 1, 2])
    assert gym.action_space.contains(policy.act(observation))
    action, _ = policy.predict(observation)
    gym.step(action)
    gym.step(policy.act(observation))


def test_fresh_starts_lie_where_gymnasiums_resets_do(gym: Any) -> None:
    resets = np.array([gym.reset(seed=i)[0] for i in range(200)])
    fresh = MOUNTAIN_CAR.draw_starts(200, 0)
    for starts in (resets, fresh):
        assert ((starts[:, 0] >= -0.6) & (starts[:, 0] <= -0.4)).all()
        assert not starts[:, 1].any()
