"""`mococo train ENV --seeds N`: a process for each core, each at one seed; what is done is not done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from mococo.cli import text
from mococo.cli.interrupt import gently
from mococo.cli.limits import limit_words
from mococo.cli.main import INTERRUPTED, OK, REFUSED
from mococo.cli.settings import settings_text
from mococo.runs.experiment import ExperimentRecord, finished_runs, is_done, seed_folder, summary
from mococo.runs.reading import Run, holds_run
from mococo.runs.scores import best

_START = "import sys; from mococo.cli.main import main; sys.exit(main())"


class _Line(msgspec.Struct):
    """What is needed of a line of `--json`."""

    event: str


@dataclass
class Team:
    """The processes at work."""

    path: Path
    record: ExperimentRecord
    told: Callable[[int], None]
    """Called with the number of generations that are done anew."""
    running: dict[int, subprocess.Popen[str]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    stopping: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, seed: int) -> int:
        """Train or resume one seed; the seed."""
        with self.lock:
            if self.stopping:
                return seed
            # In a session of its own, so that Ctrl-C in the terminal reaches it only through us, and once.
            process = subprocess.Popen(
                [sys.executable, "-c", _START, *self._words(seed), "--threads", "1", "--json", "--quiet"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
            self.running[seed] = process
        with process:
            assert process.stdout
            assert process.stderr
            for line in process.stdout:
                if msgspec.json.decode(line, type=_Line).event == "generation":
                    self.told(1)
            complaint = process.stderr.read().strip().splitlines()
        with self.lock:
            del self.running[seed]
        if process.returncode not in (OK, INTERRUPTED):
            ending = f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}"
            self.failed[seed] = complaint[-1].removeprefix("mococo: ") if complaint else ending
        return seed

    def stop(self) -> None:
        """Let all finish their generation and save, and start no more."""
        with self.lock:
            self.stopping = True
            for process in self.running.values():
                process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End all at once."""
        for process in list(self.running.values()):
            process.kill()

    def _words(self, seed: int) -> list[str]:
        folder = seed_folder(self.path, seed)
        if holds_run(folder):
            return ["resume", str(folder)]
        settings = [f"--{setting}" for setting in settings_text(self.record.settings)]
        limits = limit_words(self.record.stops)
        return ["train", self.record.env, "--seed", str(seed), "-o", str(folder), *settings, *limits]


def run_seeds(path: Path, record: ExperimentRecord, processes: int, *, quiet: bool) -> int:
    """Run what is not done yet, and print the table. The exit code."""
    left = [seed for seed in record.seeds if not is_done(seed_folder(path, seed))]
    if len(left) < len(record.seeds) and not quiet:
        print(f"{len(record.seeds) - len(left)} of {len(record.seeds)} seeds are done already.", file=sys.stderr)
    with _progress(len(left) * record.settings.num_gens, quiet=quiet) as told:
        team = Team(path, record, told)
        with gently(quiet=quiet, at_once=team.kill) as asked, ThreadPoolExecutor(max(1, processes)) as pool:
            waiting = {pool.submit(team.run, seed) for seed in left}
            for seed in _finished(waiting, asked, team):
                if not quiet and not team.stopping and not sys.stderr.isatty():
                    state = "failed" if seed in team.failed else "done"
                    print(f"Seed {seed} {state}", file=sys.stderr, flush=True)
    runs = finished_runs(path, record.seeds)
    print(path if quiet else summary_text(path, runs, len(record.seeds)))
    for seed, why in sorted(team.failed.items()):
        print(f"mococo: seed {seed} failed ({why}); what there is of it is kept", file=sys.stderr)
    if team.stopping:
        again = text.command("mococo resume", path)
        print(f"mococo: stopped with {len(runs)} of {len(record.seeds)} seeds done; to go on: {again}", file=sys.stderr)
        return INTERRUPTED
    return REFUSED if team.failed else OK


def _finished(waiting: set[Future[int]], asked: Callable[[], bool], team: Team) -> Iterator[int]:
    """Seeds as they end; looks now and then whether somebody asked to stop."""
    while waiting:
        try:
            for future in as_completed(waiting, timeout=0.2):
                waiting.discard(future)
                yield future.result()
                break
        except TimeoutError:
            pass
        if asked() and not team.stopping:
            team.stop()


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("Generations"), MofNCompleteColumn(), BarColumn(None), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), expand=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda n: progress.advance(task, n)


def summary_text(path: Path, runs: dict[int, Run], n_seeds: int) -> str:
    """The table over seeds, and the best policy of all."""
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
    tops = {seed: best(run.archive) for seed, run in runs.items() if run.archive}
    if tops:
        seed = max(tops, key=lambda s: (tops[s].performance, -tops[s].complexity))
        top = tops[seed]
        folder = seed_folder(path, seed)
        low, high = (text.number(x) for x in top.fresh_interval)
        parts.append(
            text.wrapped(
                f"The best: seed {seed}, complexity {top.complexity}, {text.number(top.performance)}; from fresh "
                f"starts {text.number(top.fresh_performance)} ({low} to {high})."
            )
        )
        parts.append(f"To see it: {text.command('mococo show', folder)} --complexity {top.complexity}")
    return "\n".join(parts)
