"""Maps over states that episodes met: what is taken most often, and how often, counted one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from matplotlib.figure import Figure

import mococo
from mococo.analysis.trajectories import NOBODY, Episode, fire
from mococo.errors import ConfigError
from mococo.report.map_figure import draw_map, marginal_grid
from mococo.report.plane import plane

RNG = np.random.default_rng(3)
POLICY = mococo.Policy.from_genotypes(
    (3, 2, 2),
    [0.5] * 7,
    [1, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 3],
    features=[("a", 0, 1), ("b", 0, 1), ("c", 0, 1)],
    actions=["left", "wait", "right"],
)


def episode(inputs: np.ndarray) -> Episode:
    steps = len(inputs) - 1
    return Episode(inputs, inputs, np.zeros(steps), np.zeros(steps), fire(POLICY, inputs[:-1]), True, False)


WALK = episode(np.column_stack([RNG.random(25), RNG.random(25), RNG.random(25)]))


def test_a_cell_shows_what_is_taken_most_often() -> None:
    where = plane(POLICY, ("a", "b"), {}, [WALK], marginal=True)
    assert where.rest.tolist() == WALK.inputs.tolist()
    grid = marginal_grid(POLICY, where, cells=9)
    assert grid.agreement is not None
    for row, b in enumerate(grid.ys):
        for column, a in enumerate(grid.xs):
            each = fire(POLICY, np.array([[a, b, c] for c in WALK.inputs[:, 2]]))
            times = Counter(each.choices.tolist())
            choice = grid.picture(grid.firing.choices)[row, column]
            assert times[choice] == max(times.values())
            assert grid.picture(grid.agreement)[row, column] == times[choice] / len(where.rest)
            drivers = Counter(each.drivers[each.choices == choice].tolist())
            assert drivers[grid.picture(grid.firing.drivers)[row, column]] == max(drivers.values())
            np.testing.assert_allclose(grid.firing.votes[row * 9 + column], each.votes.mean(axis=0), atol=1e-12)
    assert NOBODY in grid.firing.choices
    assert grid.agreement.min() < 1


def test_the_map_is_paler_where_states_differ_and_says_over_what_it_is() -> None:
    ax = draw_map(POLICY, over=("a", "b"), marginal=True, episodes=[WALK])
    alpha = np.asarray(ax.images[0].get_alpha())
    assert alpha.shape == np.asarray(ax.images[0].get_array()).shape == (200, 200)
    assert 0 < alpha.min() < alpha.max() <= 1
    assert ax.get_title(loc="left") == "what is taken most often over 25 visited values of c"
    assert draw_map(POLICY, over=("a", "b"), episodes=[WALK]).images[0].get_alpha() is None


def test_many_states_are_thinned_evenly_and_fixed_features_stay_fixed() -> None:
    long = episode(RNG.random((1000, 3)))
    rest = plane(POLICY, (), {}, [long], marginal=True).rest
    assert len(rest) == 64
    assert rest[[0, -1]].tolist() == long.inputs[[0, -1]].tolist()
    fixed = plane(POLICY, (), {"c": 0.25}, [long], marginal=True)
    assert (len(fixed.rest), fixed.rest[0, 2], fixed.words) == (1, 0.25, "at c = 0.25")


def test_without_episodes_there_is_nothing_to_average_over() -> None:
    with pytest.raises(ConfigError, match="a map over visited states needs episodes"):
        draw_map(POLICY, marginal=True)
    with pytest.raises(ConfigError, match="'c' must be fixed at a finite number, got nan"):
        draw_map(POLICY, at={"c": float("nan")})


def test_every_rule_that_drives_a_wide_region_has_its_number() -> None:
    for c in (0.1, 0.5, 0.9):
        ax = draw_map(POLICY, Figure().add_subplot(), over=("a", "b"), at={"c": c})
        cells = [(a, b, c) for a in np.linspace(0, 1, 100) for b in np.linspace(0, 1, 100)]
        drivers = fire(POLICY, np.array(cells)).drivers
        wide = {r for r, n in Counter(drivers.tolist()).items() if n > 300 and r != NOBODY}
        assert {int(text.get_text()) - 1 for text in ax.texts} >= wide
        for text in ax.texts:
            a, b = text.get_position()
            assert fire(POLICY, np.array([[a, b, c]])).drivers[0] == int(text.get_text()) - 1


def test_objects_draw_themselves() -> None:
    result = mococo.train("MountainCar-v0", seed=1, num_gens=3, db_pop_size=12, rb_pop_size=24)
    policy = result.archive.best.policy
    for draw in (result.plot, result.front.plot, policy.plot_map):
        ax = Figure().add_subplot()
        assert draw(ax) is ax
    ax = Figure().add_subplot()
    assert policy.plot_sets(1, ax) is ax
    assert [str(line.get_label()) for line in ax.lines] == list(policy.set_names[1])
    drawn = np.concatenate([np.asarray(part.get_offsets()) for part in result.front.plot().collections])
    assert sorted(drawn[:, 1]) == sorted(result.front.perf)
    hypervolumes = [record.archive_hypervolume for record in result.history]
    assert np.asarray(result.plot().lines[0].get_ydata()).tolist() == hypervolumes
    assert policy.plot_map(over=("velocity", "position")).get_xlabel() == "velocity"
