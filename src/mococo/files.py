"""Files that are replaced whole: a reader sees the old text or the new one, never a part, whenever the power fails."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)
_DRAFT = ".tmp"


def write_atomic(path: Path, data: bytes) -> None:
    """Write to a temporary file beside, flush it to the disk, and put it in place in one step."""
    write_together(path.parent, {path.name: data})


def write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace several files of a folder, made where it is missing. Each is whole; all are on the disk at the end."""
    make_folder(folder)
    drafts: dict[str, Path] = {}
    try:
        for name, data in files.items():
            drafts[name] = folder / f".{name}.{secrets.token_hex(4)}{_DRAFT}"
            _write_synced(drafts[name], data)
        for name, draft in drafts.items():
            draft.replace(folder / name)
    except BaseException:
        for draft in drafts.values():
            with suppress(OSError):  # the first error tells more
                draft.unlink(missing_ok=True)
        raise
    sync_folder(folder)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, and see to it that they outlive a power failure."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush which names a folder holds."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written and not read
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:  # some network file systems have no such thing
            raise
    finally:
        os.close(handle)


def is_draft(file: Path, *names: str) -> bool:
    """Whether this was left by a process that was killed while it wrote a file with a name that begins so."""
    return file.suffix == _DRAFT and file.name.startswith(tuple(f".{name}" for name in names))


def _write_synced(path: Path, data: bytes) -> None:
    # Never over what is there, and with the rights that the user's umask leaves.
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
