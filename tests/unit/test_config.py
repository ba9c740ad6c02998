"""Settings: the paper's defaults, and one clear error for each that is wrong."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest

import mococo
from mococo import Config
from mococo.config import make_config, parse_subspecies
from mococo.errors import ConfigError, MococoError


def test_the_defaults_are_the_papers_hyperparameters() -> None:
    config = Config()
    assert config.rb_p_unspec == 0.1
    assert config.num_gens == 50
    assert config.db_p_cross == 0.75
    assert config.db_mut_sigma == 0.02
    assert config.rb_p_cross == 0.25
    assert config.rb_p_mut == 0.05
    assert config.eta == 30
    assert config.subspecies == ((2, 2), (3, 3), (4, 4), (5, 5))
    assert config.beta == 1.125
    assert config.db_pop_size == 300
    assert config.rb_pop_size == 600
    assert config.omega == 0.75
    assert config.min_complexity == 0  # the number of actions
    assert config.failed == "counted"


@pytest.mark.parametrize("name", ["db_pop_size", "rb_pop_size"])
@pytest.mark.parametrize(
    ("size", "text"),
    [
        (3, "must be an even number >= 2, because breeding adds children in pairs, got 3; use 2 or 4"),
        (301, "must be an even number >= 2, .* got 301; use 300 or 302"),
        (1, "must be a whole number >= 2, because breeding adds children in pairs, got 1"),
        (0, "must be a whole number >= 2, .* got 0"),
        (-2, "must be a whole number >= 2, .* got -2"),
        (2.0, r"must be a whole number >= 2, .* got 2\.0"),
        ("4", "must be a whole number >= 2, .* got '4'"),
        (True, "must be a whole number >= 2, .* got True"),
        (None, "must be a whole number >= 2, .* got None"),
    ],
)
def test_an_odd_or_tiny_population_is_refused(name: str, size: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} {text}"):
        Config(**{name: size})


@pytest.mark.parametrize("name", ["db_pop_size", "rb_pop_size"])
def test_the_smallest_population_is_two(name: str) -> None:
    assert getattr(Config(**{name: 2}), name) == 2


@pytest.mark.parametrize("beta", [0.999, 0, -1.0, math.nan, math.inf, -math.inf, "2", None, True, [1.0]])
def test_a_beta_below_one_is_refused(beta: Any) -> None:
    with pytest.raises(ConfigError, match=r"beta must be a finite number >= 1 \(1 shares the search equally\), got "):
        Config(beta=beta)


@pytest.mark.parametrize("name", ["rb_p_unspec", "db_p_cross", "rb_p_cross", "rb_p_mut"])
@pytest.mark.parametrize("p", [-0.001, 1.001, 25, math.nan, math.inf, "0.5", None, True])
def test_a_probability_outside_zero_to_one_is_refused(name: str, p: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be a probability between 0 and 1, got "):
        Config(**{name: p})


@pytest.mark.parametrize("name", ["rb_p_unspec", "db_p_cross", "rb_p_cross", "rb_p_mut"])
@pytest.mark.parametrize("p", [0, 0.0, 1, 1.0])
def test_the_ends_of_zero_to_one_are_probabilities(name: str, p: float) -> None:
    assert getattr(Config(**{name: p}), name) == p


@pytest.mark.parametrize("omega", [0, 1, 0.0, 1.0, -0.5, 1.5, math.nan, "0.5", None])
def test_omega_lies_strictly_between_zero_and_one(omega: Any) -> None:
    with pytest.raises(
        ConfigError, match="omega must lie strictly between 0 and 1, so that neighbouring sets stay apart"
    ):
        Config(omega=omega)


@pytest.mark.parametrize("sigma", [-0.1, math.nan, math.inf, "0.02", None])
def test_a_standard_deviation_is_not_negative(sigma: Any) -> None:
    with pytest.raises(ConfigError, match="db_mut_sigma must be a finite standard deviation >= 0, got "):
        Config(db_mut_sigma=sigma)


@pytest.mark.parametrize(
    ("name", "why"),
    [("num_gens", "generation 0 is always evaluated"), ("eta", "a performance is a mean over start states")],
)
@pytest.mark.parametrize("value", [0, -1, 2.5, "3", None, True])
def test_counts_are_at_least_one(name: str, why: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be a whole number >= 1, because {why}, got "):
        Config(**{name: value})


@pytest.mark.parametrize(
    ("subspecies", "text"),
    [
        ((), r"subspecies must be a non-empty list of tags such as \(2, 2\), got \(\)"),
        (None, "subspecies must be a non-empty list of tags"),
        ("2x2", "subspecies must be a non-empty list of tags"),
        ([2, 2], r"a subspecies tag must be a list of set counts such as \(2, 2\), got 2"),
        (["22"], "a subspecies tag must be a list of set counts .* got '22'"),
        ([()], r"a subspecies tag must be a list of set counts .* got \(\)"),
        ([(1, 1)], r"a subspecies must look at one feature at least, got \(1, 1\)"),
        ([(2, 17)], r"a feature has between 2 and 16 fuzzy sets, .* got 17 in subspecies tag \(2, 17\)"),
        ([(2, 0)], "a feature has between 2 and 16 fuzzy sets, .* got 0"),
        ([(2, -3)], "a feature has between 2 and 16 fuzzy sets, .* got -3"),
        ([(2, 2.0)], r"a feature has between 2 and 16 fuzzy sets, .* got 2\.0"),
        ([(2, True)], "a feature has between 2 and 16 fuzzy sets, .* got True"),
        ([(2, None)], "a feature has between 2 and 16 fuzzy sets, .* got None"),
        ([(2, (2,))], r"a feature has between 2 and 16 fuzzy sets, .* got \(2,\)"),
        ([(2, 2), (3, 3, 3)], "all subspecies tags must have the same number of features"),
        ([(2, 2), (3, 3), (2, 2)], "subspecies 2x2 is listed twice"),
        ([(16, 16, 16, 16, 16)], "subspecies 16x16x16x16x16 has 1048576 genes, more than 65536"),
    ],
)
def test_wrong_tags_are_refused(subspecies: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        Config(subspecies=subspecies)


def test_tags_may_be_lists_as_toml_gives_them() -> None:
    assert Config(subspecies=[[2, 2], [3, 4]]).subspecies == ((2, 2), (3, 4))


@pytest.mark.parametrize(
    ("text", "tags"),
    [("2x2", ((2, 2),)), ("2x2,3x3", ((2, 2), (3, 3))), (" 2 x 3 , 10x2 ", ((2, 3), (10, 2))), ("4", ((4,),))],
)
def test_subspecies_can_be_written_as_one_text(text: str, tags: tuple[tuple[int, ...], ...]) -> None:
    assert parse_subspecies(text) == tags
    assert make_config({"subspecies": text}).subspecies == tags


@pytest.mark.parametrize("text", ["", "2x2,", "2x", "x2", "2x2;3x3", "(2, 2)", "two", "2x-2", "2.5x2"])
def test_subspecies_written_otherwise_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"subspecies must be written like 2x2,3x3 \(sets of each feature\), got "):
        parse_subspecies(text)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("num_gen", "num_gens"),
        ("NUM_GENS", "num_gens"),
        ("numgens", "num_gens"),
        ("bta", "beta"),
        ("dbpopsize", "db_pop_size"),
        ("rb_pmut", "rb_p_mut"),
        ("sub_species", "subspecies"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest_name(wrong: str, right: str) -> None:
    with pytest.raises(ConfigError, match=f"unknown setting '{wrong}'. Did you mean {right}?"):
        mococo.train("MountainCar-v0", **{wrong: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["best", "Worst", None, 1, True])
def test_failed_is_one_of_two_words(value: Any) -> None:
    with pytest.raises(ConfigError, match="failed must be counted or worst, got "):
        Config(failed=value)


@pytest.mark.parametrize("value", [-1, 1.5, "2", None, True])
def test_a_wrong_least_complexity_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"min_complexity must be a whole number >= 0, .* got "):
        Config(min_complexity=value)


def test_subspecies_must_have_room_for_the_least_complexity() -> None:
    with pytest.raises(
        ConfigError, match=r"room for 5 specified alleles \(min_complexity\), but subspecies 2x2 has only 4"
    ):
        mococo.train("MountainCar-v0", min_complexity=5)


def test_an_unknown_setting_like_no_other_is_refused_with_all_names() -> None:
    with pytest.raises(ConfigError, match=r"unknown setting 'zzzzzz'. Known: beta, db_mut_sigma, .*subspecies\."):
        make_config({"zzzzzz": 1})


def test_config_itself_names_the_nearest_setting_too() -> None:
    with pytest.raises(MococoError, match=r"Did you mean num_gens\?"):
        Config(num_gen=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("num_gens", "3", "num_gens must be a whole number, got '3'"),
        ("num_gens", True, "num_gens must be a whole number, got True"),
        ("num_gens", None, "num_gens must be a whole number, got None"),
        ("beta", "1.5", "beta must be a number, got '1.5'"),
        ("beta", [1.5], r"beta must be a number, got \[1\.5\]"),
        ("num_gens", 2.5, r"num_gens must be a whole number >= 1, .* got 2\.5"),
        ("num_gens", math.nan, "num_gens must be a whole number >= 1, .* got nan"),
        ("eta", math.inf, "eta must be a whole number >= 1, .* got inf"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(name: str, value: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        make_config({name: value})


@pytest.mark.parametrize("name", ["beta", "db_mut_sigma", "rb_p_mut", "omega"])
def test_a_number_too_large_for_a_float_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} must"):
        make_config({name: 10**400})


@pytest.mark.parametrize(
    "call", [lambda: Config(beta=10**400), lambda: Config(omega=10**400), lambda: make_config({"db_pop_size": 10**400})]
)
def test_a_number_too_large_for_anything_is_refused(call: Any) -> None:
    with pytest.raises(ConfigError, match=r"^\w+ must .*, got a number of 1329 bits$"):
        call()


def test_settings_equal_in_value_are_equal_in_text() -> None:
    assert msgspec.json.encode(Config(beta=2, rb_p_mut=1)) == msgspec.json.encode(Config(beta=2.0, rb_p_mut=1.0))


def test_whole_floats_stand_for_integers_and_integers_for_floats() -> None:
    config = make_config({"num_gens": 3.0, "beta": 2, "db_p_cross": 1})
    assert (config.num_gens, config.beta, config.db_p_cross) == (3, 2.0, 1.0)
    assert type(config.num_gens) is int
    assert type(config.beta) is float


def test_numpys_numbers_are_numbers() -> None:
    """A sweep hands over what `numpy.arange` and `linspace` give."""
    given = {"num_gens": np.int64(3), "beta": np.float32(1.5), "subspecies": [(np.int64(2), 2)]}
    for config in (make_config(given), Config(**given)):
        assert config == Config(num_gens=3, beta=1.5, subspecies=((2, 2),))
        assert type(config.num_gens) is int
        assert type(config.beta) is float
        assert type(config.subspecies[0][0]) is int
    with pytest.raises(ConfigError, match=r"num_gens must be a whole number, got np\.True_"):
        make_config({"num_gens": np.True_})


def test_settings_by_name_go_over_a_config() -> None:
    base = Config(num_gens=7, beta=2.0)
    assert make_config({"beta": 3.0}, base) == Config(num_gens=7, beta=3.0)
    assert make_config({}, base) == base


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Config().num_gens = 3  # type: ignore[misc]


def test_subspecies_must_fit_the_environments_features() -> None:
    with pytest.raises(
        ConfigError, match="a subspecies tag needs one number of sets for each of the 2 features, got 2x2x2 with 3"
    ):
        mococo.train("MountainCar-v0", subspecies="2x2x2")


def test_subspecies_must_have_room_for_one_rule_per_action() -> None:
    with pytest.raises(
        ConfigError,
        match=r"room for 5 specified alleles \(one rule per action\), but subspecies 2x2 has only 4 fuzzy subspaces",
    ):
        Config(subspecies=[(3, 3), (2, 2)]).check_for(n_features=2, n_actions=5)
    Config(subspecies=[(3, 3), (2, 2)]).check_for(n_features=2, n_actions=4)
