"""What an environment supplies to the rollout kernels, as placeholders.

`mococo.specialise` writes a module in which the import of these names is replaced by the environment's own functions,
so that they are compiled into the loops. The ones here belong to a trivial environment: they say which shapes are
meant, and let tools check the kernels' text.
"""

from __future__ import annotations

from typing import Any

KNOTS = 5  # the most sets that a feature can have
N_STATE = 1  # numbers in a state
N_OBSERVED = 1  # numbers in an observation
CONTINUOUS = False


def load_state(floats: Any, i: int) -> tuple[float]:
    """State of lane i."""
    return (floats[i],)


def store_state(floats: Any, i: int, state: tuple[float], live: int) -> None:
    """Write the state of lane i; whether a lane keeps its last one when its episode has ended does not matter."""
    if live:
        floats[i] = state[0]


def store_observation(floats: Any, i: int, observation: tuple[float]) -> None:
    """Write what the policy sees in lane i, rounded as the environment rounds it."""
    floats[i] = observation[0]


def knot_tuple(knots: Any, b: int, f: int) -> tuple[float, ...]:
    """The KNOTS coordinates of partition b, feature f, as values that stay in registers."""
    return (knots[b, f, 0], knots[b, f, 1], knots[b, f, 2], knots[b, f, 3], knots[b, f, 4])


def step(state: tuple[float], action: float) -> tuple[tuple[float], float, bool]:
    """Next state, reward, terminated."""
    return (state[0] + action,), -1.0, state[0] > 1.0


def observe(state: tuple[float]) -> tuple[float]:
    """What the policy sees of a state."""
    return state
