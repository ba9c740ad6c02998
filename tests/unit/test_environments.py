"""The registry and the description of environments, and Mountain Car's own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mococo.envs import registry
from mococo.envs.mountain_car import MOUNTAIN_CAR, draw_starts, observe, step, training_starts
from mococo.envs.registry import find, known_ids, register
from mococo.envs.spec import clip
from mococo.errors import EnvironmentSpecError


def test_a_registered_environment_is_found_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    own = replace(MOUNTAIN_CAR, id="Own-v0")
    with pytest.raises(EnvironmentSpecError, match="unknown environment 'Own-v0'"):
        find("Own-v0")
    register(own)
    assert find("Own-v0") is own
    assert known_ids() == sorted([*registry._COMPILED, "Own-v0"])
    assert find(own) is own
    assert find("MountainCar-v0") is MOUNTAIN_CAR


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"performance_bounds": (-96.0, -200.0)}, r"MountainCar-v0: performance bounds need low < high, got \(-96\.0"),
        ({"performance_bounds": (-96.0, -96.0)}, "performance bounds need low < high"),
        ({"performance_bounds": (-math.inf, -96.0)}, "performance bounds need low < high"),
        ({"performance_bounds": (-200.0, math.nan)}, "performance bounds need low < high"),
        ({"t_max": 0}, "MountainCar-v0: t_max must be at least 1 step, got 0"),
        ({"gamma": -0.1}, r"MountainCar-v0: the discount factor gamma must lie in \[0, 1\], got -0\.1"),
        ({"gamma": 1.1}, r"the discount factor gamma must lie in \[0, 1\], got 1\.1"),
        ({"gamma": math.nan}, r"the discount factor gamma must lie in \[0, 1\], got nan"),
        ({"features": ()}, "MountainCar-v0: at least one feature and one action are needed"),
        ({"actions": ()}, "MountainCar-v0: at least one feature and one action are needed"),
    ],
    ids=str,
)
def test_a_wrong_description_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(EnvironmentSpecError, match=text):
        replace(MOUNTAIN_CAR, **changes)


def test_clip_limits_a_number() -> None:
    assert [clip(x, -1.0, 2.0) for x in (-3.0, -1.0, 0.5, 2.0, 9.0)] == [-1.0, -1.0, 0.5, 2.0, 2.0]


def test_starts_are_states_at_rest() -> None:
    for starts in (training_starts(50), draw_starts(50, 3)):
        assert starts.shape == (50, 2)
        assert starts.dtype == np.float64
        assert ((starts[:, 0] >= -0.6) & (starts[:, 0] <= -0.4)).all()
        assert not starts[:, 1].any()
    assert training_starts(30).tolist() == training_starts(50)[:30].tolist()
    assert draw_starts(50, 3).tolist() == draw_starts(50, 3).tolist() != draw_starts(50, 4).tolist()


def test_starts_do_not_touch_numpys_global_generator() -> None:
    np.random.seed(1)
    before = np.random.get_state()[1].tobytes()  # type: ignore[index, union-attr]
    training_starts(30)
    draw_starts(30, 0)
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index, union-attr]


def test_the_left_wall_is_inelastic_and_the_goal_must_be_reached_moving_right() -> None:
    assert step((-1.19, -0.07), 0.0) == ((-1.2, 0.0), -1.0, False)
    (position, velocity), reward, done = step((0.49, 0.05), 2.0)
    assert (position > 0.5, velocity > 0, reward, done) == (True, True, -1.0, True)
    assert step((0.59, -0.01), 0.0)[2] is False
    assert observe((0.25, -0.01)) == (0.25, -0.01)
