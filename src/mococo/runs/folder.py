"""Writing a run's folder, generation by generation.

==========================  ================================================================
config.json                 environment, seed, all settings, versions; written first
events.jsonl                a line for each generation
front.json                  F_1 of the last generation, equal solutions counted
archive.json                the best policies ever found
policies/complexity-NN.json the archive's policies, for `mococo.load`
==========================  ================================================================
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import FileFormatError, RunError
from mococo.files import write_atomic
from mococo.policy_json import save_policy, to_record
from mococo.runs.reading import read_config
from mococo.runs.records import (
    FRONT_FORMAT,
    FRONT_VERSION,
    RUN_FORMAT,
    RUN_VERSION,
    FrontRecord,
    MemberRecord,
    RunRecord,
)
from mococo.runs.scores import FRESH_SEED, FRESH_STARTS, Scored
from mococo.training import Record

_FILES = ("config.json", "events.jsonl", "front.json", "archive.json")
_POLICIES = "policies"


@dataclass(frozen=True)
class RunFolder:
    """A run's folder that is being written."""

    path: Path
    env: Environment
    config: Config

    def record(self, record: Record) -> None:
        """Add a generation."""
        line = msgspec.json.encode(record) + b"\n"
        with _writing(self.path), (self.path / "events.jsonl").open("ab") as file:
            file.write(line)

    def finish(self, front: Sequence[Scored], archive: Sequence[Scored]) -> None:
        """Write what was found: F_1 of the last generation and the archive."""
        with _writing(self.path):
            for member in archive:
                save_policy(member.policy, self.path / _POLICIES / f"complexity-{member.complexity:02d}.json")
            self._write_front("front.json", front)
            self._write_front("archive.json", archive)  # last: with it the run is complete

    def discard(self) -> None:
        """Remove the run, as if it had never been started; files of others stay."""
        with _writing(self.path):
            _clear(self.path)
            with suppress(OSError):  # where it is not empty, or the folder that we are in
                self.path.rmdir()

    def _write_front(self, name: str, members: Sequence[Scored]) -> None:
        record = FrontRecord(
            format=FRONT_FORMAT,
            version=FRONT_VERSION,
            env=self.env.id,
            training_starts=self.config.eta,
            fresh_starts=FRESH_STARTS,
            fresh_seed=FRESH_SEED,
            members=[member_record(member) for member in members],
        )
        write_atomic(self.path / name, _json(record))


def create(path: Path, env: Environment, config: Config, seed: int, *, overwrite: bool = False) -> RunFolder:
    """Make the folder. One that holds anything is refused; `overwrite` replaces a run's files, and only those."""
    check_free(path, overwrite=overwrite)
    record = RunRecord(RUN_FORMAT, RUN_VERSION, env.id, seed, config, _versions())
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)
        _clear(path)
        write_atomic(path / "config.json", _json(record))
    return RunFolder(path, env, config)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Refuse a folder that a new run may not have."""
    try:
        if not path.exists():
            return
        if not path.is_dir():
            raise RunError(f"{path} is a file, but a run needs a folder; name another with -o")
        if not any(path.iterdir()):
            return
    except OSError as error:
        raise RunError(f"{path} cannot be read ({error.strerror}); name another folder with -o") from None
    try:
        held = read_config(path)
    except FileFormatError:
        more = "; --overwrite replaces only runs" if overwrite else ""
        raise RunError(
            f"{path} is not empty and does not hold a run that this release can read{more}; name another folder with -o"
        ) from None
    if not overwrite:
        raise RunError(
            f"{path} already holds a run ({held.env}, seed {held.seed}); "
            f"replace it with --overwrite or name another folder with -o"
        )


def _clear(path: Path) -> None:
    """Remove a run's files. What else may lie there is not ours."""
    for name in _FILES:
        (path / name).unlink(missing_ok=True)
    policies = path / _POLICIES
    if policies.is_dir() and not policies.is_symlink():
        for file in policies.glob("complexity-*.json"):
            file.unlink()
        if not any(policies.iterdir()):
            policies.rmdir()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{error.filename or path} cannot be written ({error.strerror}); name another folder with -o"
        ) from None


def member_record(member: Scored) -> MemberRecord:
    """A policy of a front as plain data."""
    return MemberRecord(
        performance=member.performance,
        fresh_performance=member.fresh_performance,
        fresh_standard_error=member.fresh_standard_error,
        complexity=member.complexity,
        gen=member.gen,
        count=member.count,
        policy=to_record(member.policy),
    )


def _json(record: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in ("mococo", "numpy", "numba", "gymnasium")}
    return {**libraries, "python": platform.python_version()}
