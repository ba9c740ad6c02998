"""Writing a run's folder, generation by generation. `docs/run_format.md` tells what is in the files.

==========================  ================================================================
config.json                 environment, seed, all settings, versions; written first
events.jsonl                a line for each generation
checkpoint.npz              all that is needed to go on
front.json                  F_1 of the last generation, equal solutions counted
archive.json                the best policies ever found
policies/complexity-NN.json the archive's policies, for `mococo.load`
==========================  ================================================================
"""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, FileFormatError, RunError, shown
from mococo.evaluation import check_seed
from mococo.files import is_draft, make_folder, sync_folder, write_atomic, write_together
from mococo.policy_json import policy_bytes, to_record
from mococo.runs import checkpoint as checkpoints
from mococo.runs import lock
from mococo.runs.environments import record_of
from mococo.runs.reading import event_lines, read_config
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
from mococo.stops import Stops
from mococo.training import Checkpoint, Record

_CONFIG, _EVENTS = "config.json", "events.jsonl"
_FILES = (_CONFIG, _EVENTS, "front.json", "archive.json", checkpoints.NAME)
_POLICIES = "policies"
TENSORBOARD = "tensorboard"


@dataclass(frozen=True)
class RunFolder:
    """A run's folder that is being written."""

    path: Path
    env: Environment
    config: Config
    seed: int

    def record(self, record: Record) -> None:
        """Add a generation."""
        line = msgspec.json.encode(record) + b"\n"
        with writing(self.path), (self.path / _EVENTS).open("ab") as file:
            file.write(line)

    def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Save where the run can go on; the generations before it are on the disk when it is."""
        with writing(self.path):
            with (self.path / _EVENTS).open("ab") as file:
                os.fsync(file.fileno())
            whose = checkpoints.owner(self.env.id, self.seed)
            checkpoints.save_checkpoint(self.path, checkpoint, self.config, whose)

    def rewind(self, generations: int) -> None:
        """Forget what a killed run wrote after its checkpoint, and what it did not come to put in place."""
        path = self.path / _EVENTS
        kept = b"".join(line + b"\n" for line in event_lines(path, generations))
        with writing(self.path):
            _clear_drafts(self.path)
            # A link is replaced by a file, so that nothing is written where it leads.
            if path.is_symlink() or (path.exists() and path.read_bytes() != kept):
                write_atomic(path, kept)

    def finish(self, front: Sequence[Scored], archive: Sequence[Scored], generations: int, ended: str = "") -> None:
        """Write what was found: F_1 of the last generation and the archive."""
        policies = self.path / _POLICIES
        with writing(self.path):
            if policies.is_symlink():
                policies.unlink()
            names = {f"complexity-{member.complexity:02d}.json": member.policy for member in archive}
            for file in policies.glob("complexity-*.json"):
                if file.name not in names:  # of an earlier end, before the run was resumed
                    file.unlink()
            if names or policies.exists():
                write_together(policies, {name: policy_bytes(policy) for name, policy in names.items()})
            ends = {"front.json": front, "archive.json": archive}  # with the last, it is complete
            write_together(
                self.path,
                {name: self.front_bytes(members, generations, ended) for name, members in ends.items()},
            )

    def discard(self) -> None:
        """Remove the run, as if it had never been started; files of others stay."""
        with writing(self.path):
            _clear(self.path)
            with suppress(OSError):  # where it is not empty, or the folder that we are in
                (self.path / lock.NAME).unlink(missing_ok=True)
                self.path.rmdir()

    def front_bytes(self, members: Sequence[Scored], generations: int, ended: str = "") -> bytes:
        """`front.json` or `archive.json`."""
        record = FrontRecord(
            format=FRONT_FORMAT,
            version=FRONT_VERSION,
            env=self.env.id,
            generations=generations,
            ended=ended,
            training_starts=self.config.eta,
            fresh_starts=FRESH_STARTS,
            fresh_seed=FRESH_SEED,
            members=[member_record(member) for member in members],
        )
        return _json(record)


def create(
    path: Path, env: Environment, config: Config, seed: int, *, overwrite: bool = False, stops: Stops | None = None
) -> RunFolder:
    """Make the folder. One that holds anything is refused; `overwrite` replaces a run's files, and only those."""
    check_free(path, overwrite=overwrite)
    record = RunRecord(RUN_FORMAT, RUN_VERSION, env.id, seed, config, versions(), stops or Stops(), record_of(env))
    with writing(path, "name another folder with -o"):
        make_folder(path)
        _clear(path)
        sync_folder(path)  # so that no power failure brings a checkpoint of the old run back to the new one
        # The events are there from the beginning, so that later only their text has to reach the disk, not their name.
        write_together(path, {_EVENTS: b"", _CONFIG: _json(record.sealed())})
    return RunFolder(path, env, config, seed)


def check_kept_seed(seed: int) -> int:
    """A seed that numpy takes, and a file keeps."""
    if check_seed(seed) >= 2**63:
        raise ConfigError(f"seed must be below 2**63, because files keep no larger numbers, got {shown(seed)}")
    return seed


def write_config(path: Path, record: RunRecord) -> None:
    """Replace `config.json`."""
    write_atomic(path / _CONFIG, _json(record.sealed()))


def check_free(path: Path, *, overwrite: bool) -> None:
    """Refuse a folder that a new run may not have."""
    try:
        if not path.exists():
            return
        if not path.is_dir():
            raise RunError(f"{path} is a file, but a run needs a folder; name another with -o")
        if all(_is_ours_to_drop(file) for file in path.iterdir()):
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
    """Remove a run's files. What else may lie there is not ours.

    The last one says that this is a run, so that one that was killed meanwhile can be cleared again.
    """
    _clear_drafts(path)
    for name, ours in ((_POLICIES, "complexity-*.json"), (TENSORBOARD, "events.out.tfevents.*")):
        folder = path / name
        if folder.is_dir() and not folder.is_symlink():
            for file in folder.glob(ours):
                file.unlink()
            if not any(folder.iterdir()):
                folder.rmdir()
    for name in reversed(_FILES):
        (path / name).unlink(missing_ok=True)


def _clear_drafts(path: Path) -> None:
    """Remove what `mococo.files` left when the process was killed."""
    for folder in (path, path / _POLICIES):
        if folder.is_dir() and not (folder.is_symlink() and folder != path):
            for file in folder.iterdir():
                if is_draft(file, *_FILES, "complexity-"):
                    file.unlink(missing_ok=True)


def _is_ours_to_drop(file: Path) -> bool:
    """What a run that was killed before it had begun leaves."""
    empty = file.name == _EVENTS and file.is_file() and not file.stat().st_size
    return empty or file.name == lock.NAME or is_draft(file, *_FILES, "complexity-")


@contextmanager
def writing(path: Path, advice: str = "") -> Iterator[None]:
    """Turn the system's refusal to write into one clear line. A folder that is no longer ours is left alone."""
    try:
        lock.check(path)
        yield
    except OSError as error:
        place = path if error.filename is None or str(error.filename).endswith(".tmp") else error.filename
        hint = advice or f"what was saved before is intact: mend this, then mococo resume {shlex.quote(str(path))}"
        raise RunError(f"{place} cannot be written ({error.strerror}); {hint}") from None


def member_record(member: Scored) -> MemberRecord:
    """A policy of a front as plain data."""
    return MemberRecord(
        performance=member.performance,
        fresh_performance=member.fresh_performance,
        fresh_standard_error=member.fresh_standard_error,
        fresh_interval=member.fresh_interval,
        fresh_uncovered=member.fresh_uncovered,
        complexity=member.complexity,
        gen=member.gen,
        count=member.count,
        policy=to_record(member.policy),
    )


def _json(record: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def versions() -> dict[str, str]:
    """What the results of a run may depend on."""
    libraries = {name: version(name) for name in ("mococo", "numpy", "numba", "gymnasium")}
    return {**libraries, "python": platform.python_version()}
