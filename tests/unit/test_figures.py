"""Figures: what the artists hold is what was given, and every file format can be written."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch

import mococo
from mococo.analysis.trajectories import NOBODY, Episode, fire, trace
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.registry import find
from mococo.envs.spec import Action, Feature
from mococo.errors import ConfigError, MissingExtra, PolicyError
from mococo.report import style
from mococo.report.front_figure import JITTER, draw_complexities, draw_front, front_figure, knee
from mococo.report.map_figure import action_grid, draw_map
from mococo.report.seeds_figure import (
    attainment,
    best_so_far,
    convergence_figure,
    draw_attainment,
    draw_best,
    draw_hypervolume,
)
from mococo.report.sets_figure import draw_sets, draw_valley, sets_figure
from mococo.report.timeline_figure import draw_firing, draw_input, draw_votes, timeline_figure
from mococo.training import Record

# The rule base of the paper's best policy (section 7), with sets in the middles of their regions.
BEST = mococo.Policy.from_genotypes(
    (4, 4),
    [0.5] * 8,
    [0, 0, 2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 2, 0],
    features=MOUNTAIN_CAR.features,
    actions=MOUNTAIN_CAR.actions,
)
ROCKING = mococo.Policy.from_genotypes(
    (2, 2), [0.5] * 4, [1, 2, 1, 2], features=MOUNTAIN_CAR.features, actions=MOUNTAIN_CAR.actions
)


@dataclass(frozen=True)
class Dot:
    policy: mococo.Policy
    performance: float
    complexity: int
    count: int = 1


POINTS = (Dot(ROCKING, -200.0, 2, 40), Dot(ROCKING, -120.0, 3), Dot(BEST, -99.0, 4, 2), Dot(BEST, -96.0, 5, 7))


def record(gen: int, hypervolume: float, best: dict[int, float]) -> Record:
    return Record(gen, 10, 100, best, hypervolume, hypervolume + 1, 3, 0.1)


HISTORIES = (
    [record(0, 1.0, {2: -200.0, 4: -150.0}), record(1, 5.0, {3: -140.0})],
    [record(0, 2.0, {2: -190.0}), record(1, 7.0, {2: -195.0, 3: -120.0}), record(2, 8.0, {2: -100.0})],
    [record(0, 6.0, {3: -130.0}), record(1, 4.0, {2: -160.0, 3: -110.0})],
)


def rendered(figure: Any) -> Any:
    figure.draw_without_rendering()
    return figure


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    return figure


def scatters(ax: Axes) -> dict[str, PathCollection]:
    return {str(part.get_label()): part for part in ax.collections if isinstance(part, PathCollection)}


def curves(ax: Axes) -> dict[str, list[float]]:
    return {str(line.get_label()): np.asarray(line.get_ydata(), dtype=float).tolist() for line in ax.lines}


def bands(ax: Axes) -> dict[str, StepPatch]:
    return {str(part.get_label()): part for part in ax.patches if isinstance(part, StepPatch)}


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


# ---------------------------------------------------------------- front


def test_every_solution_is_a_point_near_its_complexity_in_the_colour_of_its_subspecies() -> None:
    drawn = scatters(draw_front(POINTS))
    assert set(drawn) == {"2x2", "4x4"}
    for tag, points in (("2x2", POINTS[:2]), ("4x4", POINTS[2:])):
        offsets = np.asarray(drawn[tag].get_offsets())
        assert offsets[:, 1].tolist() == [p.performance for p in points for _ in range(p.count)]
        away = offsets[:, 0] - [p.complexity for p in points for _ in range(p.count)]
        assert np.abs(away).max() <= JITTER
        assert len(np.unique(away)) == len(away)
    looks = style.tag_looks([(2, 2), (4, 4)])
    for tag, name in (((2, 2), "2x2"), ((4, 4), "4x4")):
        colour = np.asarray(drawn[name].get_facecolor())[0]
        assert tuple(colour[:3]) == to_rgb(looks[tag].colour)
        assert colour[3] < 0.6


def test_subspecies_keep_their_colours_when_another_is_missing() -> None:
    known = ((2, 2), (3, 3), (4, 4))
    drawn = scatters(draw_front(POINTS, subspecies=known))
    assert set(drawn) == {"2x2", "4x4"}
    assert tuple(np.asarray(drawn["4x4"].get_facecolor())[0][:3]) == to_rgb(style.GREEN)


def test_complexities_are_counted() -> None:
    ax = draw_complexities(POINTS)
    bars = {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle)}
    assert {round(x): height for x, height in bars.items()} == {2: 40, 3: 1, 4: 2, 5: 7}
    assert texts(ax) == ["40", "1", "2", "7"]


def test_the_third_plot_shows_what_the_frame_in_the_second_surrounds() -> None:
    histogram, middle, near = rendered(front_figure(POINTS)).axes
    frame = next(part for part in middle.patches if isinstance(part, Rectangle))
    assert near.get_xlim() == pytest.approx((frame.get_x(), frame.get_x() + frame.get_width()))
    assert near.get_ylim() == pytest.approx((frame.get_y(), frame.get_y() + frame.get_height()))
    assert near.get_xlim() == (3.5, 5.5)  # -99 and -96 are in the best tenth of -200 ... -96, -120 is not
    assert near.get_ylim() == pytest.approx((-99.3, -95.7))
    assert histogram.get_xlim() == middle.get_xlim()
    given = front_figure(POINTS, box=((1, 3), (-210, -190))).axes[2]
    assert (given.get_xlim(), given.get_ylim()) == ((1, 3), (-210, -190))


def test_there_is_no_third_plot_where_nothing_would_be_seen() -> None:
    assert knee(POINTS[:1]) is None
    assert len(rendered(front_figure(POINTS[:1])).axes) == 2


# ---------------------------------------------------------------- fuzzy sets


def test_sets_are_drawn_as_they_are_inferred() -> None:
    """The truth of a set is that of a rule with this set alone."""
    for feature in (0, 1):
        ax = draw_sets(BEST, feature)
        domain = BEST.features[feature]
        assert [str(line.get_label()) for line in ax.lines] == list(BEST.set_names[feature])
        for j, line in enumerate(ax.lines):
            rb = [0] * 16
            rb[4 * j if feature == 0 else j] = 1
            other = 1 - feature
            alone = replace(BEST, rb=tuple(rb))
            xs = np.linspace(domain.low, domain.high, 57)
            inputs = np.full((len(xs), 2), BEST.features[other].low)
            inputs[:, feature] = xs
            drawn = np.interp(xs, line.get_xdata(), line.get_ydata(), left=0, right=0)
            np.testing.assert_allclose(drawn, fire(alone, inputs).truths[:, 0], atol=1e-9)


def test_names_stand_over_their_sets_and_do_not_overlap() -> None:
    for width in (2.5, 6.4):
        ax = draw_sets(BEST, 0, style.new_figure(width, 2).add_subplot())
        figure = figure_of(ax)
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert texts(ax) == ["Far Left", "Left", "Right", "Far Right"]
        for i, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[i + 1 :])
            assert one.x0 >= 0
            assert one.x1 <= figure.bbox.x1


def test_the_valley_is_above_the_positions_of_mountain_car() -> None:
    valley, positions, velocities = rendered(sets_figure(BEST)).axes
    line = valley.lines[0]
    np.testing.assert_allclose(line.get_ydata(), np.sin(3 * np.asarray(line.get_xdata())))
    assert valley.get_xlim() == positions.get_xlim() == (-1.2, 0.5)
    assert valley.get_position().x0 == positions.get_position().x0
    assert (positions.get_xlabel(), velocities.get_xlabel()) == ("position", "velocity")
    assert draw_valley().get_xlabel() == "position"


def test_features_that_the_policy_does_not_look_at_are_left_out() -> None:
    policy = mococo.Policy.from_genotypes(
        (1, 3), [0.5] * 4, [1, 0, 2], features=[("cost in $ of $x$", 0, 1), ("a_$b$", 0, 3)], actions=["-", "+"]
    )
    (ax,) = rendered(sets_figure(policy)).axes
    assert ax.get_xlabel() == r"a_\$b\$"
    nothing = mococo.Policy.from_genotypes((1,), [0.5], [1], features=[("x", 0, 1)], actions=["-"])
    with pytest.raises(PolicyError, match="looks at no feature"):
        sets_figure(nothing)


def test_a_derived_feature_is_told_as_a_sum() -> None:
    features = (Feature("a", -1, 1), Feature("b", -1, 1), Feature("c", -2, 2, terms=(("a", 1.0), ("b", -0.5))))
    policy = mococo.Policy.from_genotypes((1, 1, 2), [0.5] * 4, [1, 2], features, [0, 1])
    assert draw_sets(policy, 2).get_xlabel() == "c = a - 0.5*b"


def test_crisp_sets_are_bars_at_their_values() -> None:
    crisp = Feature("gear", 0, 2, crisp=True)
    policy = mococo.Policy.from_genotypes((3,), [0.5] * 3, [1, 0, 2], features=[crisp], actions=["-", "+"])
    ax = draw_sets(policy, 0)
    centres = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches if isinstance(bar, Rectangle)]
    assert centres == pytest.approx([0, 1, 2])
    assert texts(ax) == ["0", "1", "2"]


# ---------------------------------------------------------------- episodes


def test_an_episode_is_what_the_rollouts_play() -> None:
    starts = MOUNTAIN_CAR.draw_starts(6, 0)
    for policy in (ROCKING, BEST):
        played = mococo.evaluate(policy, MOUNTAIN_CAR, starts=starts)
        for column, start in enumerate(starts):
            episode = trace(policy, MOUNTAIN_CAR, start)
            assert len(episode) == played.steps[0, column]
            if not episode.uncovered:
                assert episode.discounted(1.0) == played.returns[0, column]


def test_a_firing_is_what_the_policy_says() -> None:
    inputs = np.random.default_rng(0).uniform([-1.2, -0.07], [0.5, 0.07], (200, 2))
    firing = fire(BEST, inputs)
    for row, obs in enumerate(inputs):
        assert firing.truths[row].tolist() == BEST.truths(obs).tolist()
        assert firing.votes[row].tolist() == BEST.votes(obs).tolist()
        if firing.choices[row] == NOBODY:
            assert firing.drivers[row] == NOBODY
            with pytest.raises(mococo.policy.UncoveredState):
                BEST.act(obs)
            continue
        assert BEST.actions[firing.choices[row]].value == BEST.act(obs)
        driver = firing.drivers[row]
        rivals = [r for r, rule in enumerate(BEST.rules) if rule.action == firing.choices[row] + 1]
        assert firing.truths[row, driver] == max(firing.truths[row, rivals])


def test_a_start_of_another_shape_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"a finite state of MountainCar-v0, shape \(2,\), got shape \(3,\)"):
        trace(ROCKING, MOUNTAIN_CAR, [0, 0, 0])


@pytest.fixture(scope="module")
def episode() -> Episode:
    return trace(BEST, MOUNTAIN_CAR, [-0.5, 0.0])


def test_the_timeline_holds_inputs_truths_drivers_and_votes(episode: Episode) -> None:
    firing = episode.firing
    assert draw_input(BEST, episode, 1).lines[0].get_ydata().tolist() == episode.inputs[:, 1].tolist()  # type: ignore[union-attr]
    ax = draw_firing(BEST, episode)
    for r in range(len(BEST.rules)):
        for name, expected in (
            ("fired", firing.truths[:, r]),
            ("drove", np.where(firing.drivers == r, firing.truths[:, r], 0)),
        ):
            values, edges, floor = bands(ax)[f"rule {r + 1} {name}"].get_data()
            np.testing.assert_allclose((values - floor) / 0.55, expected, atol=1e-12)
            assert edges.tolist() == list(range(len(episode) + 1))
    shown = " ".join(" ".join(texts(ax)).split())
    assert shown == " ".join(rule.text for rule in BEST.rules)
    votes = bands(draw_votes(BEST, episode))
    below = np.zeros(len(episode))
    for a, action in enumerate(BEST.actions):
        values, _, base = votes[action.words].get_data()
        np.testing.assert_allclose(base, below)
        np.testing.assert_allclose(values - base, firing.votes[:, a])
        below = values


def test_the_timeline_shows_its_panels_over_the_same_steps(episode: Episode) -> None:
    axes = rendered(timeline_figure(BEST, episode)).axes
    told = [ax.get_ylabel() or ax.get_title(loc="left") for ax in axes]
    assert told == ["position", "velocity", "truth of rule", "votes"]
    assert {ax.get_xlim() for ax in axes} == {(0, len(episode))}


def test_the_timeline_of_a_mixture_shows_it_and_names_only_actions_that_are_voted_for() -> None:
    env = find("Pendulum-v1")
    tag = (2, 1, 1, 1)
    policy = mococo.Policy.from_genotypes(tag, [0.5] * 5, [1, 5], env.features, env.actions, continuous=True)
    episode = trace(policy, env, [1.0, 0.0])
    axes = rendered(timeline_figure(policy, episode)).axes
    output = next(ax for ax in axes if ax.get_title(loc="left") == "output")
    assert output.patches[0].get_data().values.tolist() == episode.outputs.tolist()  # type: ignore[attr-defined]
    assert output.get_ylim() == (-2, 2)
    assert set(bands(draw_votes(policy, episode))) == {env.actions[0].words, env.actions[4].words}


def test_levels_of_one_quantity_have_the_colours_of_the_map() -> None:
    env = find("Pendulum-v1")
    values = [action.value for action in env.actions]
    policy = mococo.Policy.from_genotypes((2, 1, 1, 1), [0.5] * 5, [1, 5], env.features, env.actions, continuous=True)
    mesh = draw_map(policy, over=("cos_angle", "angular_velocity")).images[0]
    for value, colour in zip(values, style.action_colours(policy), strict=True):
        assert mesh.cmap(mesh.norm(value))[:3] == pytest.approx(to_rgb(colour), abs=0.01)


def test_letters_are_dark_enough_to_read() -> None:
    """A contrast of 4.5 to white, as the accessibility guidelines ask."""
    for colour in style.SERIES:
        parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in style.legible(colour)]
        light = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        assert 1.05 / (light + 0.05) >= 4.5, colour


def test_a_single_complexity_is_no_smear() -> None:
    ax = draw_front([POINTS[0]])
    left, right = ax.get_xlim()
    assert right - left >= 5
    assert left < POINTS[0].complexity < right


def test_an_episode_without_steps_is_refused() -> None:
    mute = replace(BEST, rb=(1, *[0] * 14, 2))
    stuck = trace(mute, MOUNTAIN_CAR, [-0.5, 0.0])
    assert (len(stuck), stuck.uncovered) == (0, True)
    with pytest.raises(ConfigError, match="the episode has no steps"):
        timeline_figure(mute, stuck)


# ---------------------------------------------------------------- map


def test_the_map_shows_the_action_at_every_place(episode: Episode) -> None:
    ax = draw_map(BEST, episodes=[episode])
    image = ax.images[0]
    picture = np.asarray(image.get_array())
    left, right, bottom, top = image.get_extent()
    assert (left, right, bottom, top) == pytest.approx((-1.2, 0.5, -0.07, 0.07))
    rows, columns = picture.shape
    for row, column in np.random.default_rng(0).integers(0, rows, (100, 2)):
        obs = (
            left + (column + 0.5) / columns * (right - left),
            bottom + (row + 0.5) / rows * (top - bottom),
        )
        votes = BEST.votes(obs)
        assert picture[row, column] == (np.argmax(votes) if votes.any() else NOBODY)


def test_the_map_goes_on_where_episodes_leave_the_domain() -> None:
    passed = trace(ROCKING, MOUNTAIN_CAR, [-0.5, 0.0])
    end = passed.inputs[:, 0].max()
    assert end > 0.5
    ax = draw_map(ROCKING, episodes=[passed])
    assert ax.get_xlim() == pytest.approx((-1.2, end))
    assert ax.images[0].get_extent()[1] == pytest.approx(end)


def test_the_map_hatches_gaps_numbers_rules_and_draws_episodes(episode: Episode) -> None:
    ax = draw_map(BEST, episodes=[episode])
    hatched = next(part for part in ax.collections if getattr(part, "hatches", [None])[0])
    gap = (-1.1, -0.06)
    assert not BEST.votes(gap).any()
    assert hatched.get_paths()[0].contains_point(gap)
    assert not hatched.get_paths()[0].contains_point((-0.5, 0.02))
    assert sorted(texts(ax)) == ["1", "2", "2", "3"]  # the second rule speaks for sets that are apart
    for text in ax.texts:
        place = np.array([text.get_position()])
        assert fire(BEST, place).drivers[0] == int(text.get_text()) - 1
    ways = [line for line in ax.lines if line.get_label() == "episode"]
    assert np.asarray(ways[0].get_xydata()).tolist() == episode.inputs.tolist()
    legend = ax.get_legend()
    assert legend is not None
    told = [" ".join(text.get_text().split()) for text in legend.get_texts()]
    assert told == [*(f"{r} {rule.text}" for r, rule in enumerate(BEST.rules, 1)), "no rule fires"]


THREE = mococo.Policy.from_genotypes(
    (2, 2, 1, 2),
    [0.5] * 7,
    [1, 0, 2, 1, 0, 2, 1, 1],
    features=[("a", 0, 1), ("b", 0, 1), ("unused", 0, 1), Feature("sum", 0, 2, terms=(("a", 1.0), ("b", 1.0)))],
    actions=[Action(0, "go"), Action(1, "stop")],
)


def test_other_features_are_fixed_and_told() -> None:
    ax = draw_map(THREE, over=("b", "sum"), at={"a": 0.25})
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("b", "sum", "at a = 0.25")
    with pytest.raises(ConfigError, match="'b' cannot be fixed"):
        draw_map(THREE, at={"b": 0.25})
    with pytest.raises(ConfigError, match=r"no feature 'bb'\. Did you mean b\?"):
        draw_map(THREE, over=("bb", "a"))
    with pytest.raises(ConfigError, match="two different features, got a, a"):
        draw_map(THREE, over=("a", "a"))


def test_derived_features_follow_unless_they_are_axes() -> None:
    spans = [(0.0, 1.0), (0.0, 1.0)]
    grid = action_grid(THREE, (0, 1), spans, [0, 0, 0.5, 99], cells=7)
    for row, y in enumerate(grid.ys):
        for column, x in enumerate(grid.xs):
            assert grid.picture(grid.firing.votes[:, 0])[row, column] == THREE.votes([x, y, 0.5])[0]
    free = action_grid(THREE, (0, 3), [(0.0, 1.0), (0.0, 2.0)], [0, 0.9, 0.5, 0], cells=5)
    expected = fire(THREE, np.array([[free.xs[1], 0.9, 0.5, free.ys[3]]])).votes[0]
    assert free.firing.votes[3 * 5 + 1].tolist() == expected.tolist()


def test_continuous_outputs_are_the_mean_of_the_actions() -> None:
    policy = mococo.Policy.from_genotypes(
        (2, 2), [0.5] * 4, [1, 2, 0, 3], features=[("x", 0, 1), ("y", 0, 1)], actions=[-1.0, 0.0, 2.0], continuous=True
    )
    ax = draw_map(policy)
    picture = np.ma.filled(np.ma.asarray(ax.images[0].get_array()), math.nan)
    for row, column in ((10, 20), (450, 300), (250, 250)):
        obs = ((column + 0.5) / 500, (row + 0.5) / 500)
        assert picture[row, column] == pytest.approx(float(policy.act(obs)[0]))
    assert math.isnan(picture[0, -1])
    rendered(figure_of(ax))


# ---------------------------------------------------------------- seeds


def test_hypervolumes_are_medians_and_quartiles_over_what_all_runs_have() -> None:
    ax = draw_hypervolume(HISTORIES)
    assert curves(ax) == {"all found so far": [3.0, 6.0], "$F_1$ of the generation": [2.0, 5.0]}
    outline = ax.collections[1].get_paths()[0].vertices
    assert set(map(tuple, np.asarray(outline).tolist())) == {(0, 1.5), (0, 4.0), (1, 4.5), (1, 6.0)}
    assert ax.get_title(loc="left").startswith("3 runs")


def test_the_best_so_far_never_falls_and_counts_simpler_policies() -> None:
    drawn = curves(draw_best(HISTORIES))
    assert list(drawn) == ["≤ 2", "≤ 3"]  # the median of 4 is not better than that of 3
    # 2: -200, -190, none; then the same and -160. 3: -200, -190, -130; then -140, -120, -110.
    np.testing.assert_equal(drawn, {"≤ 2": [-200.0, -190.0], "≤ 3": [-190.0, -120.0]})


def test_what_only_the_archive_found_counts_too() -> None:
    """Neighbours of its policies are evaluated, which are in no F_1."""
    history = [record(0, 1.0, {2: -150.0}), replace(record(1, 2.0, {2: -140.0}), archive_best={2: -140.0, 4: -100.0})]
    assert best_so_far(history, 4).tolist() == [-150.0, -100.0]
    assert curves(draw_best([history]))["≤ 4"][-1] == -100.0


def test_of_many_curves_those_are_drawn_that_end_highest_above_the_one_before() -> None:
    ends = {c: -200.0 + rise for c, rise in zip(range(2, 12), np.cumsum([9, 1, 8, 2, 7, 3, 6, 4, 5, 10]), strict=True)}
    drawn = curves(draw_best([[record(0, 1.0, ends)]]))
    assert list(drawn) == ["≤ 2", "≤ 4", "≤ 6", "≤ 8", "≤ 9", "≤ 10", "≤ 11"]
    assert list(drawn.values()) == [[ends[c]] for c in (2, 4, 6, 8, 9, 10, 11)]


def test_few_solutions_lie_above_many() -> None:
    drawn = scatters(draw_front(POINTS))
    assert drawn["4x4"].get_zorder() > drawn["2x2"].get_zorder()


def test_narrow_figures_turn_their_counts() -> None:
    wide, narrow = (draw_complexities(POINTS, style.new_figure(w, 2).add_subplot()) for w in (6.4, 1.2))
    assert {text.get_rotation() for text in wide.texts} == {0.0}
    assert {text.get_rotation() for text in narrow.texts} == {90.0}


def test_convergence_has_both_panels() -> None:
    upper, lower = rendered(convergence_figure(HISTORIES)).axes
    assert upper.get_xlim() == lower.get_xlim()
    with pytest.raises(ConfigError, match="no generations to draw"):
        convergence_figure([])


FRONTS = ((POINTS[0], POINTS[3]), (POINTS[1], POINTS[2]), (POINTS[0], POINTS[1]))


def test_attainment_by_counting() -> None:
    levels = (2, 3, 4, 5)
    surfaces = attainment(FRONTS, levels)
    for k in (1, 2, 3):
        for column, level in enumerate(levels):
            reached = sorted(
                (max((p.performance for p in front if p.complexity <= level), default=-math.inf) for front in FRONTS),
                reverse=True,
            )[k - 1]
            expected = reached if math.isfinite(reached) else math.nan
            np.testing.assert_equal(surfaces[k - 1, column], expected)


def test_attainment_surfaces_are_steps() -> None:
    ax = draw_attainment(FRONTS)
    drawn = curves(ax)
    np.testing.assert_equal(
        drawn,
        {
            "at least 1 of 3 runs": [-200.0, -120.0, -99.0, -96.0, -96.0],
            "at least 2 of 3 runs": [-200.0, -120.0, -120.0, -99.0, -99.0],
            "all 3 runs": [math.nan, -200.0, -200.0, -120.0, -120.0],
        },
    )
    assert {line.get_drawstyle() for line in ax.lines} == {"steps-post"}
    assert list(curves(draw_attainment(FRONTS[:1]))) == ["the run"]


# ---------------------------------------------------------------- all of them


def test_figures_are_drawn_where_they_are_told(episode: Episode) -> None:
    drawings = (
        lambda ax: draw_front(POINTS, ax), lambda ax: draw_complexities(POINTS, ax),
        lambda ax: draw_sets(BEST, 0, ax), draw_valley, lambda ax: draw_map(BEST, ax),
        lambda ax: draw_input(BEST, episode, 0, ax), lambda ax: draw_firing(BEST, episode, ax),
        lambda ax: draw_votes(BEST, episode, ax), lambda ax: draw_hypervolume(HISTORIES, ax),
        lambda ax: draw_best(HISTORIES, ax), lambda ax: draw_attainment(FRONTS, ax),
    )  # fmt: skip
    for draw in drawings:
        ax = Figure(figsize=(12, 8)).subplots()
        assert draw(ax) is ax
    left, right = Figure(figsize=(12, 8)).subfigures(1, 2)
    assert front_figure(POINTS, left) is left
    assert sets_figure(BEST, right) is right
    assert len(left.axes) == len(right.axes) == 3


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_files_are_the_same_every_time(kind: str, magic: bytes, tmp_path: Path, episode: Episode) -> None:
    written = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{kind}"
        style.save(figure_of(draw_firing(BEST, episode)), path)
        written.append(path.read_bytes())
    assert written[0].startswith(magic)
    assert written[0] == written[1]


def test_pyplot_is_not_touched() -> None:
    words: Sequence[str] = [
        sys.executable, "-c",
        "import sys, mococo.report.style as s; s.new_figure(); assert 'matplotlib.pyplot' not in sys.modules",
    ]  # fmt: skip
    subprocess.run(words, check=True)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"figures need matplotlib, .* pip install mococo\[plot\]"):
        style.new_figure()


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there are no solutions to draw"):
        front_figure([])
    with pytest.raises(ConfigError, match="there are no solutions to draw"):
        draw_attainment([[]])
    with pytest.raises(ConfigError, match=r"written as png, pdf, svg, got 'figure\.bmp'"):
        style.save(style.new_figure(), tmp_path / "figure.bmp")
    with pytest.raises(ConfigError, match=r"between 1 and 100 inches, got 0\.5"):
        style.new_figure(0.5)
