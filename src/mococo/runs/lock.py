"""One writer for a run's folder at a time."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mococo.errors import RunError

NAME = ".lock"
_ATTEMPTS = 100
_PATIENCE = 0.05  # seconds in which a process that has just taken the lock writes who it is


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder where it is missing, and hold its lock; refused while another process holds it.

    The kernel drops the lock with the process that held it, however that ended, so a file that is left over locks
    nothing. Its text only tells who is, or was, there.
    """
    path = folder / NAME
    handle = _take(path)
    try:
        with suppress(OSError):  # on a full disk the lock holds as well without its text
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"pid {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(handle)


def _take(path: Path) -> int:
    """A handle that holds the lock of the file that has this name now."""
    try:
        for _ in range(_ATTEMPTS):
            handle = _open(path)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Another process may have ended, and removed the file, after we had opened it: its lock is worth
                # nothing then, because the next one makes a file of its own.
                if _is_at(handle, path):
                    return handle
            except BlockingIOError:
                time.sleep(_PATIENCE)
                who = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
                os.close(handle)
                raise RunError(
                    f"{path.parent} is in use by {who}; wait for it, stop it, or name another folder with -o"
                ) from None
            os.close(handle)
    except OSError as error:
        place = error.filename if error.filename not in (None, str(path)) else path.parent
        raise RunError(f"{place} cannot be written ({error.strerror}); name another folder with -o") from None
    raise RunError(f"{path.parent} is taken and left by others all the time; name another folder with -o")


def _open(path: Path) -> int:
    for _ in range(_ATTEMPTS):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        except FileNotFoundError:  # a run that was stopped at once has just removed its folder
            continue
    raise FileNotFoundError(2, "it is removed by others all the time", str(path.parent))


def _is_at(handle: int, path: Path) -> bool:
    try:
        mine, there = os.fstat(handle), path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
