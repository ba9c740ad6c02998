"""The lock of a folder, on file systems with locks and on those without."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mococo.errors import RunError
from mococo.runs.lock import NAME, locked

HERE = socket.gethostname()


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a network file system whose server keeps no locks."""

    def flock(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.fixture
def alive() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid


@pytest.fixture
def dead() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def test_it_tells_who_holds_it_and_leaves_nothing(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert (tmp_path / NAME).read_text() == f"pid {os.getpid()} on {HERE}\n"
        with pytest.raises(RunError, match=rf"is in use by pid {os.getpid()} on {HERE}; wait for it or stop it$"):
            locked(tmp_path).__enter__()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_made_for_nothing_is_gone_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "new"):
        raise ZeroDivisionError
    assert not (tmp_path / "new").exists()
    with locked(tmp_path / "kept"):
        (tmp_path / "kept" / "file").write_text("")
    assert (tmp_path / "kept" / "file").exists()


@pytest.mark.parametrize("text", ["", "pid 1 on another\n", f"pid 1 on {HERE}\n", "\x00" * 500, "pid x on y"])
def test_where_there_are_locks_a_file_that_is_left_over_locks_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    with locked(tmp_path):
        assert (tmp_path / NAME).read_text() == f"pid {os.getpid()} on {HERE}\n"


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_living_process_is_respected(tmp_path: Path, alive: int) -> None:
    (tmp_path / NAME).write_text(f"pid {alive} on {HERE}\n")
    with pytest.raises(RunError, match=f"is in use by pid {alive} on {HERE}; wait for it or stop it"):
        locked(tmp_path).__enter__()
    assert (tmp_path / NAME).read_text() == f"pid {alive} on {HERE}\n"


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_dead_process_holds_nothing(tmp_path: Path, dead: int) -> None:
    for text in (f"pid {dead} on {HERE}\n", "", "something else"):
        (tmp_path / NAME).write_text(text)
        with locked(tmp_path):
            assert (tmp_path / NAME).read_text() == f"pid {os.getpid()} on {HERE}\n"
        assert not (tmp_path / NAME).exists()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_process_elsewhere_cannot_be_asked(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("pid 77 on another\n")
    told = (
        r"is in use by pid 77 on another, as far as can be told: its file system has no locks; if that process is "
        rf"gone, remove .*/{NAME}$"
    )
    with pytest.raises(RunError, match=told):
        locked(tmp_path).__enter__()


def test_other_refusals_of_the_system_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(handle: int, how: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(RunError, match=rf"{tmp_path} cannot be written \(Input/output error\); name another folder"):
        locked(tmp_path).__enter__()
