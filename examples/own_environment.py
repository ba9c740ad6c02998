"""An environment of your own: a ship comes to rest at its berth. Try it:

mococo check-env examples/own_environment.py
mococo train examples/own_environment.py
"""

import numpy as np

from mococo import Action, Environment, Feature, clip

DT = 0.5  # seconds


def step(state, action):
    """The next state, the reward, and whether the episode has ended; compiled, with all that it uses."""
    distance, speed = state
    speed = clip(speed + DT * (0.1 * action - 0.05 * speed), -1.0, 1.0)
    distance = clip(distance + DT * speed, -10.0, 10.0)
    return (distance, speed), -abs(distance) - abs(speed), False


def observe(state):
    """What a policy sees of a state."""
    return state


def draw_starts(n, seed):
    """n states in which episodes start."""
    return np.random.default_rng(seed).uniform([-8.0, -0.5], [8.0, 0.5], (n, 2))


BERTH = Environment(
    id="Berth-v0",
    features=(Feature("distance", -10.0, 10.0, ("Left", "Right")), Feature("speed", -1.0, 1.0)),
    actions=(Action(-1, "engine back"), Action(0, "engine off"), Action(1, "engine ahead")),
    performance_bounds=(-3300.0, 0.0),  # no policy gets less, none more
    t_max=300,
    n_state=2,
    step=step,
    observe=observe,
    draw_starts=draw_starts,
    training_starts=lambda n: draw_starts(n, 1_000_000),  # never the fresh ones, on which policies are judged
    settings={"eta": 100},
    float32=False,
)
