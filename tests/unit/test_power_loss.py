"""A power failure at any moment: whatever the disk may hold then, the run goes on to the same bytes.

The run is watched while it writes. What was synced is on the disk; of the rest, each name and each file's text may or
may not have got there, in any order. Such disks are built and resumed.
"""

from __future__ import annotations

import os
import random
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mococo.config import Config
from mococo.envs.registry import find
from mococo.errors import FileFormatError
from mococo.runs import lock, session
from mococo.runs.folder import create
from mococo.runs.session import Session, reopen
from mococo.stops import Stops

CONFIG = Config(num_gens=4, db_pop_size=6, rb_pop_size=8)
STATES = 60
FINISHED = CONFIG.num_gens + 1


@dataclass
class Disk:
    """What is sure to be on the disk below a folder, by inode, and what might be."""

    top: Path
    promised: int = 0
    """Generations that must not be lost."""
    names: dict[int, dict[str, int]] = field(default_factory=dict)
    """Synced folders: name to inode."""
    texts: dict[int, bytes] = field(default_factory=dict)
    """Synced files."""
    moments: list[tuple[Any, ...]] = field(default_factory=list)

    def look(self) -> None:
        """Remember this moment."""
        names: dict[int, dict[str, int]] = {}
        texts: dict[int, bytes] = {}
        for folder in (self.top, *(path for path in self.top.rglob("*") if path.is_dir())):
            entries = {path.name: path.stat().st_ino for path in folder.iterdir()}
            names[folder.stat().st_ino] = entries
            texts |= {path.stat().st_ino: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        self.moments.append((self.promised, names, texts, dict(self.names), dict(self.texts)))

    def synced(self, handle: int) -> None:
        found = os.fstat(handle)
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if not path.is_relative_to(self.top):
            return
        if stat.S_ISDIR(found.st_mode):
            self.names[found.st_ino] = {entry.name: entry.stat().st_ino for entry in path.iterdir()}
        else:
            self.texts[found.st_ino] = path.read_bytes()

    def after_failure(self, rng: random.Random, into: Path) -> int:
        """Build a disk as it may be after a failure at one of the moments. What must not be lost."""
        promised, names, texts, sure_names, sure_texts = rng.choice(self.moments)
        carelessness = rng.choice((0.0, 0.2, 0.5, 1.0))  # how much of what was not synced has got there

        def build(inode: int, path: Path) -> None:
            path.mkdir()
            new, old = names.get(inode, {}), sure_names.get(inode, {})
            for name in sorted({*new, *old}):
                child = new.get(name) if rng.random() < carelessness else old.get(name)
                if child is None:
                    continue
                if child in names or child in sure_names:
                    build(child, path / name)
                    continue
                text, sure = texts.get(child, sure_texts.get(child, b"")), sure_texts.get(child, b"")
                torn = text[: rng.randrange(len(sure), len(text) + 1)] if len(text) > len(sure) else sure
                (path / name).write_bytes(torn if rng.random() < carelessness else sure)

        build(self.top.stat().st_ino, into)
        return int(promised)


@contextmanager
def watched(top: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk, fsync = Disk(top), os.fsync
    active = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal active
        if active and event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            active = False  # looking raises events too
            disk.look()
            active = True

    def synced(handle: int) -> None:
        disk.look()
        fsync(handle)
        disk.synced(handle)
        disk.look()

    handle = os.open(top, os.O_RDONLY)
    disk.synced(handle)
    os.close(handle)
    sys.addaudithook(hook)  # stays until the process ends
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", synced)
        patch.setattr(session, "_SHARE", 0)  # a checkpoint after each generation
        yield disk
    active = False


def contents(run: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name not in ("events.jsonl", "checkpoint.npz")
    }


def work(path: Path, num_gens: int | None = None) -> int:
    """Resume; how many generations need not be run again."""
    with lock.locked(path):
        held = reopen(path, num_gens)
        if not isinstance(held, Session):
            return FINISHED
        kept = len(held.history)
        for _ in held.generations(1):
            pass
        held.finish(1)
        return kept


def test_a_power_failure_at_any_moment_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "disk"
    top.mkdir()
    env = find("MountainCar-v0")
    with watched(top, monkeypatch) as disk, lock.locked(top / "run"):
        running = Session(create(top / "run", env, CONFIG, 3, stops=Stops()), 3, Stops())
        for progress in running.generations(1):
            disk.promised = progress.record.gen + 1
        running.finish(1)
        disk.promised = FINISHED
        disk.look()
    expected = contents(top / "run")
    gone_on = 0
    for number in range(STATES):
        into = tmp_path / f"{number}"
        promised = disk.after_failure(random.Random(number), into)
        run = into / "run"
        if not promised and not (run / "config.json").exists():
            continue  # it had not begun
        gone_on += promised > 0
        assert work(run) >= promised, f"disk {number} lost what was promised"
        assert contents(run) == expected, f"disk {number}"
    assert gone_on >= STATES // 5, "too few of these disks hold a run that had got somewhere"


def test_the_disks_that_are_built_would_show_a_missing_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: without fsync, the same procedure finds runs that are lost."""
    top = tmp_path / "disk"
    top.mkdir()
    with watched(top, monkeypatch) as disk:
        monkeypatch.setattr(os, "fsync", lambda _: None)
        running = Session(create(top / "run", find("MountainCar-v0"), CONFIG, 3, stops=Stops()), 3, Stops())
        for progress in running.generations(1):
            disk.promised = progress.record.gen + 1
            disk.look()
    lost = 0
    for number in range(20):
        into = tmp_path / f"{number}"
        promised = disk.after_failure(random.Random(number), into)
        try:
            lost += work(into / "run") < promised
        except FileFormatError:
            lost += 1
    assert lost > 5
