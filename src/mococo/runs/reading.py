"""Reading a run's folder. Whatever is wrong with a file gives one `FileFormatError`; nothing in it is executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import msgspec

from mococo.config import MAX_GENS, Config
from mococo.envs.spec import Environment
from mococo.errors import FileFormatError, MococoError
from mococo.policy_json import FORMAT, VERSION, from_record, read_json
from mococo.runs import records
from mococo.runs.records import FrontRecord, MemberRecord, RunRecord
from mococo.runs.scores import Scored
from mococo.stops import Stops
from mococo.training import Record


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it."""

    path: Path
    env: str
    seed: int
    config: Config
    versions: Mapping[str, str]
    history: tuple[Record, ...]
    archive: tuple[Scored, ...]
    """The best policies ever found, by rising complexity."""
    front: tuple[Scored, ...]
    """F_1 of the last generation, equal solutions counted."""
    fresh_starts: int
    """Over how many starts the fresh performances are means."""
    finished: bool
    """Whether front and archive were written; not so if the run was killed."""
    generations: int
    """Of how many generations front and archive are; the history may be longer when a resumed run was killed."""
    ended: str
    """Why there are no more: empty after the last one, "interrupted", or the limit that was reached."""
    stops: Stops
    record: RunRecord

    def open_environment(self) -> Environment:
        """The environment that it was trained on."""
        return self.record.open_environment(self.path)

    @property
    def complete(self) -> bool:
        """Whether all generations were run and saved."""
        return self.finished and self.generations == len(self.history) == self.config.num_gens


def holds_run(path: Path) -> bool:
    """Whether this is a folder that looks like a run's."""
    return path.is_dir() and (path / "config.json").is_file()


def read_run(path: Path) -> Run:
    """The run in a folder, with every file checked."""
    config = read_config(path)
    archive, front = (read_front(path / name, config.env) for name in ("archive.json", "front.json"))
    return Run(
        path=path,
        env=config.env,
        seed=config.seed,
        config=config.settings,
        versions=config.versions,
        history=read_events(path / "events.jsonl"),
        archive=_scored(archive, path / "archive.json"),
        front=_scored(front, path / "front.json"),
        fresh_starts=archive.fresh_starts,
        finished=(path / "archive.json").exists(),
        generations=archive.generations,
        ended=archive.ended,
        stops=config.stops,
        record=config,
    )


def read_config(path: Path) -> RunRecord:
    """`config.json` of a run's folder."""
    if not holds_run(path):
        raise FileFormatError(f"{path} does not hold a run: it has no config.json")
    record: RunRecord = read_json(path / "config.json", RunRecord, records.RUN_FORMAT, records.RUN_VERSION)
    if record.sealed() != record:
        raise FileFormatError(
            f"{path / 'config.json'}: its checksum is not that of its contents, so it was changed or damaged after the "
            f"run began; for other settings, train anew (mococo config prints them as TOML)"
        )
    return record


def read_front(path: Path, env: str) -> FrontRecord:
    """The file, or a front without members where a run was killed before it was written."""
    kind, version = records.FRONT_FORMAT, records.FRONT_VERSION
    if not path.exists():
        return FrontRecord(kind, version, env, 0, "", training_starts=0, fresh_starts=0, fresh_seed=0, members=[])
    record: FrontRecord = read_json(path, FrontRecord, kind, version, records.MAX_FRONT_BYTES)
    if record.env != env:
        raise FileFormatError(f"{path}: holds policies for {record.env}, but the run beside it is of {env}")
    return record


def _scored(record: FrontRecord, path: Path) -> tuple[Scored, ...]:
    try:
        return tuple(_member(member) for member in record.members)
    except MococoError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _member(record: MemberRecord) -> Scored:
    if (record.policy.format, record.policy.version) != (FORMAT, VERSION):
        raise FileFormatError(f"a policy is not of format {FORMAT} version {VERSION}")
    policy = from_record(record.policy)
    if record.complexity != policy.complexity:
        raise FileFormatError(f"complexity {record.complexity} is given for a policy of {policy.complexity}")
    if record.count < 1 or min(record.gen, record.fresh_standard_error, record.fresh_uncovered) < 0:
        raise FileFormatError("a member has a negative count, generation or standard error")
    return Scored(
        policy=policy,
        performance=record.performance,
        complexity=record.complexity,
        gen=record.gen,
        count=record.count,
        fresh_performance=record.fresh_performance,
        fresh_standard_error=record.fresh_standard_error,
        fresh_interval=record.fresh_interval,
        fresh_uncovered=record.fresh_uncovered,
    )


def event_lines(path: Path, most: int | None = None) -> Iterator[bytes]:
    """Whole lines, the first `most` of them or all. A last line without its end was torn, and does not count."""
    try:
        if path.stat().st_size > records.MAX_EVENTS_BYTES:
            raise FileFormatError(f"{path}: larger than {records.MAX_EVENTS_BYTES} bytes, so a run did not write it")
        if not path.is_file():
            raise FileFormatError(f"{path}: expected a file of events, got a folder, a pipe or a device")
        with path.open("rb") as file:
            for number in count() if most is None else range(most):
                line = file.readline(records.MAX_EVENT_BYTES)
                if len(line) == records.MAX_EVENT_BYTES or number > MAX_GENS:
                    raise FileFormatError(f"{path}, line {number + 1}: damaged (a run writes no such line)")
                if not line.endswith(b"\n"):
                    return
                yield line[:-1]
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from None


def read_events(path: Path, most: int | None = None) -> tuple[Record, ...]:
    """The generations that were told, or the first `most` of them."""
    decoder = msgspec.json.Decoder(Record)
    history = []
    for number, line in enumerate(event_lines(path, most)):
        try:
            record = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FileFormatError(f"{path}, line {number + 1}: damaged ({error})") from None
        if record.gen != number:
            raise FileFormatError(f"{path}, line {number + 1}: expected generation {number}, got {record.gen}")
        history.append(record)
    return tuple(history)
