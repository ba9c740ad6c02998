"""`mococo envs`: what policies can be trained for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from mococo.cli import text
from mococo.cli.main import OK
from mococo.cli.parsing import option, parse
from mococo.envs import catalogue
from mococo.envs.spec import Environment


@dataclass(frozen=True)
class Envs:
    """List the environments that policies can be trained for: compiled, your own, Gymnasium's, and with an extra."""

    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Ask, print."""
    args = parse(Envs, "envs", words)
    compiled, users, others = catalogue.compiled(), catalogue.users(), catalogue.others()
    if args.json:
        data = [
            *(_record(env, "compiled") for env in compiled),
            *(_record(env, "own") for env in users),
            *({"id": o.id, "kind": "missing" if o.needs else "installed", "needs": o.needs} for o in others),
        ]
        print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
        return OK
    print("Compiled, millions of steps a second:")
    print(_table(compiled))
    if users:
        print("\nYour own, compiled too:")
        print(_table(users))
    print("\nOf Gymnasium, ready to be used:")
    print(_listed([other.id for other in others if not other.needs]))
    for package in sorted({other.needs for other in others if other.needs}):
        print(f"\nAfter pip install '{package}':")
        print(_listed([other.id for other in others if other.needs == package]))
    if not users:
        print("\nOne of your own: mococo train FILE.py; see examples/own_environment.py")
    return OK


def _record(env: Environment, kind: str) -> dict[str, Any]:
    return {
        "id": env.id,
        "kind": kind,
        "features": [feature.name for feature in env.features],
        "actions": [action.words for action in env.actions],
        "continuous": env.continuous,
        "t_max": env.t_max,
        "gamma": env.gamma,
        "performance_bounds": env.performance_bounds,
    }


def _table(environments: Sequence[Environment]) -> str:
    headers = ("Environment", "Actions", "Features", "Steps", "Lowest", "Highest")
    rows = [
        (
            env.id,
            "a mean of values" if env.continuous else f"one of {len(env.actions)}",
            str(len(env.features)),
            str(env.t_max),
            *(f"{bound:g}" for bound in env.performance_bounds),
        )
        for env in environments
    ]
    return text.table(headers, rows, words=2)


def _listed(ids: Sequence[str]) -> str:
    return text.wrapped("  ".join(ids), "  ", "  ")
