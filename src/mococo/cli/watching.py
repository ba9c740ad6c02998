"""The options that log a run elsewhere: `--tensorboard`, `--wandb NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol

from mococo import loggers
from mococo.cli.parsing import TEXT, option
from mococo.cli.settings import settings_text
from mococo.runs.folder import TENSORBOARD
from mococo.runs.session import Session
from mococo.training import Callback

TensorBoard = Annotated[bool, option("Write event files for TensorBoard into DIR/tensorboard.", default="")]
Wandb = Annotated[str | None, TEXT, option("Log to this project of Weights & Biases.", default="", metavar="NAME")]


class Watched(Protocol):
    """What these options need of a command's arguments."""

    @property
    def tensorboard(self) -> bool:
        """Whether TensorBoard's files are written."""

    @property
    def wandb(self) -> str | None:
        """The project."""

    @property
    def quiet(self) -> bool:
        """Whether nothing else is printed."""


def loggers_of(args: Watched, session: Session) -> Sequence[Callback]:
    """The loggers that were asked for. Those of a resumed run go on behind its checkpoint."""
    found: list[Callback] = []
    folder, done = session.folder, len(session.history)
    if args.tensorboard:
        found.append(loggers.TensorBoard(folder.path / TENSORBOARD, first=done or None))
    if args.wandb is not None:
        settings = dict(setting.split("=", 1) for setting in settings_text(folder.config))
        described = {"env": folder.env.id, "seed": session.seed, **settings}
        # What goes on after a checkpoint is another of their runs, and stands beside the first in one group.
        options = {"dir": str(folder.path), "group": str(folder.path), "settings": {"silent": args.quiet}}
        found.append(loggers.WeightsAndBiases(args.wandb, described, **options))
    return found


def watching_words(args: Watched) -> list[str]:
    """The options that give the same loggers."""
    project = [] if args.wandb is None else [f"--wandb={args.wandb}"]
    return [*(["--tensorboard"] if args.tensorboard else []), *project]
