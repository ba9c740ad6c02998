"""Mountain Car with a force of any size, equal to Gymnasium's MountainCarContinuous-v0.

Gymnasium computes with the types of NumPy: the first state of an episode is in double precision, all later ones and
the actions in single. Sums and products of single numbers are the same when computed in double precision and rounded.
"""

from __future__ import annotations

from math import cos

import numpy as np
from numpy.typing import NDArray

from mococo.envs import mountain_car, starts
from mococo.envs.spec import Action, Environment, Feature, State, clip, float32

POWER = 0.0015
GRAVITY = 0.0025
MIN_POSITION = -1.2
MAX_POSITION = 0.6
MAX_SPEED = 0.07
GOAL = 0.45


def step(state: State, action: float) -> tuple[State, float, bool]:
    """One step. The reward is 100 at the goal, minus a tenth of the squared force."""
    position, velocity = state
    # A number that single precision cannot hold comes from a start, and Gymnasium then takes one step in double.
    single = position == float32(position) and velocity == float32(velocity)
    force = float32(action)
    slope = GRAVITY * cos(_kept(3 * position, single))
    inside = float32(float32(force * float32(POWER)) - float32(slope))
    limited = clip(force, -1.0, 1.0) * POWER - slope  # in double: Gymnasium's limits are Python's numbers
    velocity = _kept(velocity + (inside if abs(force) <= 1.0 else _kept(limited, single)), single)
    velocity = _kept(clip(velocity, -MAX_SPEED, MAX_SPEED), single)
    position = clip(_kept(position + velocity, single), MIN_POSITION, MAX_POSITION)
    velocity = 0.0 if position == MIN_POSITION and velocity < 0 else velocity
    at_goal = _kept(position, single) >= _kept(GOAL, single) and velocity >= 0
    reward = (100.0 if at_goal else 0.0) - force * force * 0.1
    return (float32(position), float32(velocity)), reward, at_goal


def _kept(x: float, single: bool) -> float:
    return float32(x) if single else x


def observe(state: State) -> State:
    """Position and velocity themselves."""
    return state


def training_starts(n: int) -> NDArray[np.float64]:
    """A fixed set of states at rest, spread evenly over the bottom of the valley.

    A policy whose force is small at rest never leaves the place where that force balances the slope. The place is
    narrow: starts that are few, or drawn by chance, do not find it, and fresh ones would.
    """
    return np.column_stack([starts.training(n, (-0.6,), (-0.4,)), np.zeros(n)])


CONTINUOUS_MOUNTAIN_CAR = Environment(
    id="MountainCarContinuous-v0",
    features=(Feature("position", -1.2, GOAL, ("Left", "Right")), Feature("velocity", -MAX_SPEED, MAX_SPEED)),
    actions=tuple(Action(value, f"force {value:g}") for value in (-1.0, -0.2, 0.0, 0.2, 1.0)),
    performance_bounds=(-100.0, 100.0),
    t_max=999,
    n_state=2,
    step=step,
    observe=observe,
    draw_starts=mountain_car.draw_starts,
    training_starts=training_starts,
    continuous=True,
    settings={
        "subspecies": "1x2,1x3,1x4,2x2",
        "min_complexity": 2,
        "eta": 513,  # both ends of the valley's bottom, and what divides it by 512
        "num_gens": 15,
        "db_pop_size": 60,
        "rb_pop_size": 120,
    },
)
