"""docs/run_format.md tells of every file and every field that is written, and of the versions that are read."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from mococo import policy_json
from mococo.population import Population
from mococo.runs import checkpoint, experiment, records
from mococo.stops import Stops
from mococo.training import Record

PAGE = (Path(__file__).parents[2] / "docs" / "run_format.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

RECORDS = [
    ("`config.json`", records.RunRecord.__struct_fields__),
    ("`config.json`", Stops.__struct_fields__),
    ("`events.jsonl`", tuple(field.name for field in fields(Record))),
    ("`archive.json`, `front.json`", records.FrontRecord.__struct_fields__),
    ("`archive.json`, `front.json`", records.MemberRecord.__struct_fields__),
    ("`policies/complexity-NN.json`", policy_json.PolicyRecord.__struct_fields__),
    ("`policies/complexity-NN.json`", policy_json.FeatureRecord.__struct_fields__),
    ("`policies/complexity-NN.json`", policy_json.ActionRecord.__struct_fields__),
    ("`experiment.json`", experiment.ExperimentRecord.__struct_fields__),
]


@pytest.mark.parametrize(("title", "names"), RECORDS)
def test_every_field_is_told(title: str, names: tuple[str, ...]) -> None:
    assert [name for name in names if f"`{name}`" not in SECTIONS[title]] == []


@pytest.mark.parametrize(
    ("name", "version"),
    [
        (records.RUN_FORMAT, records.RUN_VERSION),
        (records.FRONT_FORMAT, records.FRONT_VERSION),
        (policy_json.FORMAT, policy_json.VERSION),
        (experiment.FORMAT, experiment.VERSION),
        ("checkpoint.npz", checkpoint.VERSION),
    ],
)
def test_the_versions_are_those_that_are_read(name: str, version: int) -> None:
    (row,) = (row for row in SECTIONS["Versions"].splitlines() if f"`{name}`" in row)
    assert row.endswith(f"| {version} |")


def test_every_array_of_a_checkpoint_is_told(small_run: Path) -> None:
    section = SECTIONS["`checkpoint.npz`"]
    with np.load(small_run / "checkpoint.npz", allow_pickle=False) as file:
        for name in file.files:
            front = re.sub(r"^(archive|f1)_", "F_", name)
            assert f"`{re.sub(r'^[pq][12]_', 'P_', front)}`" in section
    assert all(f"`P_{field.name}`" in section for field in fields(Population))


def test_every_file_is_told(small_run: Path) -> None:
    for file in small_run.rglob("*"):
        assert re.sub(r"-\d+", "-NN", file.name) in PAGE


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mococo.cli.main import main
    from tests.cli.conftest import train_words

    path = tmp_path_factory.mktemp("small") / "run"
    assert main([*train_words(path, "--num-gens", "1")]) == 0
    return path
