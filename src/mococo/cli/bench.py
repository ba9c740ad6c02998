"""`mococo bench`: how fast policies are rolled out here, side by side with plain Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import msgspec

from mococo.analysis.speed import Speed, measure
from mococo.cli import text
from mococo.cli.main import OK
from mococo.cli.parsing import NUMBER, TEXT, WHOLE, option, parse
from mococo.cli.progress import amount, say_compiling
from mococo.envs.registry import named
from mococo.errors import UsageError
from mococo.kernels.notice import compile_notice
from mococo.rollout import check_threads

_MOST_SECONDS = 600


@dataclass(frozen=True)
class Bench:
    """Measure how fast policies are rolled out on this machine, side by side with plain Gymnasium.

    The policies are those of a population after twenty generations. Numbers shift with what else the machine is doing;
    the ratios of one run are what to compare.
    """

    env: Annotated[str, TEXT, option("Environment.", metavar="ID")] = "MountainCar-v0"
    seconds: Annotated[float, NUMBER, option("Time for each line of the table.")] = 1.0
    threads: Annotated[int | None, WHOLE, option("Threads to compare with one.", default="one for each core")] = None
    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Measure and print."""
    args = parse(Bench, "bench", words)
    if not 0 < args.seconds <= _MOST_SECONDS:
        raise UsageError(f"--seconds must be above 0 and at most {_MOST_SECONDS}, got {args.seconds}")
    env, threads = named(args.env), check_threads(args.threads)
    with compile_notice(say_compiling):
        speeds = list(measure(env, sorted({1, threads}), args.seconds))
    if args.json:
        data = [{**asdict(speed), "nanoseconds_per_step": speed.nanoseconds} for speed in speeds]
        print(msgspec.json.format(msgspec.json.encode({"env": env.id, "speeds": data}), indent=2).decode())
    else:
        print(f"{env.id}:\n{_table(speeds)}")
    return OK


def _table(speeds: Sequence[Speed]) -> str:
    headers = ("", "Steps/s", "One step", "Policies/s", "Times faster")
    base = next((s for s in speeds if not math.isnan(s.policies_per_second)), speeds[0])
    rows = [
        (
            speed.way,
            amount(speed.steps_per_second),
            _time(speed.nanoseconds),
            "" if math.isnan(speed.policies_per_second) else amount(speed.policies_per_second),
            _times(speed.steps_per_second / base.steps_per_second),
        )
        for speed in speeds
    ]
    return text.table(headers, rows, words=1)


def _time(nanoseconds: float) -> str:
    """A short time.

    >>> _time(9.37), _time(6820.0)
    ('9.37 ns', '6.82 µs')
    """
    return f"{nanoseconds:.3g} ns" if nanoseconds < 1000 else f"{nanoseconds / 1000:.3g} µs"


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"
