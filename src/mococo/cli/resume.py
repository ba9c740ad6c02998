"""`mococo resume`: go on with a run from its last checkpoint, as if it had never stopped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from mococo.cli import text
from mococo.cli.environment import Careful, given_care
from mococo.cli.limits import Limits, given_limits
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.seeds import run_seeds
from mococo.cli.settings import given_settings, with_settings
from mococo.cli.watching import TensorBoard, Wandb, loggers_of, watching_words
from mococo.cli.work import View, work
from mococo.config import Config, make_config
from mococo.errors import ConfigError, UsageError
from mococo.rollout import check_threads
from mococo.runs import lock
from mococo.runs.experiment import holds_experiment, read_experiment
from mococo.runs.folder import versions
from mococo.runs.reading import read_config
from mococo.runs.records import RunRecord
from mococo.runs.session import Session, reopen


@dataclass(frozen=True)
class Resume:
    """Go on with a run from its last checkpoint, as if it had never stopped.

    Only the number of generations may be raised, and the limits may be given anew ("none" takes one away); the other
    settings must stay as they are.
    """

    path: Annotated[str, TEXT, option("Folder of a run, or of many seeds.", metavar="RUN")]
    quiet: Annotated[bool, option("Print nothing but the folder.", default="")] = False
    json: Annotated[bool, option("Print a line of JSON for each generation, and one at the end.", default="")] = False
    tensorboard: TensorBoard = False
    wandb: Wandb = None
    threads: Annotated[int | None, WHOLE, option("Threads to evaluate on.", default="one for each core")] = None


def run(words: Sequence[str]) -> int:
    """Check what is to change, read the checkpoint, go on."""
    args = parse(with_settings(Resume, Limits, Careful), "resume", words)
    path, threads, limits = Path(args.path), check_threads(args.threads), given_limits(args)
    if holds_experiment(path):
        return _resume_seeds(path, {**given_settings(args), **limits}, threads, args)
    record = read_config(path)
    _check_unchanged(record.settings, given_settings(args))
    with lock.locked(path, "make it writable, or resume a copy"):
        session = reopen(path, given_settings(args).get("num_gens"), limits, given_care(args))
        if not isinstance(session, Session):
            _say_finished(path, record, session.ended, quiet=args.quiet)
            return OK
        if not args.quiet:
            _say_where(session, record)
        session.callbacks = loggers_of(args, session)
        return work(session, threads, View(args.quiet, args.json))


def _resume_seeds(path: Path, given: dict[str, Any], threads: int, args: Resume) -> int:
    if args.json:
        raise UsageError(f"{path} holds many seeds, of which a table is printed: not with --json")
    if given:
        raise UsageError(f"{path} holds many seeds, which must stay alike: no settings or limits can be given")
    with lock.locked(path, "make it writable, or resume a copy"):
        return run_seeds(path, read_experiment(path), threads, watching_words(args), quiet=args.quiet)


def _check_unchanged(config: Config, given: dict[str, Any]) -> None:
    changed = make_config(given, config)
    for name in given:
        if name != "num_gens" and getattr(changed, name) != getattr(config, name):
            raise ConfigError(
                f"{name} cannot change when a run is resumed: it is {getattr(config, name)!r}, got "
                f"{getattr(changed, name)!r}. Only num_gens may be raised; for other settings, train anew"
            )


def _say_finished(path: Path, record: RunRecord, ended: str, *, quiet: bool) -> None:
    if quiet:
        print(path)
        return
    if ended:
        name = ended.split(":", maxsplit=1)[0].replace("_", "-")
        print(f"{path} has ended ({ended}): nothing to do. To go on: --{name} with another limit, or none")
    else:
        done = text.counted(record.settings.num_gens, "generation")
        print(f"{path} is finished, all {done}: nothing to do. To add some: --num-gens N")


def _say_where(session: Session, record: RunRecord) -> None:
    if session.last is None:
        print("There is no checkpoint: the run begins again from its seed.", file=sys.stderr)
    else:
        total = session.folder.config.num_gens
        print(f"Going on after generation {len(session.history)} of {total}.", file=sys.stderr)
    now = versions()
    other = [
        f"{name} {record.versions.get(name)} -> {now[name]}" for name in now if record.versions.get(name) != now[name]
    ]
    if other:
        print(f"Versions have changed since it began, so results may differ: {', '.join(other)}", file=sys.stderr)
