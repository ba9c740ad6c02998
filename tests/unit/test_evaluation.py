"""mococo.evaluate: shapes, starts, episodes, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mococo
from mococo import Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.registry import find, known_ids
from mococo.errors import ConfigError, EnvironmentSpecError, MococoError, PolicyError

GOOD = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 2, 1, 2], MOUNTAIN_CAR.features, [0, 2])
HOLEY = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 0, 0, 2], MOUNTAIN_CAR.features, [0, 2])
EMPTY = Policy.from_genotypes((2, 2), [0.5] * 4, [0, 0, 0, 0], MOUNTAIN_CAR.features, [0, 2])
LAZY = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 1, 1, 1], MOUNTAIN_CAR.features, [1])
OTHER_WAY = Policy.from_genotypes((2, 2), [0.5] * 4, [2, 1, 2, 1], MOUNTAIN_CAR.features, [2, 0])
FINE = Policy.from_genotypes((7, 2), [0.5] * 9, [1, 2] * 7, MOUNTAIN_CAR.features, [0, 2])


def test_returns_and_steps_have_a_row_for_each_policy_and_a_column_for_each_start() -> None:
    found = mococo.evaluate([GOOD, LAZY, FINE], "MountainCar-v0", episodes=7)
    assert found.returns.shape == found.steps.shape == (3, 7)
    assert found.uncovered.shape == found.performance.shape == (3,)
    assert found.performance.tolist() == found.returns.mean(axis=1).tolist()


def test_one_policy_may_stand_alone() -> None:
    alone, listed = (mococo.evaluate(p, "MountainCar-v0", episodes=5) for p in (GOOD, [GOOD]))
    assert alone.returns.tolist() == listed.returns.tolist()
    assert alone.returns.shape == (1, 5)


def test_policies_may_come_from_an_iterator() -> None:
    listed = mococo.evaluate([GOOD, LAZY], "MountainCar-v0", episodes=5)
    assert mococo.evaluate(iter([GOOD, LAZY]), "MountainCar-v0", episodes=5).returns.tolist() == listed.returns.tolist()  # type: ignore[arg-type]


def test_no_policies_give_no_rows() -> None:
    found = mococo.evaluate([], "MountainCar-v0", episodes=5)
    assert found.returns.shape == (0, 5)
    assert found.performance.shape == (0,)


def test_policies_with_other_actions_or_another_number_of_sets_can_be_mixed() -> None:
    together = mococo.evaluate([GOOD, LAZY, FINE, OTHER_WAY, EMPTY], "MountainCar-v0", episodes=20)
    for i, policy in enumerate([GOOD, LAZY, FINE, OTHER_WAY, EMPTY]):
        alone = mococo.evaluate(policy, "MountainCar-v0", episodes=20)
        assert together.returns[i].tolist() == alone.returns[0].tolist()
        assert together.steps[i].tolist() == alone.steps[0].tolist()
        assert together.uncovered[i] == alone.uncovered[0]


def test_a_policy_that_never_pushes_times_out() -> None:
    found = mococo.evaluate(LAZY, "MountainCar-v0", episodes=3)
    assert found.returns.tolist() == [[-200.0] * 3]
    assert found.steps.tolist() == [[200] * 3]
    assert found.uncovered.tolist() == [0]


def test_an_uncovered_state_ends_its_episode_with_the_lower_bound_and_no_other() -> None:
    found = mococo.evaluate([HOLEY, EMPTY], "MountainCar-v0", starts=[[-1.1, 0.06], [0.48, 0.07], [0.4, 0.06]])
    assert found.uncovered.tolist() == [1, 3]
    assert found.returns.tolist() == [[-200.0, -1.0, -2.0], [-200.0, -200.0, -200.0]]
    assert found.steps.tolist() == [[0, 1, 2], [0, 0, 0]]


def test_fresh_starts_follow_the_seed() -> None:
    first, again, other = (mococo.evaluate(GOOD, "MountainCar-v0", episodes=100, seed=s).returns for s in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
    starts = MOUNTAIN_CAR.draw_starts(100, 1)
    assert mococo.evaluate(GOOD, "MountainCar-v0", starts=starts).returns.tolist() == first.tolist()


def test_a_thousand_episodes_are_the_default() -> None:
    assert mococo.evaluate(GOOD, "MountainCar-v0").returns.shape == (1, 1000)


def test_starts_stay_unchanged() -> None:
    starts = MOUNTAIN_CAR.draw_starts(5, 0)
    starts.flags.writeable = False
    before = starts.tobytes()
    mococo.evaluate([GOOD], "MountainCar-v0", starts=starts)
    assert starts.tobytes() == before


def test_an_environment_may_be_given_itself() -> None:
    by_name, itself = (mococo.evaluate(GOOD, env, episodes=5).returns for env in ("MountainCar-v0", MOUNTAIN_CAR))
    assert by_name.tolist() == itself.tolist()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("starts", "got"),
    [
        ([-0.5, 0.0], r"shape \(2,\)"),
        ([[-0.5]], r"shape \(1, 1\)"),
        ([[-0.5, 0.0, 0.0]], r"shape \(1, 3\)"),
        ([], r"shape \(0,\)"),
        (np.zeros((0, 2)), r"shape \(0, 2\)"),
        (np.zeros((1, 2, 2)), r"shape \(1, 2, 2\)"),
        ([[math.nan, 0.0]], r"shape \(1, 2\)"),
        ([[-0.5, math.inf]], r"shape \(1, 2\)"),
        (-0.5, r"shape \(\)"),
    ],
)
def test_wrong_starts_are_refused(starts: Any, got: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"starts must be finite states of MountainCar-v0, shape \(n, 2\), got .*{got}"
    ):
        mococo.evaluate(GOOD, "MountainCar-v0", starts=starts)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mococo.evaluate(GOOD, "MountainCar-v0", starts="here"),
        lambda: mococo.evaluate(GOOD, "MountainCar-v0", starts=[[1, 2], [3]]),  # type: ignore[list-item]
        lambda: mococo.evaluate("policy.json", "MountainCar-v0"),  # type: ignore[arg-type]
        lambda: mococo.evaluate([None], "MountainCar-v0"),  # type: ignore[list-item]
        lambda: mococo.evaluate(None, "MountainCar-v0"),  # type: ignore[arg-type]
        lambda: mococo.evaluate(GOOD, ["MountainCar-v0"]),  # type: ignore[arg-type]
    ],
    ids=["starts of words", "ragged starts", "a path", "none in a list", "none", "a list of environments"],
)
def test_arguments_of_a_wrong_type_are_refused_with_an_error_of_ours(call: Any) -> None:
    with pytest.raises(MococoError):
        call()


def test_a_front_is_refused_with_a_hint() -> None:
    front = mococo.train("MountainCar-v0", num_gens=1, db_pop_size=4, rb_pop_size=8).archive
    with pytest.raises(PolicyError, match=r"a list of them, got Front\(.*members of a front .* have a \.policy each"):
        mococo.evaluate(front, "MountainCar-v0")  # type: ignore[arg-type]


@pytest.mark.parametrize("episodes", [0, -1, 2.5, "10", True, None])
def test_a_wrong_number_of_episodes_is_refused(episodes: Any) -> None:
    with pytest.raises(ConfigError, match="episodes must be a whole number >= 1, got "):
        mococo.evaluate(GOOD, "MountainCar-v0", episodes=episodes)


@pytest.mark.parametrize("seed", [-1, 1.5, "0", None, True])
def test_a_wrong_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ConfigError, match="seed must be a whole number >= 0, got "):
        mococo.evaluate(GOOD, "MountainCar-v0", seed=seed)
    with pytest.raises(ConfigError, match="seed must be a whole number >= 0, got "):
        mococo.train("MountainCar-v0", seed)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_a_wrong_number_of_threads_is_refused(threads: Any) -> None:
    with pytest.raises(ConfigError, match="threads must be a whole number >= 1, got "):
        mococo.evaluate(GOOD, "MountainCar-v0", threads=threads)
    with pytest.raises(ConfigError, match="threads must be a whole number >= 1, got "):
        mococo.train("MountainCar-v0", threads=threads)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("MountainCar", "Did you mean MountainCar-v0?"),
        ("MountianCar-v0", "Did you mean MountainCar-v0?"),
        ("mountaincar-v0", "Did you mean MountainCar-v0?"),
        ("mountain_car", "Did you mean MountainCar-v0?"),
    ],
)
def test_an_unknown_environment_is_refused_with_the_nearest_name(name: str, hint: str) -> None:
    for call in (lambda: mococo.evaluate(GOOD, name), lambda: mococo.train(name), lambda: find(name)):
        with pytest.raises(EnvironmentSpecError, match=rf"unknown environment '{name}'\. {hint[:-1]}\?"):
            call()


def test_an_unknown_environment_like_no_other_is_refused_with_all_names() -> None:
    with pytest.raises(EnvironmentSpecError, match=r"unknown environment 'Zork'\. Known: .*MountainCar-v0"):
        find("Zork")
    assert "MountainCar-v0" in known_ids()


def test_a_policy_with_another_number_of_features_does_not_fit() -> None:
    policy = Policy.from_genotypes((2,), [0.5] * 2, [1, 2], [("angle", 0.0, 1.0)], [0, 2])
    with pytest.raises(
        PolicyError,
        match=r"MountainCar-v0 gives 2 numbers .*\(position, velocity\), but this policy looks at 1 \(angle\)",
    ):
        mococo.evaluate(policy, "MountainCar-v0")


@pytest.mark.parametrize("value", ["left", 3, -1, 0.5])
def test_a_policy_with_an_action_that_the_environment_does_not_take_does_not_fit(value: Any) -> None:
    policy = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 2, 1, 2], MOUNTAIN_CAR.features, [value, 2])
    with pytest.raises(PolicyError, match="MountainCar-v0 takes the actions 0, 1, 2, but this policy has "):
        mococo.evaluate([GOOD, policy], "MountainCar-v0")
