"""One writer for a run's folder at a time."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mococo.errors import RunError

NAME = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; refused while another process holds it.

    The kernel drops the lock with the process that held it, however that ended, so a file that is left over locks
    nothing. Its text only tells who is, or was, there.
    """
    try:
        handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RunError(f"{folder} cannot be written ({error.strerror}); name another folder with -o") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.read(handle, 200).decode("utf-8", "replace").strip() or "another process"
            raise RunError(
                f"{folder} is in use by {who}; wait for it, stop it, or name another folder with -o"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"pid {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        try:
            yield
        finally:
            (folder / NAME).unlink(missing_ok=True)
    finally:
        os.close(handle)
