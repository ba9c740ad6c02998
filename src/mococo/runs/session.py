"""A run at work in its folder: from its beginning or its checkpoint to its end, whatever ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from mococo.config import Config
from mococo.envs.registry import find
from mococo.errors import ConfigError, FileFormatError
from mococo.front import Decoder
from mococo.runs import checkpoint as checkpoints
from mococo.runs.folder import RunFolder, write_config, writing
from mococo.runs.reading import read_config, read_events, read_front
from mococo.runs.records import RunRecord
from mococo.runs.scores import Scored, score
from mococo.stops import Stops, StopWhen
from mococo.training import Callback, Checkpoint, Progress, Record, Result, evolve, resolve

INTERRUPTED = "interrupted"
_SHARE = 100  # a checkpoint is written when this many times what the last one took has passed since
_FIRST_COST = 0.01  # seconds that the first one is taken to cost


@dataclass(frozen=True)
class Session:
    """A run in its locked folder."""

    folder: RunFolder
    seed: int
    stops: Stops
    history: tuple[Record, ...] = ()
    start: Checkpoint | None = None
    callbacks: Sequence[Callback] = ()
    finished: bool = False
    """Whether everything is done and saved already."""

    def generations(self, threads: int | None, interrupted: Callable[[], bool] = lambda: False) -> Iterator[Progress]:
        """Each generation that is still to come, after it is saved. `interrupted` ends the run after one."""
        stop, pace, last = StopWhen(self.stops, self.history), _Pace(), self.start
        history, progress = list(self.history), None
        ended = stop.reached(self.start.archive) or "" if self.start else ""
        if not ended:
            for progress in evolve(self.folder.env, self.seed, self.folder.config, threads=threads, start=self.start):
                self.folder.record(progress.record)
                history.append(progress.record)
                reasons = [watch.on_generation(progress) for watch in (stop, *self.callbacks)]
                ended = "; ".join(filter(None, reasons)) or (INTERRUPTED if interrupted() else "")
                last_one = bool(ended) or len(history) == self.folder.config.num_gens
                if last_one or pace.due():
                    last = progress.checkpoint
                    pace.measure(lambda now=last: self.folder.checkpoint(now))  # type: ignore[misc]
                yield progress
                if last_one:
                    break
        assert last is not None  # there is a generation at least, or a checkpoint
        if len(history) == self.folder.config.num_gens and ended == INTERRUPTED:
            ended = ""
        object.__setattr__(self, "_outcome", (last, tuple(history), ended))

    def finish(self, threads: int | None) -> Outcome:
        """Score and save what was found."""
        last, history, ended = self._outcome  # type: ignore[attr-defined]
