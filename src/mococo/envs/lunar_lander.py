"""Lunar Lander, Gymnasium's LunarLander-v3, played for real: what its spaces do not tell."""

from __future__ import annotations

from mococo.envs.seeds import draw_seeds, training_seeds
from mococo.envs.simulator import Simulator
from mococo.envs.spec import Action, Environment, Feature

LUNAR_LANDER = Environment(
    id="LunarLander-v3",
    features=(
        Feature("x", -0.5, 0.5, ("Left", "Right")),
        Feature("y", 0.0, 1.5),
        Feature("vx", -0.6, 0.6, ("Left", "Right")),
        Feature("vy", -0.8, 0.2, ("Down", "Up")),
        Feature("angle", -0.5, 0.5, ("Left", "Right")),
        Feature("angular_velocity", -0.6, 0.6, ("Left", "Right")),
        Feature("left_leg", 0, 1, crisp=True),
        Feature("right_leg", 0, 1, crisp=True),
        # Where it is going to be sideways, how it is going to stand, and its fall measured against its height.
        Feature("drift", -0.6, 0.6, ("Left", "Right"), terms=(("vx", 1.0), ("x", 0.5))),
        Feature("lean", -0.3, 0.3, ("Left", "Right"), terms=(("angle", 1.0), ("angular_velocity", 2.0))),
        Feature("fall", -0.45, 0.35, ("Fast", "Slow"), terms=(("vy", 1.0), ("y", 1.0))),
    ),
    actions=(
        Action(0, "coast"),
        Action(1, "fire left engine"),
        Action(2, "fire main engine"),
        Action(3, "fire right engine"),
    ),
    performance_bounds=(-500.0, 300.0),
    estimated_bounds=True,
    t_max=1000,
    n_state=1,
    step=None,
    observe=None,
    draw_starts=draw_seeds,
    training_starts=training_seeds,
    float32=False,
    settings={
        "subspecies": (
            (1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 2),
            (1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 2),
            (1, 1, 1, 1, 1, 1, 2, 1, 2, 3, 2),
        ),
        "min_complexity": 2,
        "num_gens": 45,
        "db_pop_size": 80,
        "rb_pop_size": 320,
        "eta": 10,
        "beta": 1.02,
    },
    legal_actions=(0, 1, 2, 3),
    simulator=Simulator("LunarLander-v3"),
)
