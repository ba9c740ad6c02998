"""One look for all figures: colours that colour-blind people tell apart, sizes, and how files are written.

Figures are matplotlib's `Figure` objects. pyplot is never imported, so nothing that a user has open there is touched.
"""

from __future__ import annotations

import importlib
import io
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mococo.errors import ConfigError, MissingExtra, PolicyError
from mococo.files import write_atomic
from mococo.policy import Policy
from mococo.subspecies import Tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

FORMATS = ("png", "pdf", "svg")
WIDTH = 6.4
"""Inches; a column of a two-column paper has about 3.3."""

# Okabe and Ito's palette without its yellow, which is too pale on white.
BLUE, ORANGE, GREEN, PINK, SKY, RED, INK = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#222222"
SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, RED, INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MAGENTA = "#C2008F"
MUTED, PALE = "#666666", "#DDDDDD"
SMALL, NORMAL = 7.5, 8.5
LONGEST_NAME = 40


@dataclass(frozen=True)
class Look:
    """Colour and marker of a series."""

    colour: str
    marker: str


def new_figure(width: float = WIDTH, height: float = 4.0) -> Figure:
    """An empty figure, in inches; `MissingExtra` where matplotlib is not installed."""
    figure: Any = require("matplotlib.figure").Figure
    if not 1 <= width <= 100:
        raise ConfigError(f"a figure's width must be between 1 and 100 inches, got {width:g}")
    made: Figure = figure(figsize=(width, height), dpi=150, layout="constrained")
    return made


def require(module: str) -> Any:
    """A module of matplotlib."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "matplotlib":
            raise
        raise MissingExtra("figures need matplotlib, which is not installed: pip install mococo[plot]") from None


def axes_or_new(ax: Axes | None, width: float = WIDTH, height: float = 4.0) -> Axes:
    """The axes to draw on."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def width_of(ax: Axes) -> float:
    """Inches of the whole figure that the axes are in."""
    figure = ax.get_figure(root=True)
    return float(figure.get_size_inches()[0]) if figure is not None else WIDTH


def panels(figure: Figure | SubFigure, heights: Sequence[float]) -> list[Axes]:
    """Axes one below the other."""
    return list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=list(heights))[:, 0])


def dress(ax: Axes, xlabel: str = "", ylabel: str = "", title: str = "") -> Axes:
    """Labels, thin axes and small figures, and no frame at the top and the right."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
        ax.spines[side].set_linewidth(0.6)
    ax.tick_params(labelsize=SMALL, width=0.6, length=3, color=MUTED, labelcolor=INK)
    if xlabel:
        ax.set_xlabel(plain(xlabel), fontsize=NORMAL, color=INK)
    if ylabel:
        ax.set_ylabel(plain(ylabel), fontsize=NORMAL, color=INK)
    if title:
        ax.set_title(plain(title, longest=200), fontsize=NORMAL, color=INK, loc="left")
    return ax


def whole_ticks(ax: Axes) -> None:
    """Ticks of the x axis at whole numbers only."""
    locator = require("matplotlib.ticker").MaxNLocator
    ax.xaxis.set_major_locator(locator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def fitting_ticks(ax: Axes) -> None:
    """As many ticks of the x axis as the figure's width has room for."""
    bins = max(3, int(1.5 * width_of(ax)))
    ax.xaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(nbins=bins, steps=[1, 2, 5, 10]))


def few_ticks(ax: Axes) -> None:
    """Three or four ticks of the y axis of a low panel."""
    ax.yaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(nbins=4, min_n_ticks=3, steps=[1, 2, 5, 10]))


def legend(ax: Axes, **options: Any) -> Legend:
    """A legend in our letters, without a frame."""
    return ax.legend(fontsize=SMALL, title_fontsize=SMALL, frameon=False, **options)


def legend_below(ax: Axes, **options: Any) -> Legend:
    """A legend under the x axis and its name, at the same distance whatever the size."""
    figure = ax.get_figure(root=False)
    under = require("matplotlib.transforms").offset_copy(ax.transAxes, figure, y=-30, units="points")
    return legend(
        ax, loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=under, borderaxespad=0, borderpad=0, **options
    )


@cache
def inches(text: str, size: float = SMALL) -> float:
    """How long a line of text becomes."""
    points = require("matplotlib.textpath").text_to_path.get_text_width_height_descent(
        text, require("matplotlib.font_manager").FontProperties(size=size), ismath=False
    )[0]
    return float(points) / 72


def wrapped(text: str, width: float) -> list[str]:
    """The text in lines of at most so many inches, where its words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and inches(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def plain(text: str, longest: int = LONGEST_NAME) -> str:
    r"""A name as it is to be shown: matplotlib would take text between two dollars for a formula.

    >>> plain("cost in $ or $$")
    'cost in \\$ or \\$\\$'
    """
    words = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))  # XML holds no others
    words = words if len(words) <= longest else f"{words[: longest - 1]}…"
    return words.replace("$", r"\$")


def tint(colour: str, share: float) -> tuple[float, float, float]:
    """The colour mixed with white, of which it leaves 1 - share."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 1 - share * (1 - red), 1 - share * (1 - green), 1 - share * (1 - blue)


def legible(colour: str) -> tuple[float, float, float]:
    """The colour, dark enough for small letters on white."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.6 * red, 0.6 * green, 0.6 * blue


def tag_looks(tags: Iterable[Tag]) -> dict[Tag, Look]:
    """A look for each subspecies, the smallest first."""
    known = sorted(set(tags), key=lambda tag: (sum(tag), tag))
    return {tag: Look(SERIES[i % len(SERIES)], MARKERS[i % len(MARKERS)]) for i, tag in enumerate(known)}


def action_colours(policy: Policy) -> list[str]:
    """A colour for each action; those of many actions, which are levels of one quantity, go from dark to light."""
    n = len(policy.actions)
    if policy.continuous:
        values = np.array([float(np.ravel(action.value)[0]) for action in policy.actions])
        return _shades((values - values.min()) / (np.ptp(values) or 1))
    return list(islice(cycle(SERIES), n)) if n <= len(SERIES) - 1 else graded(n)


def graded(n: int) -> list[str]:
    """N colours in an order that the eye sees."""
    return _shades(np.arange(n) / max(1, n - 1))


def shading() -> Any:
    """From dark to light, for quantities: viridis without its end, which is too pale on white."""
    colours = require("matplotlib").colormaps["viridis"](np.linspace(0, 0.9, 256))
    return require("matplotlib.colors").ListedColormap(colours)


def _shades(shares: Any) -> list[str]:
    to_hex = require("matplotlib.colors").to_hex
    return [str(to_hex(colour)) for colour in shading()(np.asarray(shares, dtype=np.float64))]


def used_features(policy: Policy) -> list[int]:
    """Places of the features that the policy looks at."""
    used = [f for f, m in enumerate(policy.tag) if m > 1]
    if not used:
        raise PolicyError("this policy looks at no feature (each has a single set), so there is nothing to draw")
    return used


def save(figure: Figure, path: Path, *more: Path) -> None:
    """Write the figure in the format that each file's name ends with; the same figure always gives the same bytes."""
    kinds = {file: file.suffix.removeprefix(".").lower() for file in (path, *more)}
    for file, kind in kinds.items():
        if kind not in FORMATS:
            raise ConfigError(f"a figure is written as {', '.join(FORMATS)}, got {file.name!r}")
    settings = {"svg.hashsalt": "mococo", "pdf.fonttype": 42}  # 42: publishers refuse fonts of type 3
    with require("matplotlib").rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # a box stands for it
        engine = figure.get_layout_engine()
        _lay_out(figure)
        try:
            for file, kind in kinds.items():
                write_atomic(file, _rendered(figure, kind))
        finally:
            figure.set_layout_engine(engine)


def _lay_out(figure: Figure) -> None:
    """Fix where the axes are.

    The layout's solver orders its unknowns by their places in memory, so that the last bits differ from time to time.
    """
    for _ in range(2):  # ticks change with the first layout, and the second makes room for them
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    box = require("matplotlib.transforms").Bbox
    for ax in figure.axes:
        ax.set_position(box(np.round(ax.get_position().get_points(), 6)))
        ax.set_in_layout(True)  # should the figure be drawn again in another size


def _rendered(figure: Figure, kind: str) -> bytes:
    metadata = {"png": {"Software": None}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[kind]
    data = io.BytesIO()
    figure.savefig(data, format=kind, metadata=metadata)
    return data.getvalue()
