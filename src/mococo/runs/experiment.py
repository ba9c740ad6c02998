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
from mococo.files import write_atomic
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
    elif any(file.name != lock.NAME for file in path.iterdir()):
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


def is_done(folder: Path) -> bool:
    """Whether a seed's run has nothing left to do; False too where it cannot be read, which going on will tell."""
    if not holds_run(folder):
        return False
    try:
        record = read_config(folder)
        return is_finished(read_front(folder / "archive.json", record.env), record.settings)
    except MococoError:
        return False


def finished_runs(path: Path, seeds: Sequence[int]) -> dict[int, Run]:
    """The runs that are done, by their seeds."""
    folders = {seed: seed_folder(path, seed) for seed in seeds}
    return {seed: read_run(folder) for seed, folder in folders.items() if is_done(folder)}


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
