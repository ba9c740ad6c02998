"""`mococo check-env`: is an environment's spec what it says, and what Gymnasium does?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from mococo.analysis import beside_gymnasium
from mococo.analysis.check_env import check_env
from mococo.cli import text
from mococo.cli.main import DIFFERS, OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.envs.registry import named
from mococo.errors import UsageError

MOST_STEPS = 100_000_000


@dataclass(frozen=True)
class CheckEnv:
    """Check the spec of a compiled environment, such as one of your own.

    It must run, give finite numbers and the same ones again, compile, and keep to its bounds and domains. If Gymnasium
    has an environment of the same id, or --gymnasium names one, both are stepped side by side. The exit code is 3 where
    something must be mended.
    """

    env: Annotated[str, TEXT, option("Environment: its id, or FILE.py, or FILE.py:NAME.", metavar="ENV")]
    gymnasium: Annotated[
        str | None, TEXT, option("Compare with this one of Gymnasium's.", default="that of the same id", metavar="ID")
    ] = None
    steps: Annotated[int, WHOLE, option("Steps to take with random actions.")] = 50_000
    seed: Annotated[int, WHOLE, option("Start of the random numbers.")] = 0
    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Check, compare, tell."""
    args = parse(CheckEnv, "check-env", words)
    if not 1 <= args.steps <= MOST_STEPS:
        raise UsageError(f"--steps must be between 1 and {MOST_STEPS:,}, got {args.steps}")
    env = named(args.env)
    if env.simulator is not None:
        raise UsageError(
            f"{env.id} is Gymnasium's own, played for real: there is nothing to compare; check-env is for compiled "
            f"environments, such as one of your own"
        )
    findings = check_env(env, args.steps, args.seed)
    gym_id = args.gymnasium or (env.id if beside_gymnasium.known(env.id) else None)
    if gym_id is not None:
        findings += beside_gymnasium.compare(env, gym_id, args.steps, args.seed)
    faults = sum(finding.kind == "fault" for finding in findings)
    if args.json:
        data = {"env": env.id, "gymnasium": gym_id, "findings": findings}
        print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
        return DIFFERS if faults else OK
    for finding in findings:
        print(text.wrapped(finding.text, f"{finding.kind:<6} ", " " * 7))
    if gym_id is None:
        print(text.wrapped("Gymnasium has none of this id; --gymnasium ID compares with another.", " " * 7, " " * 7))
    print(f"{env.id}: {text.counted(faults, 'fault') if faults else 'no faults'}")
    return DIFFERS if faults else OK
