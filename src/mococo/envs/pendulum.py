"""A pendulum to swing up and hold, equal to Gymnasium's Pendulum-v1."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from mococo.envs import starts
from mococo.envs.spec import Action, Environment, Feature, State, clip, float32

GRAVITY = 10.0
DT = 0.05
MAX_SPEED = 8.0
MAX_TORQUE = 2.0
TORQUE_COST = float(np.float32(0.001))
START = (pi, 1.0)
MINUS_START = (-pi, -1.0)


def step(state: State, action: float) -> tuple[State, float, bool]:
    """One step. The action is a torque, in single precision as Gymnasium's; the reward is minus the cost."""
    angle, rate = state
    torque = clip(float32(action), -MAX_TORQUE, MAX_TORQUE)
    from_top = (angle + pi) % (2 * pi) - pi
    cost = from_top**2 + 0.1 * rate**2 + float32(TORQUE_COST * float32(np.float32(torque) ** 2))
    rate = clip(rate + (3 * GRAVITY / 2 * sin(angle) + float32(3.0 * torque)) * DT, -MAX_SPEED, MAX_SPEED)
    return (angle + rate * DT, rate), -cost, False


def observe(state: State) -> State:
    """Cosine and sine of the angle, which is 0 upright, and the angular velocity."""
    return cos(state[0]), sin(state[0]), state[1]


def training_starts(n: int) -> NDArray[np.float64]:
    """A fixed set of states, at any angle."""
    return starts.training(n, MINUS_START, START)


def draw_starts(n: int, seed: int) -> NDArray[np.float64]:
    """Fresh start states, as Gymnasium's resets."""
    return starts.fresh(n, seed, MINUS_START, START)


PENDULUM = Environment(
    id="Pendulum-v1",
    features=(
        Feature("cos_angle", -1.0, 1.0, ("Down", "Up")),
        Feature("sin_angle", -1.0, 1.0, ("Right", "Left")),
        Feature("angular_velocity", -MAX_SPEED, MAX_SPEED),
        # Where it is about to be: what balances it at the top must know both how far off it is and how it moves.
        Feature("lean", -1.0, 1.0, ("Right", "Left"), terms=(("sin_angle", 1.0), ("angular_velocity", 0.2))),
    ),
    actions=tuple(Action(value, f"torque {value:g}") for value in (-2.0, -0.7, 0.0, 0.7, 2.0)),
    performance_bounds=(-3255.0, -100.0),  # 200 of the most costly steps there are
    t_max=200,
    n_state=2,
    step=step,
    observe=observe,
    draw_starts=draw_starts,
    training_starts=training_starts,
    continuous=True,
    libm=True,
    settings={
        "subspecies": "2x1x2x2,3x1x2x2,2x1x2x3,3x1x2x3",
        "min_complexity": 2,
        "eta": 100,
        "num_gens": 40,
        "db_pop_size": 150,
        "rb_pop_size": 300,
    },
)
