"""`mococo evaluate`: episodes of a policy, or of all the policies of a run, from fresh starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from mococo.cli import text
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.progress import say_compiling
from mococo.cli.sources import open_source
from mococo.envs.registry import find, named
from mococo.errors import UsageError
from mococo.evaluation import Evaluation, evaluate
from mococo.kernels.notice import compile_notice
from mococo.policy import Policy
from mococo.rollout import check_threads

MOST_EPISODES = 1_000_000
_NORMAL_95 = 1.959963984540054  # the normal distribution's 97.5 % point


@dataclass(frozen=True)
class Evaluate:
    """Play episodes from fresh starts with a policy, or with each policy of a run.

    The interval holds the true mean with 95 % (normal approximation: mean ± 1.96 standard errors).
    """

    policy: Annotated[str, TEXT, option("File of a policy, or folder of a run.", metavar="POLICY")]
    env: Annotated[str | None, TEXT, option("Environment.", default="the run's", metavar="ID")] = None
    episodes: Annotated[int, WHOLE, option("Episodes for each policy.")] = 1000
    seed: Annotated[int, WHOLE, option("Start of the random numbers that give the starts.")] = 0
    threads: Annotated[int | None, WHOLE, option("Threads.", default="one for each core")] = None
    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False


class Summary(msgspec.Struct, frozen=True):
    """The episodes of one policy in numbers; null where one episode cannot tell."""

    complexity: int
    mean: float
    standard_error: float | None
    interval_95: tuple[float, float] | None
    min: float
    median: float
    max: float
    mean_steps: float
    uncovered: int
    uncovered_share: float


def run(words: Sequence[str]) -> int:
    """Read, play, print."""
    args = parse(Evaluate, "evaluate", words)
    if not 1 <= args.episodes <= MOST_EPISODES:
        raise UsageError(f"--episodes must be between 1 and {MOST_EPISODES:,}, got {args.episodes}")
    threads = check_threads(args.threads)
    source = open_source(Path(args.policy))
    if isinstance(source, Policy):
        if args.env is None:
            raise UsageError(f"{args.policy} is a single policy: say with --env in which environment it shall act")
        policies, env = [source], named(args.env)
    else:
        policies, env = [member.policy for member in source.archive], named(args.env) if args.env else find(source.env)
        if not policies:
            raise UsageError(f"{args.policy} holds no policies")
    with compile_notice(say_compiling):
        played = evaluate(policies, env, episodes=args.episodes, seed=args.seed, threads=threads)
    summaries = [_summary(policy, played, row) for row, policy in enumerate(policies)]
    if args.json:
        data = {"env": env.id, "episodes": args.episodes, "seed": args.seed, "policies": summaries}
        print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
        return OK
    print(f"{env.id}, {text.counted(args.episodes, 'episode')} from fresh starts (seed {args.seed}):")
    print(_one(summaries[0]) if isinstance(source, Policy) else _several(summaries))
    return OK


def _summary(policy: Policy, played: Evaluation, row: int) -> Summary:
    returns = played.returns[row]
    n, mean = len(returns), float(returns.mean())
    error = float(returns.std(ddof=1)) / math.sqrt(n) if n > 1 else None
    return Summary(
        complexity=policy.complexity,
        mean=mean,
        standard_error=error,
        interval_95=None if error is None else (mean - _NORMAL_95 * error, mean + _NORMAL_95 * error),
        min=float(returns.min()),
        median=float(np.median(returns)),
        max=float(returns.max()),
        mean_steps=float(played.steps[row].mean()),
        uncovered=int(played.uncovered[row]),
        uncovered_share=int(played.uncovered[row]) / n,
    )


def _one(s: Summary) -> str:
    error = "?" if s.standard_error is None else text.number(s.standard_error)
    lines = {
        "mean return": f"{text.number(s.mean)} ± {error} (standard error)",
        "95 % interval": _interval(s),
        "min, median, max": f"{s.min:g}, {s.median:g}, {s.max:g}",
        "mean steps": f"{s.mean_steps:.1f}",
        "uncovered": f"{text.counted(s.uncovered, 'episode')} ({100 * s.uncovered_share:.1f} %)",
    }
    return "\n".join(f"  {name:<16}  {value}" for name, value in lines.items())


def _several(summaries: Sequence[Summary]) -> str:
    headers = ("Complexity", "Mean", "95 % interval", "Min", "Median", "Max", "Steps", "Uncovered")
    rows = [
        (
            str(s.complexity),
            text.number(s.mean),
            _interval(s),
            f"{s.min:g}",
            f"{s.median:g}",
            f"{s.max:g}",
            f"{s.mean_steps:.1f}",
            f"{100 * s.uncovered_share:.1f} %",
        )
        for s in summaries
    ]
    return text.table(headers, rows)


def _interval(s: Summary) -> str:
    return "unknown" if s.interval_95 is None else " to ".join(text.number(x) for x in s.interval_95)
