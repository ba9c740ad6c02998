"""`mococo train`: evolve policies, show how it goes, and save what was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from mococo.cli import text
from mococo.cli.environment import Described, given_choices
from mococo.cli.limits import Limits, given_limits
from mococo.cli.main import INTERRUPTED
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.seeds import run_seeds
from mococo.cli.settings import chosen_in, chosen_subspecies, given_settings, resolved, with_settings
from mococo.cli.watching import TensorBoard, Wandb, loggers_of, watching_words
from mococo.cli.work import View, work
from mococo.config import Config, make_config
from mococo.envs.choices import Choices
from mococo.envs.registry import named
from mococo.envs.spec import Environment
from mococo.errors import UsageError
from mococo.rollout import check_threads
from mococo.runs import lock
from mococo.runs.experiment import MAX_SEEDS, begin
from mococo.runs.folder import check_free, check_kept_seed, create
from mococo.runs.session import Session
from mococo.stops import Stops


@dataclass(frozen=True)
class Train:
    """Evolve policies for an environment and save them in a run folder.

    The same seed and settings give the same policies, with any number of threads.
    Settings count in this order: command line, file, environment, the paper's. The defaults of settings below are the
    paper's; `mococo config --env ENV` prints those of an environment.
    """

    env: Annotated[str, TEXT, option("Environment, for example MountainCar-v0.", metavar="ENV")]
    seed: Annotated[int, WHOLE, option("Start of the random numbers.")] = 0
    seeds: Annotated[
        int | None,
        WHOLE,
        option("Run this many seeds, from --seed on, a process for each core, into DIR/seed-N.", default=""),
    ] = None
    config: Annotated[
        str | None, TEXT, option("TOML file of settings, with lines such as num_gens = 20.", default="", metavar="FILE")
    ] = None
    out: Annotated[
        str | None, TEXT, option("Folder to save in.", default="runs/ENV-seedN", short="-o", metavar="DIR")
    ] = None
    overwrite: Annotated[bool, option("Replace the run that the folder holds.", default="")] = False
    quiet: Annotated[bool, option("Print nothing but the folder.", default="")] = False
    json: Annotated[bool, option("Print a line of JSON for each generation, and one at the end.", default="")] = False
    tensorboard: TensorBoard = False
    wandb: Wandb = None
    threads: Annotated[int | None, WHOLE, option("Threads to evaluate on.", default="one for each core")] = None


def run(words: Sequence[str]) -> int:
    """Check everything, make the folder, train, save, tell."""
    args = parse(with_settings(Train, Limits, Described), "train", words)
    file = Path(args.config) if args.config is not None else None
    choices = given_choices(args, chosen_in(file))
    env = named(args.env, **msgspec.to_builtins(choices))
    given, why = chosen_subspecies(env, file, given_settings(args))
    config = resolved(env, file, given)
    if not args.quiet:
        shipped = config.subspecies == make_config(env.settings).subspecies
        _tell(*env.notes, *(why or (env.why if shipped else ())))
    seed, threads, stops = check_kept_seed(args.seed), check_threads(args.threads), Stops(**given_limits(args))
    if args.seeds is not None:
        return _train_seeds(args, env, config, stops, choices)
    path = Path(args.out) if args.out is not None else default_folder(env.id, seed)
    if not (path / lock.NAME).exists():  # else the folder may be in use: then say so, and by whom
        check_free(path, overwrite=args.overwrite)
    with lock.locked(path):
        session = Session(create(path, env, config, seed, overwrite=args.overwrite, stops=stops), seed, stops)
        return _train(session, args, threads)


def _tell(*notes: str) -> None:
    for note in notes:
        print(text.wrapped(note, others="  "), file=sys.stderr)


def _train_seeds(args: Train, env: Environment, config: Config, stops: Stops, choices: Choices) -> int:
    if args.seeds is None or not 1 <= args.seeds <= MAX_SEEDS:
        raise UsageError(f"--seeds must be between 1 and {MAX_SEEDS:,}, got {args.seeds}")
    if args.overwrite or args.json:
        raise UsageError(
            "--seeds goes on with what the folder holds, and prints a table: not with --overwrite or --json"
        )
    seeds = range(args.seed, args.seed + args.seeds)
    path = Path(args.out) if args.out is not None else Path("runs") / f"{env.id.replace('/', '-')}-seeds"
    with lock.locked(path):
        record = begin(path, env, config, stops, seeds, choices)
        return run_seeds(path, record, check_threads(args.threads), watching_words(args), quiet=args.quiet)


def default_folder(env_id: str, seed: int) -> Path:
    """Where a run goes if nothing else is said."""
    return Path("runs") / f"{env_id.replace('/', '-')}-seed{seed}"


def _train(session: Session, args: Train, threads: int) -> int:
    try:
        session.callbacks = loggers_of(args, session)
        return work(session, threads, View(args.quiet, args.json))
    except KeyboardInterrupt:
        if session.history:
            raise
        print("mococo: stopped before the first generation was evaluated; nothing was saved", file=sys.stderr)
        return INTERRUPTED
    finally:
        if not session.history:
            session.folder.discard()
