"""How a training run shows itself on stderr: a live bar on a terminal, else a few plain lines, or nothing."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mococo.cli.text import duration
from mococo.training import Progress

if TYPE_CHECKING:
    from rich.console import RenderableType

COMPILING = "Compiling the simulator for this machine, once ..."
_WINDOW = 10  # generations over which a speed is averaged


class Silent:
    """Shows nothing; what the others show is made here."""

    def __init__(self, num_gens: int) -> None:
        self._num_gens = num_gens
        self._done = 0
        self._best = ""
        self._recent: deque[tuple[int, int, float]] = deque(maxlen=_WINDOW)

    def compiling(self) -> None:
        """The first generation is going to wait for the compiler."""

    def update(self, progress: Progress) -> None:
        """A generation has been evaluated."""
        record, archive = progress.record, progress.archive
        if record.gen == 1:
            self._recent.clear()  # generation 0 may have waited for the compiler
        self._done = record.gen + 1
        self._recent.append((record.evaluations, record.env_steps, record.seconds))
        pairs = sorted(zip(archive.comp.tolist(), archive.perf.tolist(), strict=True))
        self._best = " ".join(f"{complexity:.0f}:{performance:.1f}" for complexity, performance in pairs)

    @property
    def speed(self) -> str:
        """Evaluations and, where they are counted, environment steps a second."""
        evaluations, steps, seconds = map(sum, zip(*self._recent, strict=True))
        text = f"{_amount(evaluations / max(seconds, 1e-9))} evaluations/s"
        return f"{text}, {_amount(steps / max(seconds, 1e-9))} steps/s" if steps else text

    @property
    def left(self) -> str:
        """The time that the rest will take."""
        if self._done == self._num_gens:
            return "done"
        seconds = sum(seconds for *_, seconds in self._recent) / len(self._recent)
        return f"{duration(seconds * (self._num_gens - self._done))} left"


class Lines(Silent):
    """A line for the first generation, and about every tenth part of the run."""

    def compiling(self) -> None:
        """Say so."""
        print(COMPILING, file=sys.stderr, flush=True)

    def update(self, progress: Progress) -> None:
        """Print a line where one is due."""
        before = self._done * 10 // self._num_gens
        super().update(progress)
        if self._done == 1 or self._done * 10 // self._num_gens > before:
            text = f"Generation {self._done}/{self._num_gens}: {self.speed}, {self.left}, best {self._best or 'none'}"
            print(text, file=sys.stderr, flush=True)


class Bar(Silent):
    """Three lines that are drawn anew eight times a second."""

    _note = "Loading the simulator ..."

    def compiling(self) -> None:
        """Say so until the first generation is there."""
        self._note = COMPILING

    def render(self) -> RenderableType:
        """What rich draws."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        n = len(str(self._num_gens))
        first = Table.grid(padding=(0, 2), expand=True)
        for ratio in (None, 1, None):
            first.add_column(no_wrap=True, ratio=ratio)
        first.add_row(
            f"Generation {self._done:>{n}}/{self._num_gens}",
            ProgressBar(total=self._num_gens, completed=self._done),
            f"{100 * self._done // self._num_gens:>3} %",
        )
        if not self._done:
            return Group(first, Text(self._note))
        return Group(
            first, Text(f"{self.speed}, {self.left}"), Text(f"Best at each complexity  {self._best or 'none'}")
        )


@contextmanager
def display(num_gens: int, *, quiet: bool) -> Iterator[Silent]:
    """What fits the place where stderr goes."""
    if quiet:
        yield Silent(num_gens)
        return
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield Lines(num_gens)
        return
    from rich.console import Console
    from rich.live import Live

    bar = Bar(num_gens)
    console = Console(stderr=True, highlight=False)
    with Live(get_renderable=bar.render, console=console, refresh_per_second=8):
        yield bar


def _amount(x: float) -> str:
    """A large number with three digits.

    >>> _amount(102_345), _amount(190_000_000), _amount(12.3)
    ('102 k', '190 M', '12.3')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if x >= size:
            return f"{x / size:.3g}{unit}"
    return f"{x:.3g}"
