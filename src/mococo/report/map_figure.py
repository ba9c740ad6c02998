"""A policy as a picture: which rule acts where, over two features, and the ways that episodes take through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mococo.analysis.trajectories import NOBODY, Episode, Firing, fire
from mococo.envs.derived import with_derived
from mococo.policy import Policy, Rule
from mococo.report import style
from mococo.report.plane import Plane, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

CELLS, MARGINAL_CELLS = 500, 200
_TINT, _DEEP, _HATCH = 0.45, 0.8, "#AAAAAA"
_MOST_RULES = 12  # as many are written out below the map
_CLEAR = 700  # as many steps of all episodes can be told apart; lines of more are thinner
_COLOUR_BAR = 1.1  # inches that it takes from the map


@dataclass(frozen=True, eq=False)
class Grid:
    """A policy on cells x cells inputs. xs, ys : (cells,) centres; `firing` row by row, x running fastest."""

    x: int
    y: int
    xs: Floats
    ys: Floats
    firing: Firing
    agreement: Floats | None = None
    """(cells^2,) of a map over many states the part of them in which the cell's action is taken."""

    def picture(self, values: NDArray[Any]) -> NDArray[Any]:
        """values : (cells^2,) -> (cells, cells), rows along y."""
        return values.reshape(len(self.ys), len(self.xs))


def draw_map(
    policy: Policy,
    ax: Axes | None = None,
    *,
    over: Sequence[str] = (),
    at: Mapping[str, float] | None = None,
    marginal: bool = False,
    episodes: Sequence[Episode] = (),
) -> Axes:
    """The action with the most votes over two features, by default the first two that the policy looks at.

    The other features have the values in `at`, by default the medians of the episodes' inputs, or else the middles of
    their domains; or, where the map is `marginal`, all the values that the episodes met: then it shows the action that
    is taken most often, paler where others are taken too. Numbers are those of the rules, lines where one rule takes
    over from another; where no rule fires the map is hatched. Episodes are drawn from a ring to a dot.
    """
    where = plane(policy, over, at or {}, episodes, marginal=marginal)
    grid = _grid(policy, where)
    ax = fitting_axes(policy) if ax is None else ax
    if policy.continuous:
        _draw_outputs(policy, grid, ax)
    else:
        _draw_actions(grid, style.action_colours(policy), ax)
    _draw_borders(grid, ax)
    _number_rules(policy, grid, ax)
    thickness = min(0.9, max(0.35, 0.9 * (_CLEAR / max(1, sum(map(len, episodes)))) ** 0.5))
    for episode in episodes:
        _draw_way(episode.inputs[:, where.x], episode.inputs[:, where.y], episode.uncovered, thickness, ax)
    ax.set_xlim(*where.spans[0])
    ax.set_ylim(*where.spans[1])
    style.dress(ax, policy.features[where.x].name, policy.features[where.y].name, where.words)
    style.fitting_ticks(ax)
    _legend(policy, bool((grid.firing.drivers == NOBODY).any()), ax)
    return ax


def fitting_axes(policy: Policy, width: float = style.WIDTH) -> Axes:
    """Axes in a figure of this width that has room for the map and for the policy's rules below."""
    lines = sum(1 + label.count("\n") for label, _ in _entries(policy, width))
    return style.axes_or_new(None, width, max(2.2, 0.56 * width) + 0.8 + 0.16 * lines)


def action_grid(
    policy: Policy,
    axes: tuple[int, int],
    spans: Sequence[tuple[float, float]],
    rest: Sequence[float] | Floats,
    cells: int = CELLS,
) -> Grid:
    """The policy at the centres of cells x cells cells over the spans of two features; the others as in `rest` : (d,).

    A derived feature follows from the observed ones, unless it or one of the others is itself an axis: then it is free.
    """
    x, y = axes
    xs, ys = (low + (np.arange(cells) + 0.5) / cells * (high - low) for low, high in spans)
    inputs = np.tile(np.asarray(rest, dtype=np.float64), (cells * cells, 1))
    inputs[:, x], inputs[:, y] = np.tile(xs, cells), np.repeat(ys, cells)
    if not (policy.features[x].terms or policy.features[y].terms):
        inputs = with_derived(inputs[:, [not feature.terms for feature in policy.features]], policy.features)
    return Grid(x, y, xs, ys, fire(policy, _whole(policy, inputs)))


def marginal_grid(policy: Policy, where: Plane, cells: int = MARGINAL_CELLS) -> Grid:
    """For each cell the action that is taken in most of the plane's states, and the rule that then drives most often.

    Each state counts once in every cell, whether it was met there or not. Truths, strengths and votes are means.
    """
    every = np.arange(cells * cells)
    acted, drove = (np.zeros((n + 1, cells * cells), np.int64) for n in (len(policy.actions), len(policy.rules)))
    truths = np.zeros((cells * cells, len(policy.rules)))
    strengths, votes = (np.zeros((cells * cells, len(policy.actions))) for _ in range(2))
    for row in where.rest:
        grid = action_grid(policy, (where.x, where.y), where.spans, row, cells)
        acted[grid.firing.choices, every] += 1  # NOBODY, -1, is the last row
        drove[grid.firing.drivers, every] += 1
        truths += grid.firing.truths / len(where.rest)
        strengths += grid.firing.strengths / len(where.rest)
        votes += grid.firing.votes / len(where.rest)
    most = acted.argmax(axis=0)
    advocates = policy.arrays.actions[:, None] == most
    truest = np.where(advocates, drove[:-1], NOBODY).argmax(axis=0)
    nobody = most == len(policy.actions)
    firing = Firing(truths, strengths, votes, np.where(nobody, NOBODY, truest), np.where(nobody, NOBODY, most))
    return Grid(where.x, where.y, grid.xs, grid.ys, firing, acted[most, every] / len(where.rest))


def _grid(policy: Policy, where: Plane) -> Grid:
    if len(where.rest) > 1:
        return marginal_grid(policy, where)
    return action_grid(policy, (where.x, where.y), where.spans, where.rest[0])


def _whole(policy: Policy, inputs: Floats) -> Floats:
    """Crisp inputs are whole numbers."""
    for f, feature in enumerate(policy.features):
        if feature.crisp:
            inputs[:, f] = np.clip(np.rint(inputs[:, f]), feature.low, feature.high)
    return inputs


def _draw_actions(grid: Grid, colours: Sequence[str], ax: Axes) -> None:
    mpl = style.require("matplotlib.colors")
    tints = [(1.0, 1.0, 1.0), *(style.tint(colour, _TINT) for colour in colours)]
    ax.imshow(
        grid.picture(grid.firing.choices),
        cmap=mpl.ListedColormap(tints),
        vmin=NOBODY - 0.5,
        vmax=len(colours) - 0.5,
        alpha=None if grid.agreement is None else grid.picture(grid.agreement),
        extent=_extent(grid),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
    )


def _draw_outputs(policy: Policy, grid: Grid, ax: Axes) -> None:
    """The mean of the actions' values, weighted with their votes."""
    values = np.array([float(np.ravel(action.value)[0]) for action in policy.actions])
    votes = grid.firing.votes
    shares = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)  # of a mean, some states may have no votes
    outputs = np.where(grid.firing.choices == NOBODY, np.nan, shares @ values)
    image = ax.imshow(
        grid.picture(outputs),
        cmap=style.shading(),
        vmin=values.min(),
        vmax=values.max(),
        extent=_extent(grid),
        origin="lower",
        aspect="auto",
        alpha=_DEEP,
    )
    figure = ax.get_figure()
    if figure is not None:
        bar = figure.colorbar(image, ax=ax, pad=0.02)
        bar.set_label("output", fontsize=style.NORMAL)
        bar.ax.tick_params(labelsize=style.SMALL)


def _draw_borders(grid: Grid, ax: Axes) -> None:
    """Hatching where nobody drives, and a line around what each rule drives."""
    drivers = grid.picture(grid.firing.drivers)
    if (drivers == NOBODY).any():
        field = (drivers == NOBODY).astype(float)
        hatched = ax.contourf(grid.xs, grid.ys, field, levels=[0.5, 1.5], colors="none", hatches=["////"])
        hatched.set(edgecolor=_HATCH, linewidth=0, label="no rule fires")
    for r in np.unique(drivers):
        mine = drivers == r
        if r != NOBODY and not mine.all():
            ax.contour(grid.xs, grid.ys, mine.astype(float), levels=[0.5], colors=style.INK, linewidths=0.5)


def _number_rules(policy: Policy, grid: Grid, ax: Axes) -> None:
    """A rule's number in the middle of each block of neighbouring sets for which it speaks, if it drives there.

    If it drives only elsewhere, its number stands in the inmost of that.
    """
    drivers = grid.picture(grid.firing.drivers)
    for r, rule in enumerate(policy.rules):
        blocks = product(_middles(policy, rule, grid.x), _middles(policy, rule, grid.y))
        places = [(x, y) for x, y in blocks if drivers[_nearest(grid.ys, y), _nearest(grid.xs, x)] == r]
        for x, y in places or _inmost(grid, drivers == r):
            badge = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": style.INK, "linewidth": 0.6}
            ax.text(x, y, str(r + 1), ha="center", va="center", fontsize=style.SMALL, bbox=badge, zorder=5)


def _nearest(centres: Floats, x: float) -> int:
    return int(np.abs(centres - x).argmin())


def _inmost(grid: Grid, region: NDArray[np.bool_], stride: int = 5) -> list[tuple[float, float]]:
    """A place of a region as far from its border as can be; none where it is too narrow for a number."""
    xs, ys, left = grid.xs[::stride], grid.ys[::stride], region[::stride, ::stride]
    inner = left
    while inner.any():
        left = inner
        padded = np.pad(left, 1)
        inner = left & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    rows, columns = np.nonzero(left)
    middle = len(rows) // 2
    return [(float(xs[columns[middle]]), float(ys[rows[middle]]))] if len(rows) else []


def _middles(policy: Policy, rule: Rule, f: int) -> list[float]:
    """The middle of every block of neighbouring sets that the rule's clause on a feature selects."""
    feature, refs, clause = policy.features[f], policy.reference_coordinates[f], rule.clauses[f]
    middles = []
    for selected, block in groupby(range(len(refs)), key=lambda j: clause[j]):
        sets = list(block)
        if selected:
            left = feature.low if sets[0] == 0 else refs[sets[0]]
            right = feature.high if sets[-1] == len(refs) - 1 else refs[sets[-1]]
            middles.append((left + right) / 2)
    return middles


def _draw_way(xs: Floats, ys: Floats, uncovered: bool, thickness: float, ax: Axes) -> None:
    ax.plot(xs, ys, color="white", linewidth=2.4 * thickness, alpha=0.7, zorder=3)
    ax.plot(xs, ys, color=style.INK, linewidth=thickness, zorder=3.1, label="episode")
    ax.plot(xs[:1], ys[:1], "o", color="white", markeredgecolor=style.INK, markersize=4, zorder=4.1, clip_on=False)
    ax.plot(xs[-1:], ys[-1:], "X" if uncovered else "o", color=style.INK, markersize=4, zorder=4, clip_on=False)


def _entries(policy: Policy, width: float) -> list[tuple[str, int]]:
    """The rules in words, each with its action, or the actions alone where there are many rules."""
    if len(policy.rules) > _MOST_RULES:
        return [(style.plain(action.words), a) for a, action in enumerate(policy.actions)]
    room = max(1.0, width - 1.2 - (_COLOUR_BAR if policy.continuous else 0))
    return [
        ("\n".join(style.wrapped(style.plain(f"{r} {rule.text}", 10_000), room)), rule.action - 1)
        for r, rule in enumerate(policy.rules, 1)
    ]


def _legend(policy: Policy, gaps: bool, ax: Axes) -> None:
    patch, colours = style.require("matplotlib.patches").Patch, style.action_colours(policy)
    share = _DEEP if policy.continuous else _TINT
    handles = [
        patch(facecolor=style.tint(colours[a], share), edgecolor=style.INK, linewidth=0.4, label=label)
        for label, a in _entries(policy, style.width_of(ax))
    ]
    if gaps:
        handles.append(patch(facecolor="white", edgecolor=_HATCH, hatch="////", linewidth=0, label="no rule fires"))
    style.legend_below(ax, handles=handles, handlelength=1.6, ncols=1 if len(policy.rules) <= _MOST_RULES else 3)


def _extent(grid: Grid) -> tuple[float, float, float, float]:
    dx, dy = (grid.xs[1] - grid.xs[0]) / 2, (grid.ys[1] - grid.ys[0]) / 2
    return float(grid.xs[0] - dx), float(grid.xs[-1] + dx), float(grid.ys[0] - dy), float(grid.ys[-1] + dy)
