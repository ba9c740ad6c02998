"""Mountain Car (section 4), equal to Gymnasium's MountainCar-v0."""

from __future__ import annotations

from math import cos

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Action, Environment, Feature, State, clip

FORCE = 0.001
GRAVITY = 0.0025
MIN_POSITION = -1.2
MAX_POSITION = 0.6
MAX_SPEED = 0.07
GOAL = 0.5


def step(state: State, action: float) -> tuple[State, float, bool]:
    """One step; action 0 pushes left, 2 right."""
    position, velocity = state
    velocity += (action - 1) * FORCE + cos(3 * position) * (-GRAVITY)
    velocity = clip(velocity, -MAX_SPEED, MAX_SPEED)
    position = clip(position + velocity, MIN_POSITION, MAX_POSITION)
    velocity = 0.0 if position == MIN_POSITION and velocity < 0 else velocity
    return (position, velocity), -1.0, position >= GOAL and velocity >= 0


def observe(state: State) -> State:
    """Position and velocity themselves."""
    return state


def training_starts(n: int) -> NDArray[np.float64]:
    """The paper's start states: at rest at the bottom of the valley; its Z are the first 30."""
    positions = np.random.RandomState(0).uniform(-0.6, -0.4, n)
    return np.column_stack([positions, np.zeros(n)])


def draw_starts(n: int, seed: int) -> NDArray[np.float64]:
    """Fresh start states from the same interval."""
    positions = np.random.default_rng(seed).uniform(-0.6, -0.4, n)
    return np.column_stack([positions, np.zeros(n)])


MOUNTAIN_CAR = Environment(
    id="MountainCar-v0",
    features=(Feature("position", -1.2, 0.5, ("Left", "Right")), Feature("velocity", -0.07, 0.07)),
    actions=(Action(0, "push left"), Action(2, "push right")),
    performance_bounds=(-200.0, -96.0),
    t_max=200,
    n_state=2,
    step=step,
    observe=observe,
    draw_starts=draw_starts,
    training_starts=training_starts,
    legal_actions=(0, 1, 2),
    settings={"failed": "counted", "refine": 0.2},  # everything but `refine` is the paper's
)
