"""An environment's functions called in plain Python, with what they answer checked."""

from __future__ import annotations

import math
from typing import Any

from mococo.envs.spec import Environment, State
from mococo.errors import EnvironmentSpecError


def try_out(env: Environment) -> None:
    """Take one step with each action, so that what is wrong is told before it is compiled."""
    state = tuple(env.draw_starts(1, 0)[0].tolist())
    if len(state) != env.n_state:
        raise EnvironmentSpecError(f"{env.id}: draw_starts must give states of {env.n_state} numbers, got {len(state)}")
    observed(env, state)
    for value in env.action_values.tolist():
        stepped(env, state, value)


def observed(env: Environment, state: State) -> tuple[float, ...]:
    """What a policy would see, checked."""
    found = tuple(env.functions[1](state))
    if len(found) != len(env.observed) or not all(math.isfinite(x) for x in found):
        raise EnvironmentSpecError(
            f"{env.id}: observe must give a finite number for each of the {len(env.observed)} features, got {found} "
            f"in {state}"
        )
    return found


def stepped(env: Environment, state: State, action: float) -> tuple[State, float, bool]:
    """One step in plain Python, checked, and taken twice."""
    step, _ = env.functions
    answer: Any = step(state, action)
    try:
        after, reward, done = answer
        well = len(after) == env.n_state and all(math.isfinite(x) for x in (*after, reward)) and done in (False, True)
    except (TypeError, ValueError):
        well = False
    if not well:
        raise EnvironmentSpecError(
            f"{env.id}: step must give ({env.n_state} finite numbers), a finite reward, and whether the episode has "
            f"ended; from {state} with action {action:g} it gave {answer}"
        )
    if step(state, action) != answer:
        raise EnvironmentSpecError(
            f"{env.id}: step gives another answer when it is called again, from {state} with action {action:g}; put "
            f"chance into the start states, so that all policies meet the same"
        )
    return after, float(reward), bool(done)
