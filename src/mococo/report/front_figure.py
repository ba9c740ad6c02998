"""The paper's figure of merged fronts: complexities counted, all solutions, and the knee from near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mococo.errors import ConfigError
from mococo.policy import Policy
from mococo.report import style
from mococo.subspecies import Tag, tag_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Floats = NDArray[np.float64]
Box = tuple[tuple[float, float], tuple[float, float]]

JITTER = 0.22
_KNEE = 0.1  # part of the range of performances that is looked at from near
_FEWEST = 5  # complexities that there is room for
_RASTER = 5000  # more points are drawn as pixels, also in PDF and SVG


class Point(Protocol):
    """A solution: `mococo.front.Member`, or `Scored`, which stands for as many equal ones as its `count` says."""

    @property
    def policy(self) -> Policy: ...  # noqa: D102 - as in Member
    @property
    def performance(self) -> float: ...  # noqa: D102
    @property
    def complexity(self) -> int: ...  # noqa: D102


def front_figure(
    points: Sequence[Point],
    figure: Figure | SubFigure | None = None,
    *,
    box: Box | None = None,
    subspecies: Sequence[Tag] = (),
    width: float = style.WIDTH,
) -> Figure | SubFigure:
    """Three plots, as in the paper: `points` are the solutions of the F_1s of any number of runs.

    `box`, ((least, most complexity), (least, most performance)), is what the third shows from near; by default the
    best tenth of the performances. Those of `subspecies`, where given, keep their colours whichever were found.
    """
    _check(points)
    box = knee(points) if box is None else box
    figure = style.new_figure(width, 7.0 if box else 4.6) if figure is None else figure
    axes = style.panels(figure, [1, 3, 2.2] if box else [1, 3])
    draw_complexities(points, axes[0])
    draw_front(points, axes[1], subspecies=subspecies)
    axes[0].sharex(axes[1])
    axes[0].tick_params(labelbottom=False)
    axes[0].set_xlabel("")
    if box:
        _frame(axes[1], box)
        draw_front(points, axes[2], subspecies=subspecies, legend=False)
        axes[2].set_xlim(*box[0])
        axes[2].set_ylim(*box[1])
        for side in axes[2].spines.values():
            side.set(visible=True, color=style.MAGENTA, linewidth=1.2)
        axes[1].set_xlabel("")
    figure.align_ylabels(axes)
    return figure


def draw_front(
    points: Sequence[Point], ax: Axes | None = None, *, subspecies: Sequence[Tag] = (), legend: bool = True
) -> Axes:
    """Performance over complexity, each solution a transparent point, moved sideways at random by up to 0.22."""
    _check(points)
    ax = style.axes_or_new(ax)
    comp, perf, tags = _spread(points)
    jitter = np.random.default_rng(0).uniform(-JITTER, JITTER, len(comp))
    alpha = min(0.5, max(0.2, 4 / np.sqrt(len(comp))))
    for tag, look in style.tag_looks([*subspecies, *tags]).items():
        mine = np.array([other == tag for other in tags])
        if not mine.any():
            continue
        ax.scatter(
            (comp + jitter)[mine],
            perf[mine],
            s=16,
            marker=look.marker,
            color=look.colour,
            alpha=alpha,
            linewidths=0,
            label=tag_text(tag),
            rasterized=len(comp) > _RASTER,
            zorder=2 - np.count_nonzero(mine) / len(comp),  # few are not to be hidden by many
        )
    style.dress(ax, "complexity (decision points)", "performance (mean return)")
    _room(ax, comp)
    style.whole_ticks(ax)
    if legend:
        for handle in style.legend(ax, title="subspecies", loc="lower right").legend_handles:
            if handle is not None:
                handle.set_alpha(0.9)
    return ax


def draw_complexities(points: Sequence[Point], ax: Axes | None = None) -> Axes:
    """How many solutions there are of each complexity."""
    _check(points)
    ax = style.axes_or_new(ax, height=2.0)
    levels, counts = np.unique(_spread(points)[0], return_counts=True)
    bars = ax.bar(levels, counts, width=0.8, color=style.MUTED)
    room = (style.width_of(ax) - 1) / (levels[-1] - levels[0] + 1)
    upright = style.inches(str(counts.max()), style.SMALL - 1) > 0.9 * room
    rotation, above = (90, 0.45) if upright else (0, 0.2)
    ax.bar_label(bars, fontsize=style.SMALL - 1, color=style.INK, padding=1.5, rotation=rotation)
    ax.margins(y=above)
    style.dress(ax, "complexity (decision points)", "solutions")
    _room(ax, levels)
    style.whole_ticks(ax)
    return ax


def knee(points: Sequence[Point]) -> Box | None:
    """Where the best tenth of the performances lies; nothing where that is a single point."""
    comp, perf, _ = _spread(points)
    worst, best = float(perf.min()), float(perf.max())
    near = perf >= best - _KNEE * (best - worst)
    lowest = float(perf[near].min())
    if lowest == best:
        return None
    margin = 0.1 * (best - lowest)
    return (float(comp[near].min()) - 0.5, float(comp[near].max()) + 0.5), (lowest - margin, best + margin)


def _room(ax: Axes, comp: NDArray[Any]) -> None:
    """At least so many complexities across that a single one is no wide smear."""
    least, most = float(comp.min()), float(comp.max())
    across = max(float(_FEWEST), most - least + 1.4)
    left = max(0.3, (least + most - across) / 2)  # no complexity is below 1
    ax.set_xlim(left, left + across)


def _frame(ax: Axes, box: Box) -> None:
    (left, right), (low, high) = box
    patch = style.require("matplotlib.patches").Rectangle
    ax.add_patch(
        patch((left, low), right - left, high - low, fill=False, edgecolor=style.MAGENTA, linewidth=1.2, zorder=3)
    )


def _spread(points: Sequence[Point]) -> tuple[Floats, Floats, list[Tag]]:
    """Complexity, performance : (n,) and tag of every solution, equal ones as often as they are counted."""
    members = [(point, int(getattr(point, "count", 1))) for point in points]
    counts = [n for _, n in members]
    comp = np.repeat([float(point.complexity) for point, _ in members], counts)
    perf = np.repeat([point.performance for point, _ in members], counts)
    return comp, perf, [point.policy.tag for point, n in members for _ in range(n)]


def _check(points: Sequence[Point]) -> None:
    if not points:
        raise ConfigError("there are no solutions to draw; give the members of at least one front that is not empty")
