"""An episode along its steps: what the policy saw, which rules fired and drove, and how the votes fell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mococo.analysis.trajectories import NOBODY, Episode
from mococo.errors import ConfigError
from mococo.policy import Policy, Rule
from mococo.report import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MOST_FEATURES = 4
_BAND = 0.55  # height of a truth of 1


def timeline_figure(
    policy: Policy, episode: Episode, figure: Figure | SubFigure | None = None, width: float = style.WIDTH
) -> Figure | SubFigure:
    """The features that the policy looks at (the first four), the rules, and the votes, over the same steps.

    Of a policy that mixes its actions' values, the mixture too.
    """
    _check(episode)
    used = style.used_features(policy)[:_MOST_FEATURES]
    heights = [1.0] * (len(used) + policy.continuous) + [0.45 * sum(_heights(policy, width)), 1.0]
    figure = style.new_figure(width, sum(heights) + 0.9) if figure is None else figure
    *above, middle, below = style.panels(figure, heights)
    for f, ax in zip(used, above, strict=False):
        draw_input(policy, episode, f, ax)
    if policy.continuous:
        draw_output(policy, episode, above[-1])
    draw_firing(policy, episode, middle)
    draw_votes(policy, episode, below)
    for ax in (*above, middle):
        ax.sharex(below)
        ax.tick_params(labelbottom=False)
        ax.set_xlabel("")
    figure.align_ylabels()
    return figure


def draw_input(policy: Policy, episode: Episode, feature: int, ax: Axes | None = None) -> Axes:
    """What the policy saw of one feature (its place, from 0 on)."""
    ax = style.axes_or_new(ax, height=1.6)
    ax.plot(episode.inputs[:, feature], color=style.INK, linewidth=1.1)
    ax.set_xlim(0, max(1, len(episode)))
    ax.margins(y=0.1)
    style.few_ticks(ax)
    return style.dress(ax, "step", "", policy.features[feature].name)


def draw_output(policy: Policy, episode: Episode, ax: Axes | None = None) -> Axes:
    """What the policy gave out, in the range of its actions' values."""
    ax = style.axes_or_new(ax, height=1.6)
    ax.stairs(episode.outputs, baseline=None, color=style.INK, linewidth=1.1)
    values = [float(np.ravel(action.value)[0]) for action in policy.actions]
    ax.set_xlim(0, max(1, len(episode)))
    ax.set_ylim(min(values), max(values))
    ax.margins(y=0.1)
    style.few_ticks(ax)
    return style.dress(ax, "step", "", "output")


def draw_firing(policy: Policy, episode: Episode, ax: Axes | None = None) -> Axes:
    """A band for each rule, as high as its truth, in the colour of its action; full colour while it drove."""
    _check(episode)
    n = len(policy.rules)
    heights = _heights(policy, style.WIDTH if ax is None else style.width_of(ax))
    floors = np.cumsum(heights[::-1])[::-1] - heights
    ax = style.axes_or_new(ax, height=0.9 + 0.45 * sum(heights))
    colours, steps = style.action_colours(policy), np.arange(len(episode) + 1)
    for r, rule in enumerate(policy.rules):
        truth, drove = episode.firing.truths[:, r], episode.firing.drivers == r
        floor, colour = float(floors[r]), colours[rule.action - 1]
        for values, alpha, name in ((truth, 0.25, "fired"), (np.where(drove, truth, 0.0), 1.0, "drove")):
            ax.stairs(
                floor + _BAND * values, steps, baseline=floor, fill=True, color=colour, alpha=alpha,
                label=f"rule {r + 1} {name}",
            )  # fmt: skip
        ax.axhline(floor, color=style.PALE, linewidth=0.6, zorder=0)
        ax.text(
            0.005, floor + heights[r] - 0.06, "\n".join(_lines(rule, style.width_of(ax))), va="top",
            transform=ax.get_yaxis_transform(), fontsize=style.SMALL, color=style.INK, linespacing=1.1,
        )  # fmt: skip
    ax.set_xlim(0, max(1, len(episode)))
    ax.set_ylim(-0.05, sum(heights))
    ax.set_yticks((floors + _BAND / 2).tolist(), [str(r + 1) for r in range(n)])
    style.dress(ax, "step", "truth of rule")
    ax.tick_params(axis="y", length=0)
    return ax


def draw_votes(policy: Policy, episode: Episode, ax: Axes | None = None) -> Axes:
    """Each action's share of the votes, stacked, and below them the action that was taken."""
    _check(episode)
    ax = style.axes_or_new(ax, height=1.8)
    colours, steps = style.action_colours(policy), np.arange(len(episode) + 1)
    base = np.zeros(len(episode))
    voted = {rule.action - 1 for rule in policy.rules}  # an action without a rule has no votes
    for a, (colour, votes) in enumerate(zip(colours, episode.firing.votes.T, strict=True)):
        if a not in voted:
            continue
        ax.stairs(
            base + votes, steps, baseline=base, fill=True, color=style.tint(colour, 0.55),
            label=style.plain(policy.actions[a].words),
        )  # fmt: skip
        base = base + votes
    if not policy.continuous:
        for a, colour in enumerate(colours):
            taken = np.where(episode.firing.choices == a, -0.06, -0.18)
            ax.stairs(taken, steps, baseline=-0.18, fill=True, color=colour)
    elif episode.firing.choices.min() == NOBODY:
        raise AssertionError("an episode goes on only while rules fire")
    ax.set_xlim(0, max(1, len(episode)))
    ax.set_ylim(0 if policy.continuous else -0.2, 1.02)
    ax.set_yticks([0, 0.5, 1])
    style.dress(ax, "step", "votes")
    style.legend_below(ax, ncols=max(1, int(style.width_of(ax) / 1.6)))
    return ax


def _heights(policy: Policy, width: float) -> NDArray[np.float64]:
    """For each rule the height of its band and of its text above, in a figure of so many inches."""
    return np.array([_BAND + 0.1 + 0.3 * len(_lines(rule, width)) for rule in policy.rules])


def _lines(rule: Rule, width: float) -> list[str]:
    return style.wrapped(style.plain(rule.text, 10_000), max(1.0, width - 1.1))


def _check(episode: Episode) -> None:
    if len(episode) == 0:
        raise ConfigError("the episode has no steps: no rule fires in its start state, so there is nothing to draw")
