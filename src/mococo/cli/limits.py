"""The options that end a run early: `--max-time 10m`, `--target -97 --at-complexity 5` and their like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from mococo.cli.parsing import TEXT, option
from mococo.errors import UsageError, shown
from mococo.stops import Stops

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NONE = "none"


@dataclass(frozen=True)
class Limits:
    """Options of every command that runs the search."""

    max_time: Annotated[
        str | None, TEXT, option("End after this time, such as 90s, 10m or 1h30m.", default="", metavar="TIME")
    ] = None
    max_evaluations: Annotated[
        str | None, TEXT, option("End after this many evaluations.", default="", metavar="N")
    ] = None
    patience: Annotated[
        str | None,
        TEXT,
        option("End after this many generations without a larger hypervolume.", default="", metavar="N"),
    ] = None
    target: Annotated[
        str | None,
        TEXT,
        option("End when a policy reaches this mean return on the training starts.", default="", metavar="X"),
    ] = None
    at_complexity: Annotated[
        str | None, TEXT, option("The largest complexity that policy may have.", default="", metavar="N")
    ] = None


def given_limits(args: object) -> dict[str, Any]:
    """The limits that were given on the command line; "none" takes one away."""
    found: dict[str, Any] = {}
    for name in Stops.__struct_fields__:
        word = getattr(args, name)
        if word is not None:
            found[name] = None if word == _NONE else _READERS[name](name, word)
    if found.get("target", 0) is None:
        found.setdefault("at_complexity", None)
    return found


def limit_words(stops: Stops) -> list[str]:
    """The options that give these limits."""
    values = {name: value for name, value in msgspec.structs.asdict(stops).items() if value is not None}
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


def _seconds(name: str, word: str) -> float:
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhd])", word)
    if parts and "".join(number + unit for number, unit in parts) == word:
        return float(sum(float(number) * _UNITS[unit] for number, unit in parts))
    try:
        return float(word)
    except ValueError:
        raise _refused(name, "a time such as 90s, 10m or 1h30m", word) from None


def _whole(name: str, word: str) -> int:
    try:
        return int(word.replace("_", ""))
    except ValueError:
        raise _refused(name, "a whole number", word) from None


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise _refused(name, "a number", word) from None


def _refused(name: str, expected: str, word: str) -> UsageError:
    return UsageError(f"--{name.replace('_', '-')} must be {expected}, got {shown(word)}")


_READERS = {
    "max_time": _seconds,
    "max_evaluations": _whole,
    "patience": _whole,
    "target": _number,
    "at_complexity": _whole,
}
