"""What a run's folder tells while the run goes on: every look reads only what is new."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mococo.errors import FileFormatError, MococoError
from mococo.runs import lock
from mococo.runs.reading import read_config, read_front
from mococo.runs.records import RunRecord
from mococo.runs.session import is_finished
from mococo.training import Record

_EVENTS = "events.jsonl"
_MOST_AT_ONCE = 2**24  # bytes of events in one look; more are read in the next


class News(msgspec.Struct, frozen=True):
    """What has changed since a page knew `begin` generations; it forgets those behind."""

    begin: int
    records: list[Record]
    num_gens: int
    state: str
    """`running`; `ended`, after which nothing comes; or `stopped`, after which the run can be resumed."""
    ended: str
    """Why it has ended before its last generation."""
    error: str
    """Why the folder cannot be read, where it cannot."""


class Follower:
    """Reads a run's folder again and again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.config: RunRecord = read_config(path)
        self.history: list[Record] = []
        self.rewound = 0
        """How often the run began anew, or went back to a checkpoint."""
        self.state, self.ended, self.error = "running", "", ""
        self._file, self._offset = 0, 0

    def look(self) -> None:
        """Read what is new."""
        try:
            self.config = read_config(self._path)
            self._read_events()
            # Before the archive: the process that holds the lock writes it, and is gone only afterwards.
            running = lock.is_at_work(self._path)
            saved = read_front(self._path / "archive.json", self.config.env)
        except MococoError as error:
            self.error = str(error)
            return
        over = is_finished(saved, self.config.settings)
        self.state = "ended" if over and not running else "running" if running else "stopped"
        self.ended = saved.ended if self.state != "running" else ""
        self.error = ""

    def news(self, known: int) -> News:
        """For a page that knows so many generations."""
        begin = min(known, len(self.history))
        return News(begin, self.history[begin:], self.config.settings.num_gens, self.state, self.ended, self.error)

    def _read_events(self) -> None:
        path = self._path / _EVENTS
        try:
            if path.exists() and not path.is_file():
                raise FileFormatError(f"{path}: expected a file of events, got a folder, a pipe or a device")
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._file or status.st_size < self._offset:
                    self.rewound += bool(self.history)
                    self.history, self._file, self._offset = [], status.st_ino, 0
                file.seek(self._offset)
                new = file.read(_MOST_AT_ONCE)
        except FileNotFoundError:
            return
        except OSError as error:
            raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from None
        for line in new.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break  # it is being written
            self.history.append(_record(path, line, len(self.history)))
            self._offset += len(line)  # not past a damaged one, which may be mended


def _record(path: Path, line: bytes, number: int) -> Record:
    try:
        record = msgspec.json.decode(line, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileFormatError(f"{path}, line {number + 1}: damaged ({error})") from None
    if record.gen != number:
        raise FileFormatError(f"{path}, line {number + 1}: expected generation {number}, got {record.gen}")
    return record
