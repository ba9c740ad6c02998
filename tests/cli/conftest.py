"""The command as a person uses it: in this process where only its output counts, else as a process of its own."""

from __future__ import annotations

import os
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mococo.cli.main import main

SMALL = ("--num-gens", "4", "--db-pop-size", "20", "--rb-pop-size", "40")
COMMAND = Path(sysconfig.get_path("scripts")) / "mococo"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


Run = Callable[..., Answer]


@pytest.fixture
def mococo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `mococo` with these words, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Answer:
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small finished run, only to be read."""
    path = tmp_path_factory.mktemp("small") / "run"
    assert main(train_words(path)) == 0
    return path


def train_words(path: Path, *more: str, seed: int = 1) -> Sequence[str]:
    return ["train", "MountainCar-v0", *SMALL, "--seed", str(seed), "-o", str(path), "--quiet", *more]


def contents(path: Path) -> dict[str, bytes]:
    """All that must not depend on how often a run was stopped."""
    names = [path / "archive.json", path / "front.json", path / "config.json", *(path / "policies").iterdir()]
    return {str(name.relative_to(path)): name.read_bytes() for name in names}


def begun(path: Path) -> bool:
    """Whether a run has evaluated a generation."""
    events = path / "events.jsonl"
    return events.exists() and events.stat().st_size > 0


def wait_until(happened: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for what another process does, but not for ever."""
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.02)


def environment(**more: str) -> dict[str, str]:
    """For a process whose output must not depend on where the tests run."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return kept | {"PYTHONIOENCODING": "utf-8"} | more
