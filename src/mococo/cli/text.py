"""Plain text: numbers, tables and rules, without colour and readable at 80 columns."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

from mococo.policy import Policy
from mococo.runs.scores import Scored, best
from mococo.subspecies import tag_text

_UNLIMITED = 100_000


def width() -> int:
    """Columns of the terminal; without one, lines are not wrapped, so that other programs can read them."""
    return max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _UNLIMITED


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned at the right, the first line their names."""
    sizes = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]
    lines = ["  ".join(cell.rjust(size) for cell, size in zip(line, sizes, strict=True)) for line in (headers, *rows)]
    return "\n".join(f"  {line}" for line in lines)


def wrapped(text: str, first: str = "", others: str = "") -> str:
    """A paragraph at the terminal's width."""
    return textwrap.fill(
        text, width(), initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def number(x: float) -> str:
    """A return, to two places."""
    return f"{x:.2f}"


def counted(n: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "rule"), counted(1200, "episode")
    ('1 rule', '1,200 episodes')
    """
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def duration(seconds: float) -> str:
    """A time as one reads it on a clock, with tenths below a minute.

    >>> duration(4.25), duration(75), duration(7265)
    ('4.2 s', '1:15', '2:01:05')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def rules(policy: Policy) -> str:
    """The rules, numbered and wrapped."""
    return "\n".join(wrapped(rule.text, f"  {n}. ", "       ") for n, rule in enumerate(policy.rules, 1))


def front_table(members: Sequence[Scored]) -> str:
    """The members of a front, a line for each."""
    headers = ("Complexity", "Training starts", "Fresh starts", "Rules", "Subspecies", "Generation")
    rows = [
        (
            str(member.complexity),
            number(member.performance),
            f"{number(member.fresh_performance)} ± {number(member.fresh_standard_error)}",
            str(len(member.policy.rules)),
            tag_text(member.policy.tag),
            str(member.gen),
        )
        for member in members
    ]
    return table(headers, rows)


def archive_text(members: Sequence[Scored], training_starts: int, fresh_starts: int) -> str:
    """The archive, with what its numbers are."""
    if not members:
        return "No policies: no rule base and fuzzy partition of the same subspecies met."
    legend = (
        f"The best policies found. Mean return from {counted(training_starts, 'training start')}, which the search "
        f"used, and from {counted(fresh_starts, 'fresh start')} ± standard error:"
    )
    return f"{wrapped(legend)}\n{front_table(members)}"


def last_front_text(front: Sequence[Scored]) -> str:
    """F_1 of the last generation in a sentence."""
    if not front:
        return "F_1 of the last generation is empty."
    top = best(front)
    return wrapped(
        f"F_1 of the last generation: {counted(sum(member.count for member in front), 'solution')}, {len(front)} distinct, "
        f"the best {number(top.performance)} at complexity {top.complexity}."
    )
