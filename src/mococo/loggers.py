"""Runs in TensorBoard and Weights & Biases, as callbacks of `mococo.train`. Each needs its extra to be installed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mococo.errors import MissingExtra, UsageError
from mococo.training import Progress, Record, Result


def scalars(record: Record) -> dict[str, float]:
    """A generation as named numbers, alike for all loggers.

    >>> record = Record(0, 80, 900, {4: -120.5}, 10.0, 12.0, 3, 0.5)
    >>> scalars(record)["best/complexity-04"]
    -120.5
    """
    seconds = max(record.seconds, 1e-9)
    return {
        "hypervolume/front": record.hypervolume,
        "hypervolume/archive": record.archive_hypervolume,
        "archive_size": float(record.archive_size),
        "evaluations_per_second": record.evaluations / seconds,
        "env_steps_per_second": record.env_steps / seconds,
        **{f"best/complexity-{complexity:02d}": best for complexity, best in record.best.items()},
    }


class TensorBoard:
    """Writes event files that `tensorboard --logdir FOLDER` shows.

    The step of a number is its generation. `first` is that of a run that goes on: what was written from there on,
    before it was stopped, is no longer shown.
    """

    def __init__(self, folder: str | Path, first: int | None = None) -> None:
        writer = _library("tensorboardX", "tensorboard").SummaryWriter
        # Files are named by the second: those of a run that goes on at once must not take the place of the first.
        self._writer = writer(str(folder), purge_step=first, filename_suffix="" if first is None else f".{first}")

    def on_generation(self, progress: Progress) -> None:
        """Write the generation's numbers."""
        for name, value in scalars(progress.record).items():
            self._writer.add_scalar(name, value, progress.record.gen)

    def on_end(self, result: Result) -> None:
        """Write the archive's rules as text, and close the files."""
        last = result.history[-1].gen if result.history else 0
        for member in result.archive:
            rules = "\n".join(f"{number}. {rule.text}" for number, rule in enumerate(member.policy.rules, 1))
            self._writer.add_text(f"rules/complexity-{member.complexity:02d}", rules, last)
        self._writer.close()


class WeightsAndBiases:
    """Sends a run to Weights & Biases, or with mode="offline" writes it into a local folder for `wandb sync`.

    `config` and further arguments are those of `wandb.init`.
    """

    def __init__(self, project: str, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        wandb = _library("wandb", "wandb")
        try:
            self._run = wandb.init(project=project, config=dict(config or {}), **options)
        except wandb.errors.Error as error:
            raise UsageError(
                f"Weights & Biases cannot be used ({error}); to log to a local folder instead, set WANDB_MODE=offline"
            ) from None

    def on_generation(self, progress: Progress) -> None:
        """Log the generation's numbers."""
        self._run.log(scalars(progress.record), step=progress.record.gen)

    def on_end(self, result: Result) -> None:
        """Put the archive into the run's summary, and end it."""
        for member in result.archive:
            self._run.summary[f"archive/complexity-{member.complexity:02d}"] = member.performance
        self._run.finish()


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(f"{name} is not installed; get it with: pip install 'mococo[{extra}]'") from None
