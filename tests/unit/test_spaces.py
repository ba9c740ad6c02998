"""Gymnasium's spaces as features and actions, and those that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces.utils import flatten

from mococo.envs.spaces import chosen_actions, observed_numbers
from mococo.errors import EnvironmentSpecError

F32 = np.float32


@pytest.mark.parametrize(
    ("space", "names", "crisp"),
    [
        (spaces.Box(-1, 1, (2,), F32), ["x0", "x1"], [False, False]),
        (spaces.Box(-np.inf, np.inf, (1,), F32), ["x0"], [False]),
        (spaces.Box(0, 1, (2, 2), F32), ["x0_0", "x0_1", "x1_0", "x1_1"], [False] * 4),
        (spaces.Discrete(3, start=5), ["state"], [True]),
        (spaces.Discrete(500), ["state"], [False]),
        (spaces.MultiBinary(2), ["x0", "x1"], [True, True]),
        (spaces.MultiDiscrete([3, 40]), ["x0", "x1"], [True, False]),
        (spaces.Dict({"on": spaces.MultiBinary(1), "at": spaces.Box(-1, 1, (2,), F32)}), ["on", "at_0", "at_1"],
         [True, False, False]),
        (spaces.Tuple([spaces.Discrete(2), spaces.Box(-1, 1, (1,), F32)]), ["x0_0", "x0_1", "x1"],
         [True, True, False]),
    ],
    ids=str,
)  # fmt: skip
def test_observations_become_features(space: spaces.Space[Any], names: list[str], crisp: list[bool]) -> None:
    drafts = observed_numbers(space, "Some-v0")
    assert sorted(name for name, *_ in drafts) == sorted(names)
    assert {name: is_crisp for name, _, _, is_crisp in drafts} == dict(zip(names, crisp, strict=True))
    if isinstance(space, spaces.Dict | spaces.Tuple):
        assert len(flatten(space, space.sample())) == len(names)


def test_a_crisp_feature_has_the_values_of_its_space() -> None:
    assert observed_numbers(spaces.Discrete(3, start=5), "Some-v0") == [("state", 5, 7, True)]


@pytest.mark.parametrize(
    ("space", "told"),
    [
        (spaces.Box(0, 255, (84, 84, 3), np.uint8), r"an image \(shape \(84, 84, 3\), uint8\).*wrap it with"),
        (spaces.Box(0, 1, (300,), F32), r"looks like an image \(shape \(300,\)\)"),
        (spaces.Dict({"a": spaces.Box(0, 1, (200,), F32), "b": spaces.Box(0, 1, (200,), F32)}), "400 numbers"),
        (spaces.Dict({"a": spaces.Box(0, 255, (9, 9), np.uint8)}), "a looks like an image"),
        (spaces.Text(5), "are Text; Mococo reads Box, Discrete"),
        (spaces.Sequence(spaces.Discrete(2)), "are Sequence; Mococo reads"),
    ],
    ids=str,
)
def test_other_observations_are_refused_with_advice(space: spaces.Space[Any], told: str) -> None:
    with pytest.raises(EnvironmentSpecError, match=told):
        observed_numbers(space, "Some-v0")


@pytest.mark.parametrize(
    ("space", "values", "continuous"),
    [
        (spaces.Discrete(3, start=2), [2, 3, 4], False),
        (spaces.MultiDiscrete([2, 2]), [(0, 0), (0, 1), (1, 0), (1, 1)], False),
        (spaces.MultiBinary(1), [(0,), (1,)], False),
        (spaces.Box(-2, 2, (1,), F32), [-2.0, -0.6, 0.0, 0.6, 2.0], True),
        (spaces.Box(np.array([-1, 0], F32), np.array([1, 2], F32)),
         [(a, b) for a in (-1.0, 0.0, 1.0) for b in (0.0, 1.0, 2.0)], True),
    ],
    ids=str,
)  # fmt: skip
def test_actions_that_rules_choose_from(space: spaces.Space[Any], values: list[Any], continuous: bool) -> None:
    actions, is_continuous = chosen_actions(space, "Some-v0")
    assert [action.value for action in actions] == values
    assert is_continuous is continuous


def test_many_numbers_are_pushed_one_at_a_time() -> None:
    actions, _ = chosen_actions(spaces.Box(-1, 1, (4,), F32), "Some-v0")
    assert len(actions) == 9
    assert all(sum(x != 0 for x in action.value) <= 1 for action in actions)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("space", "told"),
    [
        (spaces.Box(-np.inf, np.inf, (1,), F32), "takes actions without bounds.*--actions"),
        (spaces.Discrete(101), "has 101 actions, more than the 100"),
        (spaces.MultiDiscrete([20, 20]), "has 400 actions, more than the 100"),
        (spaces.Text(5), "takes actions from a Text"),
    ],
    ids=str,
)
def test_other_actions_are_refused_with_advice(space: spaces.Space[Any], told: str) -> None:
    with pytest.raises(EnvironmentSpecError, match=told):
        chosen_actions(space, "Some-v0")
