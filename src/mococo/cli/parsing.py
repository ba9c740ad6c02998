"""Command lines to frozen dataclasses, by tyro; whatever it refuses becomes one `UsageError`."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import tyro
from tyro.conf import arg
from tyro.constructors import PrimitiveConstructorSpec

from mococo.errors import UsageError, nearest

T = TypeVar("T")

_LINE = re.compile("[─-╿]+")  # of the boxes in which tyro writes


def parse(kind: type[T], command: str, words: Sequence[str]) -> T:
    """The command line of a sub-command. `--help` prints and ends the process with code 0."""
    prog = f"mococo {command}"
    _refuse_unknown_options(kind, prog, words)
    printed, complaint = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaint):
            args, left = tyro.cli(
                kind,
                prog=prog,
                args=words,
                return_unknown_args=True,
                config=(tyro.conf.FlagCreatePairsOff, tyro.conf.PositionalRequiredArgs),
            )
    except SystemExit as end:
        if not end.code:
            print(_help(kind, prog, _content(printed)))
            raise
        raise UsageError(f"{_first_part(_content(complaint))} See {prog} --help") from None
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


def _content(stream: io.TextIOWrapper) -> list[str]:
    stream.seek(0)
    return stream.read().splitlines()


def _help(kind: type[Any], prog: str, lines: Sequence[str]) -> str:
    """tyro's help with a head of our own, and without boxes."""
    positional = [option for option in dataclasses.fields(kind) if option.default is dataclasses.MISSING]
    head = [f"usage: {' '.join([prog, *(field.name.upper() for field in positional)])} [options]"]
    for paragraph in str(kind.__doc__).split("\n\n"):
        head += ["", *textwrap.wrap(" ".join(paragraph.split()), 79)]
    start = next((n for n, line in enumerate(lines) if line.startswith("╭")), 0)
    for line in lines[start:]:
        if line.startswith("╭"):
            head += ["", f"{_LINE.sub('', line).strip()}:"]
        elif not line.startswith("╰"):
            head.append(_inside(line))
    return "\n".join(head)


def _first_part(lines: Sequence[str]) -> str:
    """The message in tyro's box up to the first rule, as one sentence."""
    inside = [_inside(line) for line in lines[1:]]
    end = next((n for n, line in enumerate(inside) if line and not _LINE.sub("", line).strip()), len(inside))
    text = " ".join(" ".join(inside[:end]).split())
    text = re.sub(r"^Missing from .*?: (\S+)", r"\1 is missing:", text)
    text = text.removesuffix("Expected 1 values.").removesuffix(" (required)").strip()
    return text if text.endswith(".") else f"{text}."


def _inside(line: str) -> str:
    """A line of a box without its sides."""
    return re.sub(r"^│|│$", " ", line).rstrip()
