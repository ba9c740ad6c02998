"""Plain text: numbers, tables and rules, without colour and readable at 80 columns."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from mococo.policy import Policy
from mococo.runs.scores import Scored, best
from mococo.subspecies import tag_text

_UNLIMITED = 100_000
_LONG = 8  # features, beyond which a tag is told without those that are not looked at


def width() -> int:
    """Columns of the terminal, or 80."""
    return max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 80


def visible(text: str) -> str:
    r"""The text with what would steer a terminal spelled out.

    >>> print(visible("push\x1b[2J left"))
    push\x1b[2J left
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], words: int = 0) -> str:
    """Columns under their names: the first `words` aligned at the left, the others, numbers, at the right."""
    lines = [headers, *rows]
    sizes = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    gap = "  " if sum(sizes) + 2 * len(sizes) <= width() else " "
    aligned = [
        [
            cell.ljust(size) if n < words else cell.rjust(size)
            for n, (cell, size) in enumerate(zip(line, sizes, strict=True))
        ]
        for line in lines
    ]
    return "\n".join(f"{gap}{gap.join(line)}".rstrip() for line in aligned)


def wrapped(text: str, first: str = "", others: str = "", columns: int = 0) -> str:
    """A paragraph at the terminal's width."""
    return textwrap.fill(
        visible(text),
        columns or width(),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def command(words: str, path: Path) -> str:
    """A command line that can be pasted."""
    name = str(path)
    return f"{words} {shlex.quote(f'./{name}' if name.startswith('-') else name)}"


def number(x: float) -> str:
    """A return, to two places."""
    return f"{x:.2f}"


def interval(bounds: tuple[float, float]) -> str:
    """Two returns.

    >>> interval((-101.234, -99))
    '-101.23 to -99.00'
    """
    return f"{number(bounds[0])} to {number(bounds[1])}"


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
    """The rules, numbered; a rule is wrapped only where a person reads it, so that other programs find it whole."""
    columns = width() if sys.stdout.isatty() else _UNLIMITED
    lines = []
    for n, rule in enumerate(policy.rules, 1):
        mark = f"{n:>3}. "
        lines.append(wrapped(rule.text, mark, " " * (len(mark) + 2), columns))
    return "\n".join(lines)


def front_table(members: Sequence[Scored]) -> str:
    """The members of a front, a line for each."""
    headers = ("Complexity", "Training", "Fresh", "95 % interval", "Gap", "Rules", "Subspecies", "Found in")
    rows = [
        (
            str(member.complexity),
            number(member.performance),
            number(member.fresh_performance),
            interval(member.fresh_interval),
            number(member.gap),
            str(len(member.policy.rules)),
            _subspecies(member.policy),
            str(member.gen),
        )
        for member in members
    ]
    return table(headers, rows)


def _subspecies(policy: Policy) -> str:
    """Its tag, or of a long one what it looks at: 3x2x2 of 11."""
    looked_at = tuple(m for m in policy.tag if m > 1)
    return tag_text(policy.tag) if len(policy.tag) <= _LONG else f"{tag_text(looked_at)} of {len(policy.tag)}"


def archive_text(members: Sequence[Scored], training_starts: int, fresh_starts: int) -> str:
    """The archive, with what its numbers are."""
    if not members:
        return "No policies: no rule base and fuzzy partition of the same subspecies met."
    legend = (
        f"The best policies found. Mean return from {counted(training_starts, 'training start')}, which the search "
        f"used; from {counted(fresh_starts, 'fresh start')}, with a bootstrap interval; the gap between both; and the "
        f"generation of each:"
    )
    holes = [f"{m.fresh_uncovered} at complexity {m.complexity}" for m in members if m.fresh_uncovered]
    told = wrapped(f"Fresh episodes that ended in a state without a rule: {', '.join(holes)}.")
    return f"{wrapped(legend)}\n{front_table(members)}" + (f"\n{told}" if holes else "")


def last_front_text(front: Sequence[Scored]) -> str:
    """F_1 of the last generation in a sentence."""
    if not front:
        return "F_1 of the last generation is empty."
    top, n = best(front), sum(member.count for member in front)
    return wrapped(
        f"F_1 of the last generation: {counted(n, 'solution')}, {len(front)} distinct, "
        f"the best {number(top.performance)} at complexity {top.complexity}."
    )
