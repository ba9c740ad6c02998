"""What a path on the command line holds: a run or a single policy."""

from __future__ import annotations

from pathlib import Path

from mococo.policy import Policy
from mococo.policy_json import load_policy
from mococo.runs.reading import Run, read_run


def open_source(path: Path) -> Run | Policy:
    """The run of a folder, or the policy of a file."""
    return read_run(path) if path.is_dir() else load_policy(path)
