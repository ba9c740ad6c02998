"""Fuzzy sets over their features' domains, under a picture of what the domain means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from mococo.envs.derived import formula
from mococo.envs.spec import Feature
from mococo.policy import Policy
from mococo.report import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_LINE = 0.14  # height of a line of names, where a truth of 1 is 1 high
_CAR_POSITION = Feature("position", -1.2, 0.5, ("Left", "Right"))


@dataclass(frozen=True)
class Scene:
    """A picture of the world that has a feature's domain as its x axis."""

    feature: Feature
    draw: Callable[[Axes], Axes]


def sets_figure(
    policy: Policy, figure: Figure | SubFigure | None = None, width: float = style.WIDTH
) -> Figure | SubFigure:
    """The sets of all features that the policy looks at, one below the other; for Mountain Car under its valley."""
    used = style.used_features(policy)
    scenes = {f: scene for f in used for scene in SCENES if scene.feature == policy.features[f]}
    order = [*scenes, *(f for f in used if f not in scenes)]
    heights = [height for f in order for height in ([1.1, 1.0] if f in scenes else [1.0])]
    figure = style.new_figure(width, 0.4 + 1.7 * len(heights)) if figure is None else figure
    axes = iter(style.panels(figure, heights))
    for f in order:
        scenery = scenes[f].draw(next(axes)) if f in scenes else None
        ax = draw_sets(policy, f, next(axes))
        if scenery is not None:
            scenery.sharex(ax)
            scenery.tick_params(labelbottom=False)
            scenery.set_xlabel("")
    figure.align_ylabels()
    return figure


def draw_sets(policy: Policy, feature: int, ax: Axes | None = None) -> Axes:
    """Truth of each set along the domain of one feature (its place, from 0 on), with the sets' names above."""
    ax = style.axes_or_new(ax, height=2.2)
    spec, refs, names = policy.features[feature], policy.reference_coordinates[feature], policy.set_names[feature]
    colours = list(islice(cycle(style.SERIES), len(refs)))
    places = []
    for j, (name, colour) in enumerate(zip(names, colours, strict=True)):
        if spec.crisp:
            ax.bar([refs[j]], [1.0], width=0.5, color=style.tint(colour, 0.6), label=style.plain(name))
            places.append(refs[j])
            continue
        # A partition is what linear interpolation does: 1 at the set's own coordinate, 0 at its neighbours'.
        xs = np.array([spec.low, *refs, spec.high])[j : j + 3]
        truth = np.interp(xs, refs, np.arange(len(refs)) == j)
        ax.plot(xs, truth, color=colour, linewidth=1.4, label=style.plain(name))
        ax.fill_between(xs, truth, color=colour, alpha=0.08, linewidth=0)
        whole = xs[truth == 1]
        places.append(float(whole.min() + whole.max()) / 2)
    half = 0.5 if spec.crisp else 0.0
    low, high = spec.low - half, spec.high + half
    ax.set_xlim(low, high)
    width = max(0.5, style.width_of(ax) - 0.8)
    lengths = [style.inches(style.plain(name)) for name in names]
    # Names stay over the domain: no nearer to an end than half their length.
    centres = [
        min(max((x - low) / (high - low) * width, 0.5 * length), width - 0.5 * length)
        for x, length in zip(places, lengths, strict=True)
    ]
    rows = _rows(lengths, centres)
    for centre, row, name, colour in zip(centres, rows, names, colours, strict=True):
        x, y = low + centre / width * (high - low), 1.05 + _LINE * row
        ax.text(x, y, style.plain(name), ha="center", va="bottom", fontsize=style.SMALL, color=style.legible(colour))
    ax.set_ylim(0, 1.05 + _LINE * (max(rows) + 1))
    ax.set_yticks([0, 0.5, 1])
    style.fitting_ticks(ax)
    if spec.crisp:
        ax.set_xticks(refs)
    style.dress(ax, spec.name, "truth")
    if spec.terms:
        told = style.plain(f"{spec.name} = {formula(spec)}", 200)
        ax.set_xlabel("\n".join(style.wrapped(told, width)), fontsize=style.NORMAL, color=style.INK)
    return ax


def draw_valley(ax: Axes | None = None) -> Axes:
    """Mountain Car's valley: the height is what Gymnasium draws, sin(3 position), and slows the car as gravity does."""
    ax = style.axes_or_new(ax, height=2.2)
    xs = np.linspace(_CAR_POSITION.low, _CAR_POSITION.high, 400)
    heights = np.sin(3 * xs)
    ax.plot(xs, heights, color=style.INK, linewidth=1.4)
    ax.fill_between(xs, heights, -1.25, color=style.PALE, linewidth=0)
    goal = math.sin(3 * _CAR_POSITION.high)
    ax.plot([_CAR_POSITION.high] * 2, [goal, goal + 0.5], color=style.RED, linewidth=2, clip_on=False)
    ax.text(
        _CAR_POSITION.high - 0.02, goal + 0.3, "goal", ha="right", fontsize=style.SMALL, color=style.legible(style.RED)
    )
    starts = np.linspace(-0.6, -0.4, 20)
    ax.plot(starts, np.sin(3 * starts), color=style.BLUE, linewidth=4, solid_capstyle="butt")
    ax.text(-0.5, -0.85, "starts", ha="center", fontsize=style.SMALL, color=style.legible(style.BLUE))
    ax.set_xlim(_CAR_POSITION.low, _CAR_POSITION.high)
    ax.set_ylim(-1.25, 1.6)
    ax.set_yticks([])
    return style.dress(ax, _CAR_POSITION.name, "height")


SCENES = (Scene(_CAR_POSITION, draw_valley),)


def _rows(lengths: Sequence[float], centres: Sequence[float]) -> list[int]:
    """For each name the lowest line in which it does not touch an earlier one; all in inches."""
    ends: list[float] = []
    rows = []
    for length, centre in zip(lengths, centres, strict=True):
        row = next((r for r, end in enumerate(ends) if end + 0.06 < centre - 0.5 * length), len(ends))
        ends[row : row + 1] = [centre + 0.5 * length]
        rows.append(row)
    return rows
