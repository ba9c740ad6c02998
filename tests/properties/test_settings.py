"""Any TOML is run or refused with the key's path; what is printed can be fed back."""

from __future__ import annotations

import json
import re
import string
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mococo
from mococo import Config
from mococo.cli.config import toml_text
from mococo.cli.parsing import parse
from mococo.cli.settings import given_settings, resolved, settings_text, with_settings
from mococo.cli.train import Train
from mococo.config import make_config
from mococo.envs.registry import find
from mococo.errors import ConfigError, MococoError, shown

ENV = find("MountainCar-v0")
NAMES = Config.__struct_fields__
TINY = {"num_gens": 2, "db_pop_size": 6, "rb_pop_size": 8, "eta": 2}

scalars = st.one_of(
    st.integers(-3, 20).map(str),
    st.floats(-1, 3).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["inf", "-inf", "nan", "1e400", "-0.0", "1e-320", "0x" + "f" * 5000, "1" * 400, "1" * 5000, "0b101", "1_000"]
    ),
    st.sampled_from(["true", "false", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z"]),
    st.sampled_from(['"2x2"', '"2x2,3x3"', '"2x2x2"', '"worst"', '"counted"', '""', '"0x0"', '"17x2"', "'\\'"]),
    st.text(string.printable, max_size=8).map(json.dumps),
)
tags = st.lists(st.integers(0, 6), min_size=1, max_size=3).map(repr)
values = st.recursive(
    scalars | tags,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.tuples(st.sampled_from(["a", "beta"]), inner).map(lambda pair: f"{{{pair[0]} = {pair[1]}}}")
    ),
    max_leaves=4,
)
keys = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(["num_gen", "seed", "env", "beta.x", "a.b", '""', '"a\\nb"', '"ß"', "[beta]\nx"]),
)
tables = st.lists(st.tuples(keys, values), max_size=3).map(lambda pairs: "\n".join(f"{k} = {v}" for k, v in pairs))
likely = st.tuples(st.sampled_from(NAMES), scalars | tags).map(lambda pair: f"{pair[0]} = {pair[1]}")


def answer(text: str) -> Config | str:
    """The settings of a file with this text, or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.toml")
        path.write_text(text, encoding="utf-8")
        try:
            return resolved(ENV, path, {})
        except MococoError as error:
            return str(error).replace(str(path), "s.toml")


@settings(max_examples=200)
@example("subspecies = [[2, 2], [3, 99]]")
@example("min_complexity = 5\nsubspecies = '2x2'")
@example("num_gens = 0x" + "f" * 5000)
@example("num_gens = [0x" + "f" * 5000 + "]")
@example("beta = " + "1" * 5000)
@example("db_mut_sigma = -0.0")
@example("db_mut_sigma = 1.7e308")
@example("beta = 1.7e308")
@example("omega = 5e-324")
@example("omega = 0.9999999999999999")
@example("beta = " + "[" * 5000)
@given(st.one_of(tables, likely, likely, st.text(max_size=20)))
def test_any_file_is_run_or_refused_with_the_keys_path(text: str) -> None:
    config = answer(text)
    if isinstance(config, Config):
        assert answer(toml_text(config, "Settings.", ENV.id)) == config
        fits = all(getattr(config, name) <= most for name, most in {**TINY, "eta": 10}.items())
        result = mococo.train(ENV, config=config, threads=1, **({} if fits else TINY))
        assert len(result.history) == result.config.num_gens
        return
    assert config.startswith("s.toml: ")
    assert config.isprintable()  # on one line
    assert len(config) < 600
    if not config.startswith("s.toml: not valid TOML ("):
        assert any(shown(key).strip("'") in config for key in tomllib.loads(text)), config


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("subspecies = [[2, 2], [3, 99]]", r"subspecies\[1\]: a feature has between 2 and 16 fuzzy sets"),
        ("[beta]\nx = 1", r"beta must be a number, got \{'x': 1\}"),
        ("algorithm.beta = 1", "unknown setting 'algorithm'"),
        ("wandb = 'mine'", "'wandb' is not a setting of the algorithm; give it on the command line"),
    ],
)
def test_the_path_of_a_wrong_value(text: str, path: str) -> None:
    assert re.match(f"s.toml: {path}", str(answer(text)))


sets = st.integers(1, 16)
probabilities = st.floats(0, 1)


@st.composite
def configs(draw: st.DrawFn) -> Config:
    pairs = st.tuples(sets, sets).filter(lambda tag: tag[0] * tag[1] >= 2)
    reals = {name: draw(probabilities) for name in ("rb_p_unspec", "db_p_cross", "rb_p_cross", "rb_p_mut")}
    return Config(
        subspecies=tuple(draw(st.lists(pairs, min_size=1, max_size=4, unique=True))),
        num_gens=draw(st.integers(1, 10**6)),
        db_pop_size=2 * draw(st.integers(1, 5 * 10**6)),
        rb_pop_size=2 * draw(st.integers(1, 5 * 10**6)),
        beta=draw(st.floats(1, allow_infinity=False)),
        omega=draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
        db_mut_sigma=draw(st.floats(0, allow_infinity=False)),
        eta=draw(st.integers(1, 10**7)),
        min_complexity=draw(st.sampled_from([0, 1, 2])),
        failed=draw(st.sampled_from(["counted", "worst"])),
        **reals,
    )


@settings(max_examples=50)
@given(configs())
def test_settings_that_are_printed_can_be_fed_back(config: Config) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.toml")
        path.write_text(toml_text(config, "Settings.", ENV.id))
        assert resolved(ENV, path, {}) == config


@settings(max_examples=30)
@given(configs())
def test_settings_as_words_are_the_same_settings(config: Config) -> None:
    """So the commands that train many seeds are given them."""
    args = parse(with_settings(Train), "train", [ENV.id, *(f"--{setting}" for setting in settings_text(config))])
    assert make_config(given_settings(args)) == config


def test_a_files_fault_is_told_apart_from_the_command_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("min_complexity = 5\nsubspecies = '2x2'\n")
    with pytest.raises(ConfigError, match=r"^.*s\.toml: a rule base needs room for 5 specified alleles"):
        resolved(ENV, path, {})
    assert resolved(ENV, path, {"subspecies": "3x3"}).min_complexity == 5  # the command line mends it
    path.write_text("min_complexity = 4\nsubspecies = '2x2'\n")
    with pytest.raises(ConfigError, match=r"^a rule base needs room for 6 specified alleles"):
        resolved(ENV, path, {"min_complexity": 6})
