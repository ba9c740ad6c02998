"""What a path on the command line holds: a run, many runs, or a single policy."""

from __future__ import annotations

from pathlib import Path

from mococo.errors import UsageError
from mococo.policy import Policy
from mococo.policy_json import load_policy
from mococo.runs.experiment import holds_experiment, look, read_experiment
from mococo.runs.reading import Run, holds_run, read_run
from mococo.runs.scores import Scored, best


def open_source(path: Path) -> Run | Policy:
    """The run of a folder, or the policy of a file."""
    return read_run(path) if path.is_dir() else load_policy(path)


def chosen(source: Run, complexity: int | None) -> Scored:
    """The run's policy of a complexity, by default the best."""
    if not source.archive:
        raise UsageError(f"{source.path} holds no policies")
    if complexity is None:
        return best(source.archive)
    for member in source.archive:
        if member.complexity == complexity:
            return member
    known = ", ".join(str(member.complexity) for member in source.archive)
    raise UsageError(f"{source.path} holds no policy of complexity {complexity}; it holds: {known}")


def open_runs(path: Path) -> list[Run]:
    """The run of a folder, the finished ones of an experiment, or those in a folder's folders; of one environment."""
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        raise UsageError(f"{path} {what}, but the folder of a run is needed, such as mococo train writes with -o")
    if holds_experiment(path):
        runs = list(look(path, read_experiment(path)).done.values())
        if not runs:
            raise UsageError(f"no seed of {path} is done yet; go on with mococo resume {path}")
    else:
        runs = [read_run(folder) for folder in _folders(path)]
    for other in runs:
        if other.env != runs[0].env:
            raise UsageError(
                f"only runs of one environment can be seen together, but {runs[0].path} is of {runs[0].env} and "
                f"{other.path} of {other.env}"
            )
    return runs


def _folders(path: Path) -> list[Path]:
    try:
        found = [path] if holds_run(path) else sorted(folder for folder in path.iterdir() if holds_run(folder))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from None
    if not found:
        raise UsageError(f"{path} does not hold a run, nor folders of runs")
    return found
