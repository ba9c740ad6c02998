"""Cart and pole, equal to Gymnasium's CartPole-v1."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from mococo.envs import starts
from mococo.envs.spec import Action, Environment, Feature, State

FORCE = 10.0
GRAVITY = 9.8
POLE_MASS = 0.1
TOTAL_MASS = POLE_MASS + 1.0
HALF_LENGTH = 0.5
MOMENT = POLE_MASS * HALF_LENGTH
TAU = 0.02
MAX_POSITION = 2.4
MAX_ANGLE = 12 * 2 * pi / 360
START = (0.05, 0.05, 0.05, 0.05)
MINUS_START = (-0.05, -0.05, -0.05, -0.05)


def step(state: State, action: float) -> tuple[State, float, bool]:
    """One step; action 0 pushes the cart left, 1 right."""
    position, velocity, angle, rate = state
    c = cos(angle)
    s = sin(angle)
    force = FORCE if action == 1 else -FORCE
    push = (force + MOMENT * (rate * rate) * s) / TOTAL_MASS
    turn = (GRAVITY * s - c * push) / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * (c * c) / TOTAL_MASS))
    acceleration = push - MOMENT * turn * c / TOTAL_MASS
    position = position + TAU * velocity
    velocity = velocity + TAU * acceleration
    angle = angle + TAU * rate
    rate = rate + TAU * turn
    return (position, velocity, angle, rate), 1.0, abs(position) > MAX_POSITION or abs(angle) > MAX_ANGLE


def observe(state: State) -> State:
    """The state itself."""
    return state


def training_starts(n: int) -> NDArray[np.float64]:
    """A fixed set of states near the upright one, at rest."""
    return starts.training(n, MINUS_START, START)


def draw_starts(n: int, seed: int) -> NDArray[np.float64]:
    """Fresh start states, as Gymnasium's resets."""
    return starts.fresh(n, seed, MINUS_START, START)


CART_POLE = Environment(
    id="CartPole-v1",
    features=(
        Feature("position", -MAX_POSITION, MAX_POSITION, ("Left", "Right")),
        Feature("velocity", -3.0, 3.0),
        Feature("angle", -MAX_ANGLE, MAX_ANGLE, ("Left", "Right")),
        Feature("angular_velocity", -3.0, 3.0),
    ),
    actions=(Action(0, "push left"), Action(1, "push right")),
    performance_bounds=(0.0, 500.0),
    t_max=500,
    n_state=4,
    step=step,
    observe=observe,
    draw_starts=draw_starts,
    training_starts=training_starts,
    legal_actions=(0, 1),
    libm=True,
    # Policies that drift off now and then are common, and only many starts tell them from those that never do.
    settings={
        "subspecies": "1x1x2x2,1x1x3x2,1x1x2x3,1x2x2x2,2x1x2x2",
        "eta": 200,
        "num_gens": 12,
        "db_pop_size": 100,
        "rb_pop_size": 200,
    },
)
