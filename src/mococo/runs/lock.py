"""One writer for a run's folder at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mococo.errors import RunError
from mococo.files import make_folder

NAME = ".lock"
_ATTEMPTS = 100
_PATIENCE = 0.05  # seconds in which a process that has just taken the lock writes who it is
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
_ELSEWHERE = "name another folder with -o"


@contextmanager
def locked(folder: Path, advice: str = _ELSEWHERE) -> Iterator[None]:
    """Make the folder where it is missing, and hold its lock; refused while another process holds it.

    The kernel drops the lock with the process that held it, however that ended, so a file that is left over locks
    nothing. Its text only tells who is, or was, there; it counts on file systems that have no locks.
    """
    path = folder / NAME
    was_there = folder.exists()
    handle = _take(path, advice)
    try:
        with suppress(OSError):  # on a full disk the lock holds as well without its text
            _sign(handle)
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(handle)
        if not was_there:
            with suppress(OSError):  # where something was saved
                folder.rmdir()


def _take(path: Path, advice: str) -> int:
    """A handle that holds the lock of the file that has this name now."""
    try:
        for _ in range(_ATTEMPTS):
            handle = _open(path)
            try:
                _flock(handle, path)
                # Another process may have ended, and removed the file, after we had opened it: its lock is worth
                # nothing then, because the next one makes a file of its own.
                if _is_at(handle, path):
                    return handle
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)
    except OSError as error:
        place = error.filename if error.filename not in (None, str(path)) else path.parent
        raise RunError(f"{place} cannot be written ({error.strerror}); {advice}") from None
    raise RunError(f"{path.parent} is taken and left by others all the time; {advice}")


def _flock(handle: int, path: Path) -> None:
    """Lock the file, or raise what tells who has."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(_PATIENCE)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        if _signed_first(handle, path):
            return
    else:
        return
    who = _holder(handle) or "another process"
    raise RunError(f"{path.parent} is in use by {who}; wait for it or stop it")


def _sign(handle: int) -> str:
    """Write who we are."""
    text = f"pid {os.getpid()} on {socket.gethostname()}"
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{text}\n".encode(), 0)
    return text


def _signed_first(handle: int, path: Path) -> bool:
    """The lock of file systems that have none: of those who sign at the same moment, the last one stays."""
    if not _is_left_over(_holder(handle), path):
        return False
    mine = _sign(handle)
    time.sleep(_PATIENCE)
    return _holder(handle) == mine


def _is_left_over(holder: str, path: Path) -> bool:
    """Whether the process that the file names is gone."""
    named = re.fullmatch(r"pid (\d{1,10}) on (.+)", holder)
    if not named:
        return True
    pid, host = int(named[1]), named[2]
    if host != socket.gethostname():
        raise RunError(
            f"{path.parent} is in use by {holder}, as far as can be told: its file system has no locks; if that "
            f"process is gone, remove {path}"
        )
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OverflowError, PermissionError):
        pass
    return False


def _holder(handle: int) -> str:
    return os.pread(handle, 200, 0).decode("utf-8", "replace").strip()


def _open(path: Path) -> int:
    for _ in range(_ATTEMPTS):
        try:
            make_folder(path.parent)
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
