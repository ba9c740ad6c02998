"""The lock of a folder, on file systems with locks and on those without."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mococo.errors import RunError
from mococo.runs.lock import NAME, check, is_at_work, locked

HERE = socket.gethostname()
TICKS = r", started \d+" if Path("/proc/self/stat").exists() else ""


def signed_by_us(folder: Path) -> bool:
    text = (folder / NAME).read_text()
    return re.fullmatch(rf"pid {os.getpid()} on {re.escape(HERE)}{TICKS}\n", text) is not None


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
        assert signed_by_us(tmp_path)
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
        assert signed_by_us(tmp_path)


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
            assert signed_by_us(tmp_path)
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


@pytest.mark.skipif(not TICKS, reason="only Linux tells when a process began")
@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_number_that_another_process_was_given_holds_nothing(tmp_path: Path, alive: int) -> None:
    (tmp_path / NAME).write_text(f"pid {alive} on {HERE}, started 1\n")
    assert not is_at_work(tmp_path)
    with locked(tmp_path):
        assert signed_by_us(tmp_path)
        assert is_at_work(tmp_path)
        kept = (tmp_path / NAME).read_text()
    (tmp_path / NAME).write_text(kept)
    with pytest.raises(RunError, match=rf"in use by pid {os.getpid()} on {HERE}; wait for it or stop it$"):
        locked(tmp_path).__enter__()


@pytest.mark.parametrize("how", ["removed", "replaced", "moved"])
def test_a_folder_that_is_no_longer_ours_is_noticed_and_left_alone(tmp_path: Path, how: str) -> None:
    run = tmp_path / "run"
    with locked(run):
        check(run)
        run.rename(tmp_path / "elsewhere")
        if how == "removed":
            shutil.rmtree(tmp_path / "elsewhere")
        if how == "replaced":
            run.mkdir()
            (run / NAME).write_text("pid 1 on another\n")
        with pytest.raises(RunError, match=r"run was removed or replaced, .* nothing more is written there$"):
            check(run)
    assert (run / NAME).exists() == (how == "replaced")
    check(run)  # nobody's


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_lock_that_is_no_file_tells_of_nobody(tmp_path: Path, make: Callable[[Path], object]) -> None:
    assert not is_at_work(tmp_path)
    make(tmp_path / NAME)
    assert not is_at_work(tmp_path)


def test_of_another_machine_nobody_can_tell(tmp_path: Path, dead: int) -> None:
    (tmp_path / NAME).write_text("pid 77 on another, started 5\n")
    assert is_at_work(tmp_path)
    (tmp_path / NAME).write_text(f"pid {dead} on {HERE}\n")
    assert not is_at_work(tmp_path)
