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
from dataclasses import dataclass
from pathlib import Path

from mococo.errors import RunError
from mococo.files import make_folder

NAME = ".lock"
_ATTEMPTS = 100
_PATIENCE = 0.05  # seconds in which a process that has just taken the lock writes who it is
_MOST = 300  # bytes of the text that are looked at
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
_ELSEWHERE = "name another folder with -o"
_TEXT = re.compile(r"(pid (\d{1,10}) on (.+?))(?:, started (\d+))?")
_held: dict[Path, int] = {}
"""The folders that this process has locked, and its handles of their locks."""


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
        _held[folder] = handle
        yield
    finally:
        _held.pop(folder, None)
        with suppress(OSError):
            if _is_at(handle, path):  # else the folder is another's by now, and so is this file
                path.unlink()
        os.close(handle)
        if not was_there:
            with suppress(OSError):  # where something was saved
                folder.rmdir()


def check(folder: Path) -> None:
    """Refuse to write into a folder that this process had locked, and that somebody has removed or replaced since.

    The handle keeps the inode from being used again, so that a new folder of the same name is always noticed.
    """
    handle = _held.get(folder)
    if handle is not None and not _is_at(handle, folder / NAME):
        raise RunError(
            f"{folder} was removed or replaced, or its {NAME} was, while it was written; nothing more is written there"
        )


def is_at_work(folder: Path) -> bool:
    """Whether a process writes there, as its text tells: to try the lock could keep a run from starting."""
    try:
        handle = os.open(folder / NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    holder = None
    with suppress(OSError):  # a pipe, or a folder
        holder = _holder(handle)
    os.close(handle)
    return holder is not None and not holder.is_gone


@dataclass(frozen=True)
class _Holder:
    """Who has signed a lock."""

    text: str
    pid: int
    host: str
    started: str
    """Ticks since the machine's start, which tell a process from a later one with its number; may be empty."""

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return self.host == socket.gethostname()

    @property
    def is_gone(self) -> bool:
        """Whether it runs no more; of another machine nobody here can tell."""
        if not self.is_here:
            return False
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except PermissionError:
            pass
        now = _started(self.pid)
        return bool(self.started and now) and self.started != now


def _started(pid: int) -> str:
    """When a process of this machine began; empty where the system does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


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
    holder = _holder(handle)
    raise RunError(f"{path.parent} is in use by {holder.text if holder else 'another process'}; wait for it or stop it")


def _sign(handle: int) -> None:
    """Write who we are."""
    started = _started(os.getpid())
    text = f"pid {os.getpid()} on {socket.gethostname()}{f', started {started}' if started else ''}"
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{text}\n".encode(), 0)


def _signed_first(handle: int, path: Path) -> bool:
    """The lock of file systems that have none: of those who sign at the same moment, the last one stays."""
    holder = _holder(handle)
    if holder and not holder.is_here:
        raise RunError(
            f"{path.parent} is in use by {holder.text}, as far as can be told: its file system has no locks; if that "
            f"process is gone, remove {path}"
        )
    if holder and not holder.is_gone:
        return False
    _sign(handle)
    time.sleep(_PATIENCE)
    holder = _holder(handle)
    return holder is not None and holder.is_here and holder.pid == os.getpid()


def _holder(handle: int) -> _Holder | None:
    """Who has signed the lock last, if anybody has."""
    named = _TEXT.fullmatch(os.pread(handle, _MOST, 0).decode("utf-8", "replace").strip())
    return _Holder(named[1], int(named[2]), named[3], named[4] or "") if named else None


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
