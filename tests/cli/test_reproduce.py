"""`mococo reproduce gecco21`: the folder, going on, and what is refused. The verdicts have tests of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

import mococo as package
from mococo.config import Config
from mococo.runs import lock
from mococo.runs.reading import read_run
from tests.cli.conftest import COMMAND, Run, environment, wait_until

FIGURES = ("attainment", "convergence", "front", "map", "sets", "timeline")


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of one of the thirty runs, and what was printed."""
    path = tmp_path_factory.mktemp("study") / "gecco21"
    words = [COMMAND, "reproduce", "gecco21", "--seeds", "1", "-o", path]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment())
    assert done.stderr.splitlines() == ["Seed 0 done", "Drawing figures ..."]
    return path, done.stdout


def test_all_is_in_one_folder(reproduced: tuple[Path, str]) -> None:
    path, told = reproduced
    names = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    ours = {name for name in names if not name.startswith("runs/")}
    assert ours == {
        *(f"figures/{name}.{kind}" for name in FIGURES for kind in ("png", "pdf", "svg")),
        *(f"data/{name}.csv" for name in ("front", "archive", "generations", "complexities")),
        "best/policy.json", "best/rules.txt", "best/rules.tex", "README.md", "settings.toml", "verdict.json",
        "versions.json", "explorer.html",
    }  # fmt: skip
    run = read_run(path / "runs" / "seed-0")
    assert (run.config, run.complete) == (Config(), True)
    verdict = json.loads((path / "verdict.json").read_text())
    assert verdict["best"]["performance"] == max(member.performance for member in run.front)
    assert verdict["seeds"] == [0]
    assert len(verdict["claims"]) == 9
    for claim in verdict["claims"]:
        assert f"Found: {claim['found']}." in " ".join(told.split())
    policy = package.load(path / "best" / "policy.json")
    assert [rule.text for rule in policy.rules] == verdict["best"]["rules"]
    assert all(rule.text in (path / "README.md").read_text() for rule in policy.rules)
    settings = tomllib.loads((path / "settings.toml").read_text())
    assert settings["db_pop_size"] == 300
    versions = json.loads((path / "versions.json").read_text())
    assert {"mococo", "python", "platform", "cores", "matplotlib"} <= set(versions)
    assert f"Saved in {path}; begin with {path}/README.md" in told


def test_what_is_done_is_not_done_again(reproduced: tuple[Path, str], mococo: Run) -> None:
    path, told = reproduced
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.rglob("*") if file.is_file()}
    answer = mococo("reproduce", "gecco21", "--seeds", 1, "-o", path)
    assert (answer.code, answer.out) == (0, told)
    assert answer.err.splitlines() == ["1 of 1 seeds are done already.", "Drawing figures ..."]
    for file, (content, when) in before.items():
        assert file.read_bytes() == content, file
        if "seed-0" in file.parts:
            assert file.stat().st_mtime_ns == when, file


def test_stopped_it_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "gecco21"
    words = [COMMAND, "reproduce", "gecco21", "-o", path, "--threads", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stderr=pipe, stdout=pipe, text=True, env=environment()) as process:
        wait_until(lambda: any(path.glob("runs/seed-*/events.jsonl")))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "of 30 seeds done; to go on: mococo reproduce gecco21 -o" in err.splitlines()[-1]
    assert not (path / "README.md").exists()


def test_what_is_refused(mococo: Run) -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").touch()
    Path("file").touch()
    for words, message in [
        (["gecco12"], "unknown study 'gecco12'. Did you mean gecco21?"),
        (["gecco21", "--seeds", "31"], "--seeds must be between 1 and 30, got 31"),
        (["gecco21", "--seeds", "0"], "--seeds must be between 1 and 30, got 0"),
        (["gecco21", "-o", "mine"], "mine is not empty and does not hold a reproduction; name another folder with -o"),
        (["gecco21", "-o", "file"], "file is a file, but a reproduction needs a folder; name another with -o"),
    ]:
        answer = mococo("reproduce", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
    with lock.locked(Path("busy/runs")):
        assert "busy/runs is in use by pid" in mococo("reproduce", "gecco21", "-o", "busy").err
