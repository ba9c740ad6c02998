"""`mococo solve`: how well any policy can do, by value iteration on a grid."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import msgspec

from mococo.analysis.value_iteration import FRESH_STARTS, TRAINING_STARTS, Solution, solve
from mococo.cli import text
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.progress import say_compiling
from mococo.envs.registry import named
from mococo.kernels.notice import compile_notice

STARTS = (text.counted(TRAINING_STARTS, "training start"), text.counted(FRESH_STARTS, "fresh start"))


@dataclass(frozen=True)
class Solve:
    """Find nearly optimal policies on a grid over the environment's two features.

    They are what evolved policies can be measured by, not policies that a person can read.
    """

    env: Annotated[str, TEXT, option("Environment, for example MountainCar-v0.", metavar="ENV")]
    bins: Annotated[int, WHOLE, option("Cells along each feature.")] = 1000
    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Solve and print."""
    args = parse(Solve, "solve", words)
    env = named(args.env)
    with _bar(2 * env.t_max) as advance, compile_notice(say_compiling):
        solution = solve(env, args.bins, progress=advance)
    print(_json(solution) if args.json else solution_text(solution))
    return OK


def solution_text(s: Solution) -> str:
    """The mean returns of both policies."""
    head = f"{s.env_id}, value iteration on {s.bins} x {s.bins} cells: {s.sweeps} sweeps, {text.duration(s.seconds)}"
    headers = ("Mean return of the policy that", *STARTS)
    rows = [
        ("looks its action up in its cell", text.number(s.performance), text.number(s.fresh_performance)),
        (
            "looks one step ahead, interpolating",
            text.number(s.interpolated_performance),
            text.number(s.interpolated_fresh_performance),
        ),
    ]
    return f"{head}\n{text.table(headers, rows, words=1)}"


def _json(solution: Solution) -> str:
    names = [name for name in solution.__dataclass_fields__ if name != "values"]
    data = {name: getattr(solution, name) for name in names}
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode()


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, which goes when the work is done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Sweeps, at most", total=total)
        yield lambda sweeps: progress.update(task, completed=sweeps)
