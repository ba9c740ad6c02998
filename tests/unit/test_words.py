"""Names of fuzzy sets, hints for misspelt names, and lists as one says them."""

from __future__ import annotations

import pytest

from mococo.errors import nearest
from mococo.words import set_names, spoken_list

ENDS = [("Low", "High"), ("Left", "Right"), ("Cold", "Hot")]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("m", range(2, 17))
def test_the_sets_of_a_feature_have_different_names(m: int, ends: tuple[str, str]) -> None:
    names = set_names(m, ends)
    assert len(names) == m
    assert len(set(names)) == m
    assert all(name == name.strip() and name for name in names)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("m", range(2, 17))
def test_names_mirror_each_other_from_the_two_ends(m: int, ends: tuple[str, str]) -> None:
    names = set_names(m, ends)
    mirrored = [name.replace(ends[1], ends[0]) for name in reversed(names)]
    for j in range(m // 2):
        assert ends[0] in names[j]
        assert ends[1] in names[m - 1 - j]
        assert mirrored[j] == names[j]


def test_names_fit_the_number_of_sets() -> None:
    assert set_names(2) == ("Low", "High")
    assert set_names(3) == ("Low", "Medium", "High")
    assert set_names(4) == ("Very Low", "Low", "High", "Very High")
    assert set_names(5) == ("Very Low", "Low", "Medium", "High", "Very High")
    assert set_names(2, ("Left", "Right")) == ("Left", "Right")
    assert set_names(3, ("Left", "Right")) == ("Left", "Middle", "Right")
    assert set_names(4, ("Left", "Right")) == ("Far Left", "Left", "Right", "Far Right")


def test_alternatives_are_listed_as_one_says_them() -> None:
    assert spoken_list(["Left"]) == "Left"
    assert spoken_list(["Left", "Right"]) == "Left or Right"
    assert spoken_list(["Far Left", "Left", "Far Right"]) == "Far Left, Left or Far Right"


def test_a_hint_names_the_nearest_or_all() -> None:
    assert nearest("MountainCar", ["MountainCar-v0", "CartPole-v1"]) == "Did you mean MountainCar-v0?"
    assert nearest("mountaincar-v0", ["MountainCar-v0", "CartPole-v1"]) == "Did you mean MountainCar-v0?"
    assert nearest("BETA", ["beta", "eta"]) == "Did you mean beta?"
    assert nearest("xyz", ["beta", "alpha"]) == "Known: alpha, beta."
