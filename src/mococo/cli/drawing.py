"""Fuzzy sets and fronts drawn with characters, in colour where a terminal shows it, and readable without."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from mococo.cli.text import number, width, wrapped
from mococo.envs.derived import formula
from mococo.policy import Policy
from mococo.runs.scores import Scored

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#@"
_MARKS, _ASCII_MARKS = ("●", "○", "◉", "─"), ("*", "o", "@", "-")
_COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
_WIDEST = 60
_MOST_ROWS = 20  # of a front that is drawn with its gaps


def draw_sets(policy: Policy) -> str:
    """A line for each set of the features that the policy looks at, its height the truth along the domain."""
    ramp = _BLOCKS if _can_print(_BLOCKS) else _ASCII
    used = [f for f, m in enumerate(policy.tag) if m > 1]
    label = max((len(name) for f in used for name in policy.set_names[f]), default=0)
    columns = max(10, min(_WIDEST, width() - label - 16))
    lines = []
    for f in used:
        feature = policy.features[f]
        lines.append(wrapped(feature.name + (f" = {formula(feature)}" if feature.terms else ""), "  ", "    "))
        xs = np.linspace(feature.low, feature.high, columns)
        refs = policy.reference_coordinates[f]
        for j, name in enumerate(policy.set_names[f]):
            # A partition is what linear interpolation does: 1 at the set's own coordinate, 0 at the others'.
            truth = np.interp(xs, refs, np.arange(len(refs)) == j)
            bars = "".join(ramp[round(t * (len(ramp) - 1))] for t in truth.tolist())
            lines.append(f"    {name:<{label}} |{painted(bars, _COLOURS[j % len(_COLOURS)])}| {refs[j]:.4g}")
        low, high = f"{feature.low:g}", f"{feature.high:g}"
        lines.append(f"    {'':<{label}}  {low}{high.rjust(columns - len(low))}")
    through = {name for f in used for name, _ in policy.features[f].terms}
    unused = [spec.name for f, spec in enumerate(policy.features) if f not in used and spec.name not in through]
    if unused:
        lines.append(wrapped(f"Not looked at: {', '.join(unused)}", "  ", "    "))
    return "\n".join(lines)


def draw_front(members: Sequence[Scored]) -> str:
    """Performance to the right, a line for each complexity: from training starts, and from fresh ones with interval."""
    trained, fresh, both, dash = _MARKS if _can_print("".join(_MARKS)) else _ASCII_MARKS
    columns = max(20, min(_WIDEST, width() - 12))
    ends = [x for m in members for x in (m.performance, m.fresh_performance, *m.fresh_interval)]
    low, high = min(ends), max(ends)

    def place(x: float) -> int:
        return round((x - low) / (high - low) * (columns - 1)) if high > low else columns // 2

    lines = []
    for complexity in _rows(members):
        cells = [" "] * columns
        for member in (m for m in members if m.complexity == complexity):
            left, right = (place(x) for x in member.fresh_interval)
            cells[left : right + 1] = [painted(dash, "yellow")] * (right + 1 - left)
            cells[place(member.fresh_performance)] = painted(fresh, "yellow")
            where = place(member.performance)
            same = where == place(member.fresh_performance)
            cells[where] = painted(both if same else trained, "cyan")
        lines.append(f"  {complexity:>4} |{''.join(cells)}|")
    start, end = number(low), number(high)
    lines.append(f"        {start}{end.rjust(columns - len(start))}")
    told = {trained: "training starts", f"{dash}{fresh}{dash}": "fresh starts, 95 % interval", both: "both"}
    lines.append("        " + "   ".join(f"{mark} {words}" for mark, words in told.items()))
    return "\n".join(lines)


def painted(text: str, colour: str) -> str:
    """The text in a colour of the terminal's own, where stdout is one that shows colours."""
    if not sys.stdout.isatty():
        return text
    from rich.console import Console

    console = Console(file=sys.stdout)
    with console.capture() as capture:
        console.print(text, style=colour, end="", markup=False, highlight=False, soft_wrap=True)
    return capture.get()


def _rows(members: Sequence[Scored]) -> list[int]:
    """The complexities from the least to the largest, or only those that there are if these would be many."""
    known = sorted({member.complexity for member in members})
    every = list(range(known[0], known[-1] + 1))
    return every if len(every) <= _MOST_ROWS else known


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
