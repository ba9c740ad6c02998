"""`mococo train ENV --seeds N`: seeds over all cores; what is done is not done again, what failed is kept and told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mococo.cli import text
from mococo.cli.interrupt import gently
from mococo.cli.limits import limit_words
from mococo.cli.main import INTERRUPTED, OK, REFUSED
from mococo.cli.settings import settings_text
from mococo.cli.team import Team
from mococo.runs.experiment import ExperimentRecord, Seeds, look, seed_folder, summary
from mococo.runs.reading import Run, holds_run
from mococo.runs.scores import best


@dataclass(frozen=True)
class Outcome:
    """What came of the seeds."""

    seeds: Seeds
    failed: Mapping[int, str]
    """Why the others could not be run."""
    stopped: bool
    """Whether somebody asked to stop."""


def run_seeds(path: Path, record: ExperimentRecord, cores: int, more: Sequence[str] = (), *, quiet: bool) -> int:
    """Run what is not done yet, and print the table. `more` are options for each seed's command. The exit code."""
    outcome = train_seeds(path, record, cores, more, quiet=quiet)
    print(path if quiet else summary_text(path, outcome.seeds))
    return tell_end(outcome, text.command("mococo resume", path))


def train_seeds(path: Path, record: ExperimentRecord, cores: int, more: Sequence[str] = (), *, quiet: bool) -> Outcome:
    """Run what is not done yet, and show how it goes."""
    before = look(path, record)
    if before.done and not quiet:
        print(f"{len(before.done)} of {len(record.seeds)} seeds are done already.", file=sys.stderr)
    processes = min(cores, len(before.left))
    commands = {seed: _words(path, record, seed, max(1, cores // max(1, processes)), more) for seed in before.left}
    with _progress(len(commands) * record.settings.num_gens, quiet=quiet) as told:
        team = Team(commands, told)
        with gently(quiet=quiet, at_once=team.kill) as asked:
            for seed in team.work(processes):
                if seed is not None and not quiet and not team.stopping and not sys.stderr.isatty():
                    state = "failed" if seed in team.failed else "done"
                    print(f"Seed {seed} {state}", file=sys.stderr, flush=True)
                if asked() and not team.stopping:
                    team.stop()
    seeds = look(path, record)
    return Outcome(seeds, seeds.broken | team.failed, team.stopping)


def tell_end(outcome: Outcome, again: str) -> int:
    """List what failed, and say how to go on after a stop. The exit code."""
    complain(outcome.failed)
    if outcome.stopped:
        reached = f"stopped with {len(outcome.seeds.done)} of {outcome.seeds.total} seeds done"
        print(f"mococo: {reached}; to go on: {again}", file=sys.stderr)
        return INTERRUPTED
    return REFUSED if outcome.failed else OK


def complain(failed: Mapping[int, str]) -> None:
    """List the seeds that failed; faults of ours with their tracebacks."""
    for seed, why in sorted(failed.items()):
        *before, last = why.splitlines() or ["no reason was given"]
        told = f"mococo: seed {seed} failed ({last}); what there is of it is kept"
        print("\n".join([*before, told]), file=sys.stderr)


def _words(path: Path, record: ExperimentRecord, seed: int, threads: int, more: Sequence[str]) -> list[str]:
    """The command line that trains or resumes one seed."""
    folder = seed_folder(path, seed)
    common = ["--threads", str(threads), "--json", "--quiet", *more]
    if holds_run(folder):
        return ["resume", str(folder), *common]
    settings = [f"--{setting}" for setting in settings_text(record.settings)]
    limits = limit_words(record.stops)
    return ["train", record.env, "--seed", str(seed), "-o", str(folder), *settings, *limits, *common]


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[], object]]:
    """What to call after each generation."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("Generations"), MofNCompleteColumn(), BarColumn(None), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), expand=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)


def summary_text(path: Path, seeds: Seeds) -> str:
    """The table over seeds, and the best policy of all."""
    runs, n_seeds = seeds.done, seeds.total
    if not runs:
        return f"No seed of {n_seeds} is done yet."
    headers = ("Complexity", "Seeds", "Lower quartile", "Median", "Upper quartile", "Best", "Fresh median")
    rows = [
        (
            str(row.complexity),
            str(row.seeds),
            *(text.number(x) for x in (*row.quartiles, row.best, row.fresh_median)),
        )
        for row in summary(runs)
    ]
    eta = next(iter(runs.values())).config.eta
    legend = (
        f"Archives of {len(runs)} of {text.counted(n_seeds, 'seed')}: how many have a policy of a complexity, and its "
        f"mean return from {text.counted(eta, 'training start')}; at the right the median from fresh starts:"
    )
    parts = [text.wrapped(legend), text.table(headers, rows)]
    return "\n".join([*parts, *_best_of(path, runs)])


def _best_of(path: Path, runs: Mapping[int, Run]) -> list[str]:
    """Which seed found the best policy, and how to see it."""
    tops = {seed: best(run.archive) for seed, run in runs.items() if run.archive}
    if not tops:
        return []
    seed = max(tops, key=lambda s: (tops[s].performance, -tops[s].complexity))
    top = tops[seed]
    found = text.wrapped(
        f"The best: seed {seed}, complexity {top.complexity}, {text.number(top.performance)}; from fresh starts "
        f"{text.number(top.fresh_performance)} ({text.interval(top.fresh_interval)})."
    )
    return [found, f"To see it: {text.command('mococo show', seed_folder(path, seed))} --complexity {top.complexity}"]
