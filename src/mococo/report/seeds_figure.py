"""Several runs that differ by their seed: how the search went on, and what it attained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mococo.errors import ConfigError
from mococo.report import style
from mococo.report.front_figure import Point
from mococo.training import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Floats = NDArray[np.float64]
Histories = Sequence[Sequence[Record]]

_MOST_CURVES = 7


def convergence_figure(
    histories: Histories, figure: Figure | SubFigure | None = None, width: float = style.WIDTH
) -> Figure | SubFigure:
    """Hypervolume above, best performance at each complexity below, over the generations that all runs have."""
    figure = style.new_figure(width, 5.4) if figure is None else figure
    upper, lower = style.panels(figure, [1, 1.4])
    draw_hypervolume(histories, upper)
    draw_best(histories, lower)
    upper.sharex(lower)
    upper.tick_params(labelbottom=False)
    upper.set_xlabel("")
    figure.align_ylabels()
    return figure


def draw_hypervolume(histories: Histories, ax: Axes | None = None) -> Axes:
    """Hypervolume of all that was found so far and of the generation's F_1: median, and quartiles as a band."""
    ax = style.axes_or_new(ax, height=2.6)
    n = _generations(histories)
    for attribute, label, colour in (
        ("archive_hypervolume", "all found so far", style.BLUE),
        ("hypervolume", "$F_1$ of the generation", style.ORANGE),
    ):
        values = np.array([[getattr(record, attribute) for record in history[:n]] for history in histories])
        _band(ax, np.arange(n), quartiles(values), colour, label)
    style.dress(ax, "generation", "hypervolume", _over(histories))
    style.whole_ticks(ax)
    style.legend(ax, loc="lower right")
    return ax


def draw_best(histories: Histories, ax: Axes | None = None) -> Axes:
    """Best performance found so far with at most a given complexity: median, and quartiles as a band.

    A curve is left out where the runs' median ends no higher than that of a smaller complexity, and of many curves
    those that end the least higher.
    """
    ax = style.axes_or_new(ax, height=3.4)
    n = _generations(histories)
    curves: list[tuple[int, Floats]] = []
    for complexity in sorted(
        {c for history in histories for record in history[:n] for c in (*record.best, *record.archive_best)}
    ):
        values = quartiles(np.array([best_so_far(history[:n], complexity) for history in histories]))
        end = values[1, -1]
        if not np.isnan(end) and (not curves or end > curves[-1][1][1, -1]):
            curves.append((complexity, values))
    curves = _highest_steps(curves)
    for (complexity, values), colour in zip(curves, style.graded(len(curves)), strict=True):
        _band(ax, np.arange(n), values, colour, f"≤ {complexity}")
    style.dress(ax, "generation", "best performance so far")
    style.whole_ticks(ax)
    if curves:
        columns = _MOST_CURVES if style.width_of(ax) >= 6 else 4
        style.legend_below(ax, title="with complexity", ncols=columns, alignment="left")
    return ax


def _highest_steps(curves: Sequence[tuple[int, Floats]]) -> list[tuple[int, Floats]]:
    """The first curve and those whose medians end the most above the curve before."""
    ends = np.array([values[1, -1] for _, values in curves])
    steps = np.diff(ends, prepend=-np.inf)
    kept = np.sort(np.argsort(-steps, kind="stable")[:_MOST_CURVES])
    return [curves[i] for i in kept]


def draw_attainment(fronts: Sequence[Sequence[Point]], ax: Axes | None = None, width: float = style.WIDTH) -> Axes:
    """Surfaces that at least one, half and all of the runs attain: each performance with at most that complexity."""
    if not fronts or not any(fronts):
        raise ConfigError("there are no solutions to draw; give at least one front that is not empty")
    ax = style.axes_or_new(ax, width, max(2.8, 0.62 * width))
    levels = sorted({point.complexity for front in fronts for point in front})
    n = len(fronts)
    surfaces = attainment(fronts, levels)
    xs = np.append(levels, levels[-1] + 0.5).astype(float)
    drawn = {1: style.SKY, (n + 1) // 2: style.BLUE, n: style.INK}
    for k, colour in drawn.items():
        ys = np.append(surfaces[k - 1], surfaces[k - 1, -1])
        ax.step(xs, ys, where="post", color=colour, linewidth=1.6, label=_attained_by(k, n))
    if n > 1:
        low, high = (np.append(surfaces[k - 1], surfaces[k - 1, -1]) for k in (n, 1))
        both = np.isfinite(low)
        ax.fill_between(xs[both], low[both], high[both], step="post", color=style.SKY, alpha=0.15, linewidth=0)
    style.dress(ax, "complexity (decision points)", "performance (mean return)", "" if n > 1 else "1 run")
    style.whole_ticks(ax)
    if n > 1:
        style.legend(ax, title="attained by", loc="lower right", alignment="left")
    return ax


def attainment(fronts: Sequence[Sequence[Point]], levels: Sequence[int]) -> Floats:
    """(n_runs, n_levels): row k - 1 is the performance that k runs attain with at most each complexity, NaN if none."""
    best = np.full((len(fronts), len(levels)), -np.inf)
    for row, front in enumerate(fronts):
        for column, level in enumerate(levels):
            best[row, column] = max((p.performance for p in front if p.complexity <= level), default=-np.inf)
    ordered = np.sort(best, axis=0)[::-1]
    return np.where(np.isfinite(ordered), ordered, np.nan)


def best_so_far(history: Sequence[Record], complexity: int) -> Floats:
    """(n_gens,) the best performance with at most this complexity up to each generation; -inf before there is one."""
    known = [[*record.best.items(), *record.archive_best.items()] for record in history]
    best = [max((p for c, p in pairs if c <= complexity), default=-np.inf) for pairs in known]
    return np.maximum.accumulate(np.array(best))


def quartiles(values: Floats) -> Floats:
    """(n_runs, n) -> (3, n): lower quartile, median, upper quartile; NaN where they lie before a run's first value."""
    with np.errstate(invalid="ignore"):  # between minus infinity and a number lies nothing
        found = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    return np.where(np.isfinite(found), found, np.nan)


def _band(ax: Axes, xs: NDArray[np.int64], values: Floats, colour: str, label: str) -> None:
    low, middle, high = values
    ax.plot(xs, middle, color=colour, linewidth=1.4, label=label, marker="." if len(xs) == 1 else "")
    ax.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0)


def _generations(histories: Histories) -> int:
    """How many generations all runs have."""
    n = min((len(history) for history in histories), default=0)
    if n == 0:
        raise ConfigError("there are no generations to draw; give the histories of runs with at least one each")
    return n


def _over(histories: Histories) -> str:
    n = len(histories)
    return "1 run" if n == 1 else f"{n} runs: median, and quartiles as bands"


def _attained_by(k: int, n: int) -> str:
    if n == 1:
        return "the run"
    return {1: f"at least 1 of {n} runs", n: f"all {n} runs"}.get(k, f"at least {k} of {n} runs")
