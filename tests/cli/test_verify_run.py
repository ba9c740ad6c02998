"""`mococo verify-run`: a run is what its seed and settings give, or the place where it is not is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mococo.cli.main import main
from mococo.runs.folder import write_config
from mococo.runs.reading import read_config
from tests.cli.conftest import Run, train_words


@pytest.fixture
def copy(small_run: Path, mococo: Run) -> Path:
    return Path(shutil.copytree(small_run, "run"))


def test_a_run_is_what_it_claims(mococo: Run, small_run: Path) -> None:
    answer = mococo("verify-run", small_run)
    assert answer.code == 0
    assert answer.out == f"{small_run} is what it claims: its seed and settings give what it holds.\n"
    answer = mococo("verify-run", small_run, "--quick")
    assert answer.out == f"{small_run} is what it claims: played again, its policies perform as they claim.\n"
    assert mococo("verify-run", small_run, "--quiet", "--threads", 1).out == ""


def test_a_run_that_was_stopped_and_one_that_went_on_are_too(mococo: Run) -> None:
    assert mococo(*train_words(Path("run"), "--max-evaluations", "200")).code == 0
    assert mococo("verify-run", "run", "--quiet").code == 0
    assert mococo("resume", "run", "--max-evaluations", "none", "--num-gens", "6", "--quiet").code == 0
    assert mococo("verify-run", "run", "--quiet").code == 0


def edited(name: str, change: Callable[[Any], None]) -> Callable[[Path], None]:
    def edit(run: Path) -> None:
        data = json.loads((run / name).read_text())
        change(data)
        (run / name).write_text(json.dumps(data))

    return edit


def other_seed(run: Path) -> None:
    write_config(run, msgspec.structs.replace(read_config(run), seed=2))


def other_event(run: Path) -> None:
    lines = (run / "events.jsonl").read_text().splitlines()
    lines[2] = lines[2].replace('"evaluations":', '"evaluations":1')
    (run / "events.jsonl").write_text("\n".join(lines) + "\n")


def other_state(run: Path) -> None:
    arrays = dict(np.load(run / "checkpoint.npz"))
    arrays["q1_genotype"][0, 0] = 1 - arrays["q1_genotype"][0, 0]
    np.savez(run / "checkpoint.npz", **arrays)


def other_policy(run: Path) -> None:
    one, other = sorted((run / "policies").iterdir())[:2]
    shutil.copy(one, other)


def better(data: Any) -> None:
    data["members"][0]["performance"] += 1


FAULTS: list[tuple[Callable[[Path], None], str, bool]] = [
    (edited("archive.json", better), "archive.json, complexity 3: performance is not what was found again", True),
    (
        edited("front.json", lambda data: data["members"][0].update(fresh_performance=0.0)),
        "front.json, complexity 3: fresh_performance is not what was found again",
        True,
    ),
    (
        edited("archive.json", lambda data: data["members"][0].update(gen=9)),
        "archive.json, complexity 3: gen is not what was found again",
        False,
    ),
    (edited("archive.json", lambda data: data["members"].pop()), "archive.json holds ", False),
    (other_policy, "is not the archive's policy", True),
    (other_seed, "generation 0 in events.jsonl is not what the replay finds", False),
    (other_event, "generation 2 in events.jsonl is not what the replay finds", False),
    (other_state, "checkpoint.npz is not where the replay comes to after 4 generations", False),
    (lambda run: (run / "checkpoint.npz").write_bytes(b"x"), "run/checkpoint.npz: damaged (", False),
    (lambda run: next((run / "policies").iterdir()).unlink(), "cannot be read (No such file or directory)", True),
]


@pytest.mark.parametrize(("change", "message", "seen_quickly"), FAULTS)
def test_what_is_not_true_is_named(
    mococo: Run, copy: Path, change: Callable[[Path], None], message: str, seen_quickly: bool
) -> None:
    change(copy)
    answer = mococo("verify-run", copy)
    assert answer.code == 3
    first, *faults = answer.out.splitlines()
    assert first == "run is not what it claims:"
    assert any(message in fault for fault in faults)
    assert mococo("verify-run", copy, "--quick").code == (3 if seen_quickly else 0)


def test_other_versions_are_told(mococo: Run, copy: Path) -> None:
    record = read_config(copy)
    write_config(copy, msgspec.structs.replace(record, seed=2, versions=record.versions | {"numba": "0.1"}))
    assert "It was made with other versions, which may explain it: numba 0.1, here " in mococo("verify-run", copy).out


def test_a_run_without_policies_is_refused(mococo: Run, copy: Path) -> None:
    (copy / "archive.json").unlink()
    answer = mococo("verify-run", copy)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "mococo: run has not saved policies yet; go on with it: mococo resume run\n"


def test_many_seeds_are_verified_one_by_one(mococo: Run) -> None:
    small = ("train", "MountainCar-v0", "--num-gens", "2", "--db-pop-size", "6", "--rb-pop-size", "8")
    assert main([*small, "--seeds", "2", "-o", "seeds", "--quiet"]) == 0
    assert mococo("verify-run", "seeds").out.endswith("2 of 2 seeds verified.\n")
    edited("archive.json", better)(Path("seeds/seed-1"))
    answer = mococo("verify-run", "seeds", "--quick")
    assert answer.code == 3
    assert "seeds/seed-0 is what it claims" in answer.out
    assert "seeds/seed-1 is not what it claims:" in answer.out
    assert answer.out.endswith("1 of 2 seeds verified.\n")
