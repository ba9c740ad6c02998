"""Two links that swing up, equal to Gymnasium's Acrobot-v1."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from mococo.envs import starts
from mococo.envs.spec import Action, Environment, Feature, State, clip

# Both links: mass 1, length 1, moment of inertia 1, centre of mass at 1/2.
GRAVITY = 9.8
DT = 0.2
MAX_RATE_1 = 4 * pi
MAX_RATE_2 = 9 * pi
# Which way the whole of it swings. Of all sums, this one drives it up fastest when its sign is what the motor does.
SWING = (("sin_angle_1", 1.0), ("sin_angle_2", 0.08), ("velocity_2", 0.34))
START = (0.1, 0.1, 0.1, 0.1)
MINUS_START = (-0.1, -0.1, -0.1, -0.1)


def _change(state: State, torque: float) -> State:
    """Time derivative of the state."""
    angle_1, angle_2, rate_1, rate_2 = state
    c = cos(angle_2)
    s = sin(angle_2)
    d1 = 0.25 + (1.25 + c) + 1.0 + 1.0
    d2 = 0.25 + 0.5 * c + 1.0
    phi2 = 0.5 * GRAVITY * cos(angle_1 + angle_2 - pi / 2.0)
    phi1 = -0.5 * rate_2**2 * s - rate_2 * rate_1 * s + 1.5 * GRAVITY * cos(angle_1 - pi / 2) + phi2
    turn_2 = (torque + d2 / d1 * phi1 - 0.5 * rate_1**2 * s - phi2) / (1.25 - d2**2 / d1)
    turn_1 = -(d2 * turn_2 + phi1) / d1
    return rate_1, rate_2, turn_1, turn_2


def _moved(state: State, change: State, dt: float) -> State:
    a, b, c, d = state
    e, f, g, h = change
    return a + dt * e, b + dt * f, c + dt * g, d + dt * h


def _blend(k1: float, k2: float, k3: float, k4: float) -> float:
    return k1 + 2 * k2 + 2 * k3 + k4


def _wrap(angle: float) -> float:
    """The angle within half a turn; no step turns a link more than three times."""
    angle = angle - 2 * pi if angle > pi else angle
    angle = angle - 2 * pi if angle > pi else angle
    angle = angle - 2 * pi if angle > pi else angle
    angle = angle + 2 * pi if angle < -pi else angle
    angle = angle + 2 * pi if angle < -pi else angle
    return angle + 2 * pi if angle < -pi else angle


def step(state: State, action: float) -> tuple[State, float, bool]:
    """One step, by a Runge-Kutta formula of fourth order; the joint is turned with torque `action` - 1."""
    torque = action - 1.0
    k1 = _change(state, torque)
    k2 = _change(_moved(state, k1, DT / 2.0), torque)
    k3 = _change(_moved(state, k2, DT / 2.0), torque)
    k4 = _change(_moved(state, k3, DT), torque)
    mean = (
        _blend(k1[0], k2[0], k3[0], k4[0]),
        _blend(k1[1], k2[1], k3[1], k4[1]),
        _blend(k1[2], k2[2], k3[2], k4[2]),
        _blend(k1[3], k2[3], k3[3], k4[3]),
    )
    angle_1, angle_2, rate_1, rate_2 = _moved(state, mean, DT / 6.0)
    angle_1 = _wrap(angle_1)
    angle_2 = _wrap(angle_2)
    rate_1 = clip(rate_1, -MAX_RATE_1, MAX_RATE_1)
    rate_2 = clip(rate_2, -MAX_RATE_2, MAX_RATE_2)
    up = -cos(angle_1) - cos(angle_2 + angle_1) > 1.0
    return (angle_1, angle_2, rate_1, rate_2), 0.0 if up else -1.0, up


def observe(state: State) -> State:
    """Cosine and sine of both angles, and both velocities."""
    angle_1, angle_2, rate_1, rate_2 = state
    return cos(angle_1), sin(angle_1), cos(angle_2), sin(angle_2), rate_1, rate_2


def _single(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gymnasium draws the first state in double precision and keeps it in single."""
    return states.astype(np.float32).astype(np.float64)


def training_starts(n: int) -> NDArray[np.float64]:
    """A fixed set of states near the hanging one."""
    return _single(starts.training(n, MINUS_START, START))


def draw_starts(n: int, seed: int) -> NDArray[np.float64]:
    """Fresh start states, as Gymnasium's resets."""
    return _single(starts.fresh(n, seed, MINUS_START, START))


ACROBOT = Environment(
    id="Acrobot-v1",
    features=(
        Feature("cos_angle_1", -1.0, 1.0, ("Up", "Down")),
        Feature("sin_angle_1", -1.0, 1.0, ("Left", "Right")),
        Feature("cos_angle_2", -1.0, 1.0, ("Folded", "Straight")),
        Feature("sin_angle_2", -1.0, 1.0, ("Left", "Right")),
        Feature("velocity_1", -MAX_RATE_1, MAX_RATE_1),
        Feature("velocity_2", -MAX_RATE_2, MAX_RATE_2),
        Feature("swing", -3.0, 3.0, ("Left", "Right"), terms=SWING),
    ),
    actions=(Action(0, "push left"), Action(2, "push right")),
    performance_bounds=(-500.0, -60.0),
    t_max=500,
    n_state=4,
    step=step,
    observe=observe,
    draw_starts=draw_starts,
    training_starts=training_starts,
    legal_actions=(0, 1, 2),
    libm=True,
    # Its returns are all but chance: a policy that looks best on few starts is mostly a lucky one.
    settings={
        "subspecies": "1x1x1x1x1x1x2,1x1x1x1x2x1x2,1x1x1x2x1x1x2,1x1x1x1x3x1x3",
        "eta": 500,
        "num_gens": 15,
        "db_pop_size": 60,
        "rb_pop_size": 120,
    },
)
