"""Policies in files: exact, readable, and every way to break one is one clear error."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import mococo
from mococo import Policy
from mococo.envs.spec import Action, Feature
from mococo.errors import FileFormatError, MococoError
from tests.properties.strategies import System, systems


def example() -> Policy:
    return Policy.from_genotypes(
        (4, 2),
        [0.1, 1 / 3, 0.123456789012345678, 1.0, 0.0, 5e-324],
        [1, 2, 1, 2, 0, 2, 1, 1],
        [Feature("position", -1.2, 0.5, ("Left", "Right")), Feature("velocity", -0.07, 0.07)],
        [Action(0, "push left"), Action(2, "push right")],
        0.6,
    )


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "policy.json"
    example().save(path)
    return path


# ---------------------------------------------------------------- good files


def test_what_is_loaded_is_what_was_saved(saved: Path) -> None:
    assert mococo.load(saved) == example()
    assert mococo.load(str(saved)) == example()


def test_saving_what_was_loaded_gives_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    mococo.load(saved).save(str(again))
    assert again.read_bytes() == saved.read_bytes()


@given(systems())
def test_any_policy_makes_the_round_trip(tmp_path_factory: pytest.TempPathFactory, system: System) -> None:
    path = tmp_path_factory.getbasetemp() / "round_trip.json"
    system.policy.save(path)
    first = path.read_bytes()
    loaded = mococo.load(path)
    assert loaded == system.policy
    loaded.save(path)
    assert path.read_bytes() == first
    assert [rule.gabil for rule in loaded.rules] == [rule.gabil for rule in system.policy.rules]


@pytest.mark.parametrize(
    "actions", [[0, 2], [0.5, -1.25], ["left", "right"], [-(10**30), 1], ["«ä»", "\n"]], ids=lambda a: repr(a[0])
)
def test_actions_of_any_kind_make_the_round_trip(tmp_path: Path, actions: list[Any]) -> None:
    policy = Policy.from_genotypes((2,), [0.5, 0.5], [1, 2], [("x", 0.0, 1.0)], actions)
    policy.save(tmp_path / "p.json")
    loaded = mococo.load(tmp_path / "p.json")
    assert loaded == policy
    assert [type(a.value) for a in loaded.actions] == [type(a) for a in actions]


def test_the_file_says_what_it_is_and_can_be_read_by_a_person(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8")
    assert text.startswith('{\n  "format": "mococo-policy",\n  "version": 1,\n')
    assert text.endswith("}\n")
    content = json.loads(text)
    assert content["rules"] == [str(rule) for rule in example().rules]
    assert content["rules"][1] == "IF position is Far Right AND velocity is High THEN push left"
    assert content["gabil"] == ["1101|10|1", "0001|01|1", "1110|01|2"]
    assert content["complexity"] == 7
    assert list(content["features"][0]["sets"]) == ["Far Left", "Left", "Right", "Far Right"]
    assert content["actions"] == [{"value": 0, "words": "push left"}, {"value": 2, "words": "push right"}]
    assert content["db"][1] == 1 / 3


def test_save_makes_missing_folders_and_replaces_a_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "policy.json"
    example().save(path)
    path.write_text("something else, and longer than a policy " * 1000)
    example().save(path)
    assert mococo.load(path) == example()
    assert [p.name for p in path.parent.iterdir()] == ["policy.json"]  # no drafts left behind


def test_a_policy_is_not_saved_over_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="is a folder, but a policy is saved in a file; name one in it"):
        example().save(tmp_path)


def test_a_domain_of_whole_numbers_gives_the_same_bytes_too(tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    Policy.from_genotypes((2,), [0.5, 0.5], [1, 2], [("x", 0, 1)], [0, 1]).save(first)
    mococo.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": np.array([0, 2])},
        {"actions": [np.float32(0.5), np.float32(1.0)]},
        {"features": [("x", np.float64(0.0), np.float64(1.0))]},
        {"features": [("x", np.float32(-1.0), np.float32(1.0))]},  # as a Box's low and high
        {"rb": np.array([True, False])},
    ],
    ids=str,
)
def test_numpy_scalars_make_the_round_trip(tmp_path: Path, changes: dict[str, Any]) -> None:
    parts: dict[str, Any] = {"features": [("x", 0.0, 1.0)], "actions": [0, 2], "rb": [1, 2]}
    policy = Policy.from_genotypes((2,), [0.5, 0.5], **{**parts, **changes})
    policy.save(tmp_path / "p.json")
    assert mococo.load(tmp_path / "p.json") == policy


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_an_action_that_cannot_be_saved_is_refused_when_the_policy_is_made_or_saved(tmp_path: Path, value: Any) -> None:
    with pytest.raises(MococoError):
        Policy.from_genotypes((2,), [0.5, 0.5], [1, 2], [("x", 0.0, 1.0)], [value, 1]).save(tmp_path / "p.json")


# ---------------------------------------------------------------- broken files

Edit = Callable[[dict[str, Any]], None]


def edited(path: Path, edit: Edit) -> Path:
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    return path


def setter(*keys: Any, to: Any) -> Edit:
    def edit(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = to

    return edit


def remover(*keys: Any) -> Edit:
    def edit(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return edit


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (setter("format", to="mococo-run"), "expected a mococo-policy file, got 'mococo-run'"),
        (remover("format"), "expected a mococo-policy file, got JSON that does not say what it is"),
        (setter("format", to="x" * 500), "expected a mococo-policy file, got 'x{40}'$"),
        (
            setter("version", to=2),
            "this release reads mococo-policy version 1, the file has version 2; use ",
        ),
        (setter("version", to=0), "this release reads mococo-policy version 1, the file has version 0"),
        (setter("version", to=[1] * 99), "this release reads mococo-policy version 1, the file has version "),
        (remover("version"), "this release reads mococo-policy version 1, the file has version None"),
        (remover("db"), "not a valid mococo-policy file: Object missing required field `db`"),
        (setter("comment", to="mine"), "not a valid mococo-policy file: Object contains unknown field `comment`"),
        (setter("db", to="much"), r"not a valid mococo-policy file: Expected `array`, got `str` - at `\$.db`"),
        (setter("db", 2, to="0.5"), r"not a valid mococo-policy file: Expected `float`, got `str` - at `\$.db\[2?"),
        (setter("db", 2, to=None), "not a valid mococo-policy file: Expected `float`, got `null`"),
        (setter("rb", 0, to=1.5), "not a valid mococo-policy file: Expected `int`, got `float`"),
        (setter("rb", 0, to=True), "not a valid mococo-policy file: Expected `int`, got `bool`"),
        (setter("tag", to=4), "not a valid mococo-policy file: Expected `array`, got `int`"),
        (setter("omega", to=[]), "not a valid mococo-policy file: Expected `float`, got `array`"),
        (setter("features", 0, "low", to="a"), "not a valid mococo-policy file: Expected `float`, got `str`"),
        (setter("features", 0, "ends", to=["a"]), "not a valid mococo-policy file: Expected `array` of length 2"),
        (setter("actions", 0, "value", to=None), "not a valid mococo-policy file: Expected `.*`, got `null`"),
        (setter("tag", to=[2, 2]), "a DB genotype of subspecies 2x2 has 4 alleles, .* got 6"),
        (setter("tag", to=[4, 2, 2]), "the tag needs one number of sets for each of the 2 features"),
        (setter("tag", to=[4, 0]), "a feature has between 2 and 16 fuzzy sets, .* got 0"),
        (setter("tag", to=[10**9, 2]), "a feature has between 2 and 16 fuzzy sets, .* got 1000000000"),
        (setter("tag", to=[10**30, 2]), "a feature has between 2 and 16 fuzzy sets|Integer out of range"),
        (setter("db", 0, to=1.5), r"alleles of a DB genotype lie in \[0, 1\], got 1\.5"),
        (setter("rb", 0, to=3), "alleles of an RB genotype are .* got 3"),
        (setter("rb", 0, to=10**30), "alleles of an RB genotype are .* got 1000|Integer out of range"),
        (setter("omega", to=1.0), r"omega must lie strictly between 0 and 1, got 1\.0"),
        (setter("features", to=[]), "a policy needs at least one feature and one action"),
        (setter("actions", to=[]), "a policy needs at least one feature and one action"),
        (setter("features", 1, "low", to=7.0), "feature 'velocity' needs a finite domain with low < high"),
        (setter("features", 1, "name", to=" "), "a feature needs a name, got ' '"),
        (
            setter("rb", 0, to=2),
            "the rules in `gabil` are not those of the genotypes `db` and `rb`, which ",
        ),
        (setter("gabil", 0, to="1111|10|1"), "the rules in `gabil` are not those of the genotypes"),
        (setter("gabil", to=[]), "the rules in `gabil` are not those of the genotypes"),
    ],
)
def test_an_edited_file_is_one_clear_error(saved: Path, edit: Edit, text: str) -> None:
    with pytest.raises(FileFormatError, match=text) as caught:
        mococo.load(edited(saved, edit))
    assert str(caught.value).startswith(f"{saved}: ")
    assert len(str(caught.value)) < len(str(saved)) + 300


@pytest.mark.parametrize(
    "edit",
    [
        setter("rules", 0, to="IF position is any AND velocity is any THEN push left"),
        setter("rules", to=[]),
        setter("complexity", to=99),
        setter("features", 0, "sets", "Left", to=0.25),
    ],
    ids=["a rule", "all rules", "complexity", "a coordinate"],
)
def test_what_a_person_reads_in_the_file_is_what_the_policy_does(saved: Path, edit: Edit) -> None:
    with pytest.raises(FileFormatError):
        mococo.load(edited(saved, edit))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "expected JSON as Mococo writes it, but the text is damaged"),
        (b"\n\n", "expected JSON as Mococo writes it, but the text is damaged"),
        (b"not json", "expected JSON as Mococo writes it, but the text is damaged"),
        (b"\x80\x04\x95", "expected JSON as Mococo writes it, but the text is damaged"),  # a pickle
        (b"PK\x03\x04", "expected JSON as Mococo writes it, but the text is damaged"),  # an npz
        (b'{"format": "\xff\xfe"}', "expected JSON as Mococo writes it, but the text is damaged"),
        (b'{"format": "mococo-policy", "version": 1', "expected JSON as Mococo writes it, but the text is damaged"),
        (b"[" * 100_000, "expected "),
        (b'{"a":' * 100_000, "expected JSON as Mococo writes it, but the text is damaged"),
        (b'{"format":"mococo-policy","version":1,"x":' + b"[" * 99_999 + b"]" * 99_999 + b"}", "damaged"),
        (b'{"format":"mococo-policy","version":1,"rules":' + b"[" * 99_999 + b"]" * 99_999 + b"}", "damaged|valid"),
        (b"null", "expected a mococo-policy file, (but|got)"),
        (b"[]", "expected a mococo-policy file, (but|got)"),
        (b"3", "expected a mococo-policy file, (but|got)"),
        (b'"mococo-policy"', "expected a mococo-policy file, (but|got)"),
        (b"{}", "expected a mococo-policy file, got JSON that does not say what it is"),
        (b'{"format": "mococo-policy"}', "this release reads mococo-policy version 1, the file has version None"),
        (b'{"format": "mococo-policy", "version": 1}', "not a valid mococo-policy file: Object missing required field"),
    ],
    ids=lambda x: repr(x[:24]) if isinstance(x, bytes) else "",
)
def test_a_file_that_is_not_a_policy_is_one_clear_error(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "policy.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=text):
        mococo.load(path)


def test_a_file_cut_off_anywhere_is_one_clear_error(saved: Path) -> None:
    whole = saved.read_bytes()
    for length in range(0, len(whole) - 2, 37):
        saved.write_bytes(whole[:length])
        with pytest.raises(FileFormatError, match="damaged"):
            mococo.load(saved)


def test_a_file_with_any_byte_changed_is_loaded_or_one_clear_error(saved: Path) -> None:
    whole = bytearray(saved.read_bytes())
    rng = np.random.default_rng(0)
    errors = 0
    for at in rng.integers(0, len(whole), 400):
        broken = whole.copy()
        broken[at] = rng.integers(0, 256)
        saved.write_bytes(broken)
        try:
            mococo.load(saved)
        except FileFormatError:
            errors += 1
    assert errors > 100


@pytest.mark.parametrize(("number", "text"), [("NaN", "damaged"), ("Infinity", "damaged"), ("1e999", "out of range")])
def test_numbers_that_json_does_not_have_are_refused(saved: Path, number: str, text: str) -> None:
    saved.write_text(saved.read_text().replace('"omega": 0.6', f'"omega": {number}'))
    with pytest.raises(FileFormatError, match=text):
        mococo.load(saved)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(17 * 2**20)
    with pytest.raises(FileFormatError, match="larger than 16777216 bytes, so it is not a mococo-policy file"):
        mococo.load(path)


def test_a_missing_file_and_a_folder_are_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.json: cannot be read \(No such file or directory\)"):
        mococo.load(tmp_path / "none.json")
    with pytest.raises(FileFormatError, match=r"cannot be read \(Is a directory\)"):
        mococo.load(tmp_path)
    (tmp_path / "file").write_text("{}")
    with pytest.raises(FileFormatError, match=r"cannot be read \(Not a directory\)"):
        mococo.load(tmp_path / "file" / "policy.json")


def test_every_error_of_a_file_is_a_value_error_and_one_of_ours() -> None:
    assert issubclass(FileFormatError, ValueError)
    assert issubclass(FileFormatError, MococoError)
