"""`mococo train`: evolve policies, show how it goes, and save what was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mococo.cli import text
from mococo.cli.main import INTERRUPTED, OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.progress import display
from mococo.cli.settings import given_settings, resolved, with_settings
from mococo.envs.registry import find
from mococo.evaluation import check_seed
from mococo.kernels.notice import compile_notice
from mococo.rollout import check_threads
from mococo.runs.folder import RunFolder, create
from mococo.runs.scores import FRESH_STARTS, best, score
from mococo.training import Progress, evolve


@dataclass(frozen=True)
class Train:
    """Evolve policies for an environment and save them in a run folder.

    The same seed and settings give the same policies, with any number of threads.
    Settings count in this order: command line, file, environment, the paper's.
    """

    env: Annotated[str, TEXT, option("Environment, for example MountainCar-v0.", metavar="ENV")]
    seed: Annotated[int, WHOLE, option("Start of the random numbers.")] = 0
    config: Annotated[
        str | None, TEXT, option("TOML file of settings, with lines such as num_gens = 20.", default="", metavar="FILE")
    ] = None
    out: Annotated[
        str | None, TEXT, option("Folder to save in.", default="runs/ENV-seedN", short="-o", metavar="DIR")
    ] = None
    overwrite: Annotated[bool, option("Replace the run that the folder holds.", default="")] = False
    quiet: Annotated[bool, option("Print nothing but the folder.", default="")] = False
    threads: Annotated[int | None, WHOLE, option("Threads to evaluate on.", default="one for each core")] = None


def run(words: Sequence[str]) -> int:
    """Check everything, make the folder, train, save, tell."""
    args = parse(with_settings(Train), "train", words)
    env = find(args.env)
    config = resolved(env, Path(args.config) if args.config is not None else None, given_settings(args))
    seed, threads = check_seed(args.seed), check_threads(args.threads)
    path = Path(args.out) if args.out is not None else default_folder(env.id, seed)
    folder = create(path, env, config, seed, overwrite=args.overwrite)
    last, interrupted = _train(folder, seed, threads, quiet=args.quiet)
    if last is None:
        print("mococo: stopped before the first generation was evaluated; nothing was saved", file=sys.stderr)
        return INTERRUPTED
    _finish(folder, last, threads, quiet=args.quiet)
    if interrupted:
        reached = f"{last.record.gen + 1} of {config.num_gens}"
        print(f"mococo: stopped after generation {reached}; what was found is in {path}", file=sys.stderr)
        return INTERRUPTED
    return OK


def default_folder(env_id: str, seed: int) -> Path:
    """Where a run goes if nothing else is said."""
    return Path("runs") / f"{env_id.replace('/', '-')}-seed{seed}"


def _train(folder: RunFolder, seed: int, threads: int, *, quiet: bool) -> tuple[Progress | None, bool]:
    """The last generation, and whether Ctrl-C ended the run there."""
    last: Progress | None = None
    try:
        with display(folder.config.num_gens, quiet=quiet) as shown, compile_notice(shown.compiling):
            for progress in evolve(folder.env, seed, folder.config, threads=threads):
                folder.record(progress.record)
                last = progress
                shown.update(progress)
    except KeyboardInterrupt:
        return last, True
    finally:
        if last is None:
            folder.discard()
    return last, False


def _finish(folder: RunFolder, last: Progress, threads: int, *, quiet: bool) -> None:
    """Save and print what was found."""
    front, archive = (score(members, folder.env, threads) for members in (last.front, last.archive))
    folder.finish(front, archive)
    if quiet:
        print(folder.path)
        return
    print(text.archive_text(archive, folder.config.eta, FRESH_STARTS))
    print()
    print(text.last_front_text(front))
    if archive:
        top = best(archive)
        print(f"\nThe best policy, complexity {top.complexity}:")
        print(text.rules(top.policy))
    print(f"\nSaved in {folder.path}")
    print(f"To see more: {text.command('mococo show', folder.path)}")
