"""Value iteration (section 4) against dynamic programming in plain Python, and against what the paper found."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from mococo.analysis.value_iteration import solve
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.spec import Action, Environment, Feature, clip
from mococo.errors import ConfigError, EnvironmentSpecError


def glide(state, action):
    x, speed = state
    speed = clip(0.9 * speed + 0.23 * action, -1.0, 1.0)
    x = clip(x + 0.31 * speed, -2.0, 2.0)
    return (x, speed), 1.0 - (x - 0.7) ** 2 - 0.1 * abs(action), x > 1.7


def see(state):
    return state


def glider_starts(n, seed):
    return np.random.default_rng(seed).uniform([-1.5, -0.5], [1.5, 0.5], (n, 2))


# Rewards of both signs, a discount, three actions, float64 observations, and a domain that states leave.
GLIDER = Environment(
    id="Glider",
    features=(Feature("x", -1.8, 1.8), Feature("speed", -0.9, 1.0)),
    actions=(Action(-1, "back"), Action(0, "glide"), Action(1, "on")),
    performance_bounds=(-100.0, 30.0),
    t_max=25,
    n_state=2,
    step=glide,
    observe=see,
    draw_starts=glider_starts,
    training_starts=lambda n: glider_starts(n, 7),
    gamma=0.93,
    float32=False,
)


class Oracle:
    """The grid as dictionaries."""

    def __init__(self, env, bins):
        self.env, self.bins = env, bins
        self.actions = [action.value for action in env.actions]
        self.points = list(product(range(bins), repeat=2))

    def width(self, f):
        return (self.env.features[f].high - self.env.features[f].low) / self.bins

    def centre(self, point):
        return tuple(self.env.features[f].low + (point[f] + 0.5) * self.width(f) for f in range(2))

    def cell(self, state):
        places = [math.floor((state[f] - self.env.features[f].low) / self.width(f)) for f in range(2)]
        return tuple(min(max(place, 0), self.bins - 1) for place in places)

    def corners(self, state):
        """Points around a state with their weights."""
        places = [(state[f] - self.env.features[f].low) / self.width(f) - 0.5 for f in range(2)]
        places = [min(max(place, 0), self.bins - 1) for place in places]
        for point in product(*({math.floor(place), math.ceil(place)} for place in places)):
            yield point, math.prod(1 - abs(place - p) for place, p in zip(places, point, strict=True))

    def worth(self, state, action, value):
        after, reward, done = self.env.step(state, action)
        return reward if done else reward + self.env.gamma * value(after)

    def solve(self, value_in):
        """V_(t_max), where value_in(V, state) tells what V says of a state."""
        v = dict.fromkeys(self.points, 0.0)
        for _ in range(self.env.t_max):
            v = {
                point: max(self.worth(self.centre(point), a, lambda s, v=v: value_in(v, s)) for a in self.actions)
                for point in self.points
            }
        return v

    def nearest(self, v, state):
        return v[self.cell(state)]

    def bilinear(self, v, state):
        return sum(weight * v[point] for point, weight in self.corners(state))

    def performance(self, starts, state_of, value):
        """Mean return of the greedy policy that acts as if in state_of(state)."""
        returns = []
        for start in starts.tolist():
            state, last, total, discount = tuple(start), self.actions[0], 0.0, 1.0
            for _ in range(self.env.t_max):
                worth = {a: self.worth(state_of(state), a, value) for a in self.actions}
                if worth[last] < max(worth.values()):
                    last = max(self.actions, key=worth.get)  # the first of the best
                state, reward, done = self.env.step(state, last)
                total += discount * reward
                discount *= self.env.gamma
                if done:
                    break
            returns.append(total)
        return np.mean(returns)

    def observed_centre(self, state):
        return self.centre(self.cell([float(np.float32(x)) for x in state] if self.env.float32 else state))


@pytest.fixture(scope="module")
def paper():
    return solve("MountainCar-v0")


@pytest.mark.parametrize(("env", "bins"), [(MOUNTAIN_CAR, 15), (MOUNTAIN_CAR, 21), (GLIDER, 2), (GLIDER, 15)])
def test_equals_dynamic_programming_in_plain_python(env, bins):
    solution, oracle = solve(env, bins), Oracle(env, bins)
    starts, fresh = env.training_starts(30), env.draw_starts(1000, 0)
    v = oracle.solve(oracle.nearest)
    assert solution.values.ravel() == pytest.approx([v[point] for point in oracle.points], abs=1e-12)
    found = [oracle.performance(s, oracle.observed_centre, lambda x: oracle.nearest(v, x)) for s in (starts, fresh)]
    assert [solution.performance, solution.fresh_performance] == pytest.approx(found, abs=1e-9)

    # Weights are float32 here and float64 in the oracle, so a close decision may fall the other way.
    smooth = oracle.solve(oracle.bilinear)
    found = oracle.performance(starts, lambda state: state, lambda x: oracle.bilinear(smooth, x))
    assert solution.interpolated_performance == pytest.approx(found, abs=1e-4)


def test_the_papers_upper_bound(paper):
    assert math.ceil(paper.performance) == -96
    assert -98.5 <= paper.fresh_performance < paper.performance  # 30 fixed starts flatter


def test_interpolation_comes_close_to_the_best_possible(paper):
    assert -96.3 <= paper.interpolated_performance <= -96.03
    assert -97.7 <= paper.interpolated_fresh_performance <= -97.3
    assert paper.interpolated_performance > paper.performance
    assert paper.interpolated_fresh_performance > paper.fresh_performance


def test_finer_grids_do_better(paper):
    coarse, middle = solve("MountainCar-v0", 100), solve("MountainCar-v0", 300)
    assert coarse.performance < middle.performance < paper.performance
    assert coarse.interpolated_performance < middle.interpolated_performance < paper.interpolated_performance


def test_values_are_minus_the_steps_to_go(paper):
    assert paper.values.shape == (1000, 1000)
    assert (paper.values == np.rint(paper.values)).all()
    assert paper.values.max() == -1
    assert paper.values.min() > -200  # the goal can be reached from everywhere
    assert (paper.values[-1, 600:] == -1).all()  # at the goal, moving right
    assert paper.sweeps == -paper.values.min() + 1  # the last one changes nothing


def test_the_horizon_cuts_values_off():
    full, cut = solve(MOUNTAIN_CAR, 60), solve(replace(MOUNTAIN_CAR, t_max=50), 60)
    assert (cut.values == np.maximum(full.values, -50)).all()
    assert cut.sweeps == 50


def test_the_same_every_time():
    first, second = solve("MountainCar-v0", 80), solve("MountainCar-v0", 80)
    assert (first.values == second.values).all()
    for field in fields(first):
        if field.name not in {"values", "seconds"}:
            assert getattr(first, field.name) == getattr(second, field.name)


def test_values_cannot_be_changed(paper):
    with pytest.raises(ValueError, match="read-only"):
        paper.values[0, 0] = 0.0


def test_progress_counts_all_sweeps():
    seen: list[int] = []
    solution = solve("MountainCar-v0", 40, progress=seen.append)
    assert seen == list(range(1, len(seen) + 1))
    assert solution.sweeps < len(seen) <= 400


@pytest.mark.parametrize("bins", [1, 0, -3, 4001, 10.0, True, "100", None])
def test_bins_out_of_range(bins):
    with pytest.raises(ConfigError, match=r"bins must be a whole number between 2 and 4000, got "):
        solve("MountainCar-v0", bins)


def turned(state):
    return (state[1], state[0])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"features": (*GLIDER.features, Feature("height", 0, 1))},
            r"whole state, but Glider has 3 \(x, speed, height\)",
        ),
        ({"features": GLIDER.features[:1]}, r"grid over two features that are the whole state, but Glider has 1 \(x\)"),
        ({"n_state": 4}, "but Glider has a state of 4 numbers"),
        ({"observe": turned}, r"but Glider lets a policy see \(-0.9, -1.8\) in the state \(-1.8, -0.9\)"),
        ({"actions": (Action("on", "on"), Action("off", "off"))}, "actions that are numbers; Glider has 'on', 'off'"),
    ],
)
def test_environments_that_do_not_fit(change, says):
    with pytest.raises(EnvironmentSpecError, match=says):
        solve(replace(GLIDER, **change), 10)


def test_unknown_environment():
    with pytest.raises(EnvironmentSpecError, match=r"unknown environment 'MountainCar'. Did you mean MountainCar-v0\?"):
        solve("MountainCar", 10)
