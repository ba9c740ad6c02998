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
        "subspecies": ((1, 1, 1, 3, 3, 1, 1, 1),),
        "failed": "worst",
        "min_complexity": 2,
        "eta": 8,
        "num_gens": 80,
        "db_pop_size": 160,
        "rb_pop_size": 320,
        "beta": 1.02,
    },
    legal_actions=(0, 1, 2, 3),
    simulator=Simulator("LunarLander-v3"),
)
