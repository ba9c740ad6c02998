"""`mococo train --seeds`: every seed once, what failed is told, and a table over all."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mococo.cli.main import main
from mococo.cli.team import Team
from mococo.runs import lock
from mococo.runs.experiment import look, read_experiment, summary
from mococo.runs.reading import read_run
from tests.cli.conftest import COMMAND, SMALL, Run, begun, contents, environment, wait_until

CAR = ("train", "MountainCar-v0")


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("seeds") / "three"
    assert main([*CAR, *SMALL, "--seeds", "3", "-o", str(path), "--quiet"]) == 0
    return path


def test_each_seed_is_the_run_that_it_would_be_alone(mococo: Run, three: Path) -> None:
    assert sorted(path.name for path in three.iterdir()) == ["experiment.json", "seed-0", "seed-1", "seed-2"]
    assert read_experiment(three).seeds == [0, 1, 2]
    for seed in range(3):
        assert mococo(*CAR, *SMALL, "--seed", seed, "-o", f"{seed}", "--quiet").code == 0
        assert contents(three / f"seed-{seed}") == contents(Path(f"{seed}"))


def test_what_is_done_is_not_done_again_and_seeds_may_be_added(mococo: Run, three: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in three.rglob("*.json")}
    answer = mococo(*CAR, *SMALL, "--seeds", "4", "-o", three)
    assert answer.code == 0
    assert answer.err.splitlines() == ["3 of 4 seeds are done already.", "Seed 3 done"]
    assert read_experiment(three).seeds == [0, 1, 2, 3]
    assert all(path.stat().st_mtime_ns == time_ns for path, time_ns in before.items() if path.name != "experiment.json")
    assert "Archives of 4 of 4 seeds" in answer.out
    assert mococo("show", three).out == answer.out
    assert mococo("resume", three).out == answer.out


def test_the_table_tells_the_quartiles_of_all_archives(three: Path) -> None:
    runs = look(three, read_experiment(three)).done
    for row in summary(runs):
        found = [m.performance for run in runs.values() for m in run.archive if m.complexity == row.complexity]
        assert row.seeds == len(found)
        assert row.quartiles == tuple(np.percentile(found, [25, 50, 75]))
        assert row.best == max(found)


def test_an_interrupted_seed_is_resumed_and_a_broken_one_is_listed(mococo: Run, three: Path) -> None:
    shutil.copytree(three, "again")
    for name in ("archive.json", "front.json"):
        Path("again/seed-0", name).unlink()
    Path("again/seed-1/config.json").write_text("{")
    answer = mococo("resume", "again")
    assert answer.code == 2
    assert re.match(r"\d of \d seeds are done already\.\nSeed 0 done\nmococo: seed 1 failed", answer.err)
    assert "mococo: seed 1 failed (again/seed-1/config.json: expected JSON as Mococo writes it" in answer.err
    assert "; what there is of it is kept\n" in answer.err
    assert Path("again/seed-1/config.json").read_text() == "{"
    assert contents(Path("again/seed-0")) == contents(three / "seed-0")


def test_a_run_that_is_not_the_seeds_own_is_not_counted(mococo: Run, three: Path) -> None:
    shutil.copytree(three, "mixed")
    shutil.rmtree("mixed/seed-0")
    assert mococo(*CAR, *SMALL, "--seed", "0", "--beta", "2", "-o", "mixed/seed-0", "--quiet").code == 0
    for answer in (mococo("show", "mixed"), mococo("resume", "mixed")):
        assert answer.code == 2
        assert "seed 0 failed (mixed/seed-0 holds another run than its place in the experiment says" in answer.err


def test_a_process_that_dies_is_told_and_another_goes_on(tmp_path: Path) -> None:
    told: list[int] = []
    small = ["train", "MountainCar-v0", *SMALL, "--threads", "1", "--json", "--quiet"]
    commands = {seed: [*small, "--seed", str(seed), "-o", str(tmp_path / f"{seed}")] for seed in range(4)}
    commands[1] = ["--kill-me"]
    commands[2] = ["--fault"]
    team = Team(commands, lambda: told.append(1), start=DIES)
    assert sorted(seed for seed in team.work(1) if seed is not None) == [0, 1, 2, 3]
    assert set(team.failed) == {1, 2}
    assert team.failed[1] == "its process was killed by signal SIGKILL: the last words"
    assert team.failed[2].startswith("Traceback (most recent call last):\n")
    assert team.failed[2].endswith("ZeroDivisionError: a fault")
    assert len(told) == 2 * 4
    assert all(read_run(tmp_path / f"{seed}").complete for seed in (0, 3))


DIES = """
import os, signal, sys
from mococo.cli import team
def main(words, real=team.main):
    if words == ["--kill-me"]:
        os.write(2, b"the last words\\n")
        os.kill(os.getpid(), signal.SIGKILL)
    if words == ["--fault"]:
        raise ZeroDivisionError("a fault")
    return real(words)
team.main = main
team.serve()
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--beta", "2"], "holds an experiment with beta 1.125; give those again to go on with it"),
        (["--patience", "3"], "holds an experiment with other limits"),
        (["--seeds", "0"], "--seeds must be between 1 and 100,000, got 0"),
        (["--overwrite"], "not with --overwrite or --json"),
        (["--json"], "not with --overwrite or --json"),
    ],
)
def test_what_does_not_fit_is_refused(mococo: Run, three: Path, words: list[str], message: str) -> None:
    answer = mococo(*CAR, *SMALL, "--seeds", "3", "-o", three, *words)
    assert answer.code == 2
    assert message in answer.err


def test_other_folders_are_left_alone(mococo: Run, three: Path) -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    assert "mine is not empty and does not hold an experiment" in mococo(*CAR, "--seeds", "2", "-o", "mine").err
    with lock.locked(three):
        assert "in use by pid" in mococo(*CAR, *SMALL, "--seeds", "3", "-o", three).err
    assert mococo("resume", three, "--num-gens", "9").code == 2


def test_stopped_with_a_signal_all_seeds_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "seeds"
    process = subprocess.Popen(
        [COMMAND, *CAR, *SMALL, "--num-gens", "1000000", "--seeds", "2", "-o", path],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    try:
        wait_until(lambda: any(map(begun, path.glob("seed-*"))))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.endswith(f"mococo: stopped with 0 of 2 seeds done; to go on: mococo resume {path}\n")
    runs = [read_run(folder) for folder in path.glob("seed-*") if (folder / "config.json").exists()]
    assert runs
    assert all(run.ended == "interrupted" for run in runs if run.finished)
    assert any(run.finished for run in runs)


def test_experiment_json_is_checked(mococo: Run, three: Path) -> None:
    shutil.copytree(three, "broken")
    data = json.loads(Path("broken/experiment.json").read_text())
    for change in ({"version": 9}, {"seeds": [-1]}, {"seeds": "x"}, {"format": "x"}):
        Path("broken/experiment.json").write_text(json.dumps(data | change))
        for command in ("show", "resume"):
            assert mococo(command, "broken").code == 2
