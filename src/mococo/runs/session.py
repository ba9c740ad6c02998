"""A run at work in its folder: from its beginning or its checkpoint to its end, whatever ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, FileFormatError, SimulationError
from mococo.front import Decoder
from mococo.runs import checkpoint as checkpoints
from mococo.runs.folder import RunFolder, write_config, writing
from mococo.runs.reading import read_config, read_events, read_front
from mococo.runs.records import FrontRecord
from mococo.runs.scores import Scored, score
from mococo.stops import Stops, StopWhen
from mococo.training import Callback, Checkpoint, Progress, Record, Result, evolve, resolve

INTERRUPTED = "interrupted"
_SHARE = 200  # a checkpoint is written when this many times what the last one took has passed since
_FIRST_COST = 0.01  # seconds that the first one is taken to cost


@dataclass
class Session:
    """A run in its folder, which the caller has locked."""

    folder: RunFolder
    seed: int
    stops: Stops
    history: list[Record] = field(default_factory=list)
    last: Checkpoint | None = None
    """Where the run goes on, or has come to."""
    callbacks: Sequence[Callback] = ()
    ended: str = ""
    """Why there were no more generations; empty after the last one."""

    def generations(self, threads: int | None, interrupted: Callable[[], bool] = lambda: False) -> Iterator[Progress]:
        """Each generation that is still to come, after it was saved. `interrupted` ends the run after one."""
        env, config = self.folder.env, self.folder.config
        stop, pace = StopWhen(self.stops, self.history), _Pace()
        self.ended = (stop.reached(self.last.archive) or "") if self.last else ""
        if self.ended:
            return
        for progress in self._evolved(evolve(env, self.seed, config, threads=threads, start=self.last)):
            self.history.append(progress.record)
            self.folder.record(progress.record)
            reasons = [watch.on_generation(progress) for watch in (stop, *self.callbacks)]
            final = len(self.history) == config.num_gens
            self.ended = "; ".join(filter(None, reasons)) or (INTERRUPTED if interrupted() and not final else "")
            if self.ended or final or pace.due():
                self.last = progress.checkpoint
                with pace.measured():
                    self.folder.checkpoint(self.last)
            yield progress
            if self.ended:
                return

    def _evolved(self, generations: Iterator[Progress]) -> Iterator[Progress]:
        """The same; where a real environment fails, what came before is saved."""
        last: Progress | None = None
        try:
            for last in generations:
                yield last
        except SimulationError:
            if last is not None:
                self.folder.checkpoint(last.checkpoint)
            raise

    def finish(self, threads: int | None) -> tuple[tuple[Scored, ...], tuple[Scored, ...]]:
        """Score and save F_1 of the last generation and the archive."""
        assert self.last is not None  # there was a generation, or a checkpoint
        env, config = self.folder.env, self.folder.config
        front, archive = (score(members, env, threads) for members in (self.last.f1, self.last.archive))
        self.folder.finish(front, archive, len(self.history), self.ended)
        result = Result(env, config, self.seed, self.last.f1, self.last.archive, tuple(self.history), self.ended)
        for callback in self.callbacks:
            callback.on_end(result)
        return front, archive


class _Pace:
    """When the next checkpoint is due, so that they cost less than a hundredth of the time."""

    def __init__(self) -> None:
        self._cost = _FIRST_COST
        self._since = time.perf_counter()

    def due(self) -> bool:
        return time.perf_counter() - self._since >= _SHARE * self._cost

    def measured(self) -> _Pace:
        return self

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        now = time.perf_counter()
        self._cost, self._since = now - self._since, now


def reopen(
    path: Path,
    num_gens: int | None = None,
    stops: Mapping[str, Any] | None = None,
    care: Mapping[str, Any] | None = None,
) -> Session | FrontRecord:
    """The run of a locked folder at its checkpoint, or at its seed if it was killed before the first.

    A run that has nothing left to do is told by what it saved. `care` says anew what is done about faults.
    """
    held = read_config(path)
    record = held.with_care(care or {})
    env = record.open_environment(path)
    config = _longer(env, record.settings, num_gens)
    limits = msgspec.structs.replace(record.stops, **(stops or {}))
    saved = read_front(path / "archive.json", record.env)
    if is_finished(saved, config) and (not saved.ended or limits == record.stops):
        return saved
    history: tuple[Record, ...] = ()
    start = None
    if (path / checkpoints.NAME).exists():
        start = checkpoints.load_checkpoint(
            path, config, Decoder.of(env, config), checkpoints.owner(record.env, record.seed)
        )
        history = read_events(path / "events.jsonl", start.state.gen)
        if len(history) != start.state.gen or start.state.gen > config.num_gens:
            raise FileFormatError(
                f"{path}: the checkpoint is of generation {start.state.gen}, but events.jsonl has {len(history)} and "
                f"the run is to have {config.num_gens}; remove checkpoint.npz to let the run begin again from its seed"
            )
    folder = RunFolder(path, env, config, record.seed)
    folder.rewind(len(history))
    changed = msgspec.structs.replace(record, settings=config, stops=limits)
    if changed.sealed() != held:
        with writing(path):
            write_config(path, changed)
    return Session(folder, record.seed, limits, list(history), start)


def is_finished(saved: FrontRecord, config: Config) -> bool:
    """Whether nothing is left to do after this `archive.json`."""
    if saved.ended:
        return saved.ended != INTERRUPTED
    return saved.generations == config.num_gens


def _longer(env: Environment, config: Config, num_gens: int | None) -> Config:
    if num_gens is not None and num_gens < config.num_gens:
        raise ConfigError(f"num_gens may only be raised when a run is resumed; it is {config.num_gens}, got {num_gens}")
    return resolve(env, config, {} if num_gens is None else {"num_gens": num_gens})
