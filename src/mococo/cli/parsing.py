"""Command lines to frozen dataclasses, by tyro; whatever it refuses becomes one `UsageError`."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import tyro
from tyro.conf import arg
from tyro.constructors import PrimitiveConstructorSpec

from mococo.errors import UsageError, nearest

T = TypeVar("T")

_BOX = re.compile("[─-╿]")  # what tyro draws around its messages
_COLOUR = re.compile("\x1b\\[[0-9;]*m")


def parse(kind: type[T], command: str, words: Sequence[str]) -> T:
    """The command line of a sub-command. `--help` prints and ends the process, as tyro does it."""
    prog = f"mococo {command}"
    _refuse_unknown_options(kind, prog, words)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            args, left = tyro.cli(
                kind,
                prog=prog,
                args=words,
                return_unknown_args=True,
                config=(tyro.conf.FlagCreatePairsOff, tyro.conf.PositionalRequiredArgs),
            )
    except SystemExit as end:
        if not end.code:
            raise
        raise UsageError(f"{_plain(complaint.getvalue())} See {prog} --help") from None
    if left:
        raise UsageError(f"unexpected argument {left[0]!r}. See {prog} --help")
    return args


def option(text: str, *, default: str | None = None, short: str | None = None, metavar: str | None = None) -> Any:
    """The help of an option, and how its default is told where the value does not tell it."""
    hint = None if default is None else f"(default: {default})" if default else ""
    return arg(help=text, help_behavior_hint=hint, aliases=[short] if short else None, metavar=metavar)


def _primitive(metavar: str, convert: Callable[[str], Any]) -> PrimitiveConstructorSpec[Any]:
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=metavar,
        instance_from_str=lambda words: convert(words[0]),
        is_instance=lambda _: True,
        str_from_instance=lambda value: [str(value)],
    )


def _whole(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"expected a whole number, got {word!r}") from None


def _number(word: str) -> int | float:
    try:
        return int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word)
    except ValueError:
        raise ValueError(f"expected a number, got {word!r}") from None


# To stand in Annotated behind a type; they leave out tyro's `{None}|` and Python's own words for a wrong value.
WHOLE = _primitive("N", _whole)
NUMBER = _primitive("X", _number)
TEXT = _primitive("TEXT", str)


def _refuse_unknown_options(kind: type[Any], prog: str, words: Sequence[str]) -> None:
    """Before tyro, which would take the word behind an unknown option for its value."""
    known = {field.name for field in dataclasses.fields(kind)} | {"help"}
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("--") and name[2:].replace("-", "_") not in known:
            names = [option.replace("_", "-") for option in known]
            hint = nearest(name[2:], names).replace("mean ", "mean --")
            raise UsageError(f"unknown option {name}. {hint} See {prog} --help")


def _plain(complaint: str) -> str:
    """The first part of tyro's box, up to its first rule, in one line."""
    lines = _COLOUR.sub("", complaint).splitlines()[1:]  # without the title
    inner = [re.sub(r"^│ ?| *│$", "", line) for line in lines]
    end = next((n for n, line in enumerate(inner) if line.strip() and not _BOX.sub("", line).strip()), len(inner))
    text = " ".join(" ".join(_BOX.sub(" ", line) for line in inner[:end]).split())
    text = text.removesuffix("Expected 1 values.").removesuffix(" (required)").strip()
    return text if text.endswith(".") else f"{text}."
