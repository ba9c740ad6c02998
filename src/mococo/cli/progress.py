"""How a training run shows itself on stderr: a live bar on a terminal, else a few plain lines, or nothing."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mococo.cli.text import duration
from mococo.training import Progress

if TYPE_CHECKING:
    from rich.console import RenderableType

COMPILING = "Compiling the simulator for this machine, once: {} ..."
_WINDOW = 10  # generations over which a speed is averaged
_LOADING = (
    5.0  # seconds; a first generation that is quicker has mostly loaded the simulator, and says nothing of the next
)
_PATIENCE = 60.0  # seconds between two lines of a slow run


def say_compiling(how_far: str) -> None:
    """A line on stderr, where somebody would otherwise wait for nothing that they can see."""
    print(COMPILING.format(how_far), file=sys.stderr, flush=True)


class Silent:
    """Shows nothing; what the others show is made here."""

    def __init__(self, num_gens: int) -> None:
        self._num_gens = num_gens
        self._done = 0
        self._seen = 0  # in this process; fewer than are done when a run was resumed
        self._best = ""
        self._evaluations = 0
        self._seconds = 0.0
        self._compiled = False
        self._recent: deque[tuple[int, int, float]] = deque(maxlen=_WINDOW)

    def compiling(self, how_far: str) -> None:
        """The first generation is going to wait for the compiler."""
        del how_far
        self._compiled = True

    def update(self, progress: Progress) -> None:
        """A generation has been evaluated."""
        record, archive = progress.record, progress.archive
        self._seen += 1
        if self._seen == 2:
            self._recent.clear()  # the first one had to load the simulator, or even to wait for the compiler
        self._done = record.gen + 1
        self._evaluations += record.evaluations
        self._seconds += record.seconds
        self._recent.append((record.evaluations, record.env_steps, record.seconds))
        pairs = sorted(zip(archive.comp.tolist(), archive.perf.tolist(), strict=True))
        self._best = " ".join(f"{complexity:.0f}:{performance:.1f}" for complexity, performance in pairs)

    @property
    def pace(self) -> str:
        """Evaluations a second, environment steps a second where they are counted, and the time that is left."""
        if self._done == self._num_gens:
            return f"{self._evaluations:,} evaluations in {duration(self._seconds)}"
        if self._seen == 1 and (self._compiled or self._seconds < _LOADING):
            return f"{duration(self._seconds)} with loading the simulator"
        evaluations, steps, seconds = map(sum, zip(*self._recent, strict=True))
        speeds = [f"{amount(evaluations / max(seconds, 1e-9))} evaluations/s"]
        if steps:
            speeds.append(f"{amount(steps / max(seconds, 1e-9))} steps/s")
        left = seconds / len(self._recent) * (self._num_gens - self._done)
        return ", ".join([*speeds, f"{duration(left)} left"])


class Lines(Silent):
    """A line for the first generation, about every tenth part of the run, and every minute."""

    _printed = 0.0

    def compiling(self, how_far: str) -> None:
        """Say so."""
        super().compiling(how_far)
        say_compiling(how_far)

    def update(self, progress: Progress) -> None:
        """Print a line where one is due."""
        before = self._done * 10 // self._num_gens
        super().update(progress)
        late = time.monotonic() > self._printed + _PATIENCE
        if self._seen == 1 or late or self._done * 10 // self._num_gens > before:
            self._printed = time.monotonic()
            text = f"Generation {self._done}/{self._num_gens}: {self.pace}, best {self._best or 'none'}"
            print(text, file=sys.stderr, flush=True)


class Bar(Silent):
    """Three lines that are drawn anew eight times a second."""

    _note = "Loading the simulator ..."

    def compiling(self, how_far: str) -> None:
        """Say so until the first generation is there."""
        super().compiling(how_far)
        self._note = COMPILING.format(how_far)

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
        return Group(first, Text(self.pace), Text(f"Best at each complexity  {self._best or 'none'}"))


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
    console.print()  # keeps it apart from the results


def amount(x: float) -> str:
    """A large number with three digits.

    >>> amount(102_345), amount(190_000_000), amount(12.3)
    ('102 k', '190 M', '12.3')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if x >= size:
            return f"{x / size:.3g}{unit}"
    return f"{x:.3g}"
