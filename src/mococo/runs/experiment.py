"""Many seeds in one folder: `experiment.json` tells which, and `seed-N/` holds the run of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import FileFormatError, MococoError, RunError
from mococo.files import is_draft, write_atomic
from mococo.policy_json import read_json
from mococo.runs import lock
from mococo.runs.folder import writing
from mococo.runs.reading import Run, holds_run, read_config, read_front, read_run
from mococo.runs.scores import Scored, best
from mococo.runs.session import is_finished
from mococo.stops import Stops

NAME = "experiment.json"
FORMAT, VERSION = "mococo-experiment", 1
MAX_SEEDS = 100_000


class ExperimentRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`experiment.json`."""

    format: str
    version: int
    env: str
    settings: Config
    stops: Stops
    seeds: list[int]


@dataclass(frozen=True)
class Row:
    """All runs at one complexity: how many have a policy of it, and how good those are on the training starts."""

    complexity: int
    seeds: int
    quartiles: tuple[float, float, float]
    best: float
    fresh_median: float


@dataclass(frozen=True)
class Seeds:
    """The seeds of an experiment, by what there is of them."""

    done: dict[int, Run]
    left: list[int]
    """Not begun, or not finished."""
    broken: dict[int, str]
    """Why the folder of a seed cannot be used."""

    @property
    def total(self) -> int:
        """How many there are to be."""
        return len(self.done) + len(self.left) + len(self.broken)


def holds_experiment(path: Path) -> bool:
    """Whether this folder is one of many seeds."""
    return path.is_dir() and (path / NAME).is_file()


def read_experiment(path: Path) -> ExperimentRecord:
    """`experiment.json` of a folder."""
    record: ExperimentRecord = read_json(path / NAME, ExperimentRecord, FORMAT, VERSION)
    if len(record.seeds) > MAX_SEEDS or any(seed < 0 for seed in record.seeds):
        raise FileFormatError(f"{path / NAME}: expected at most {MAX_SEEDS} seeds >= 0")
    return record


def begin(path: Path, env: Environment, config: Config, stops: Stops, seeds: Sequence[int]) -> ExperimentRecord:
    """Make the experiment of a locked folder, or add seeds to the one that it holds."""
    held: list[int] = []
    if holds_experiment(path):
        record = read_experiment(path)
        if (record.env, record.settings, record.stops) != (env.id, config, stops):
            raise RunError(
                f"{path} holds an experiment with {_difference(record, env, config)}; give those again to go on with "
                f"it, or name another folder with -o"
            )
        held = record.seeds
    elif not all(file.name == lock.NAME or is_draft(file, NAME) for file in path.iterdir()):
        raise RunError(f"{path} is not empty and does not hold an experiment; name another folder with -o")
    record = ExperimentRecord(FORMAT, VERSION, env.id, config, stops, sorted({*held, *seeds}))
    if record.seeds != held:
        with writing(path, "name another folder with -o"):
            write_atomic(path / NAME, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    return record


def _difference(record: ExperimentRecord, env: Environment, config: Config) -> str:
    if record.env != env.id:
        return f"environment {record.env}"
    for name in Config.__struct_fields__:
        if getattr(record.settings, name) != getattr(config, name):
            return f"{name} {getattr(record.settings, name)}"
    return "other limits"


def seed_folder(path: Path, seed: int) -> Path:
    """Where the run of a seed is."""
    return path / f"seed-{seed}"


def look(path: Path, record: ExperimentRecord) -> Seeds:
    """What there is of each seed."""
    done: dict[int, Run] = {}
    left: list[int] = []
    broken: dict[int, str] = {}
    for seed in record.seeds:
        folder = seed_folder(path, seed)
        try:
            if holds_run(folder) and _is_finished(folder, record, seed):
                done[seed] = read_run(folder)
            else:
                left.append(seed)
        except MococoError as error:
            broken[seed] = str(error)
    return Seeds(done, left, broken)


def _is_finished(folder: Path, record: ExperimentRecord, seed: int) -> bool:
    """Whether a seed's run has nothing left to do; refused where the folder holds another run."""
    held = read_config(folder)
    if (held.env, held.seed, held.settings, held.stops) != (record.env, seed, record.settings, record.stops):
        raise RunError(f"{folder} holds another run than its place in the experiment says; move it away")
    return is_finished(read_front(folder / "archive.json", record.env), record.settings)


def summary(runs: Mapping[int, Run]) -> list[Row]:
    """The archives of all runs, complexity by complexity."""
    found: dict[int, list[Scored]] = {}
    for run in runs.values():
        for complexity in {member.complexity for member in run.archive}:
            found.setdefault(complexity, []).append(best([m for m in run.archive if m.complexity == complexity]))
    return [_row(complexity, found[complexity]) for complexity in sorted(found)]


def _row(complexity: int, members: Sequence[Scored]) -> Row:
    performances = np.array([member.performance for member in members])
    low, middle, high = np.percentile(performances, [25, 50, 75]).tolist()
    fresh = float(np.median([member.fresh_performance for member in members]))
    return Row(complexity, len(members), (low, middle, high), float(performances.max()), fresh)
