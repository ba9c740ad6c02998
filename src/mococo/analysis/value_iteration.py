"""Value iteration on a grid: how well any policy can do in an environment with a state of two numbers (section 4)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.envs.registry import find
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, EnvironmentSpecError
from mococo.rollout import compiled, knots_for

Floats = NDArray[np.float64]

MOST_BINS = 4000  # about 1 GB with two actions
TRAINING_STARTS = 30  # the paper's eta
FRESH_STARTS = 1000
FRESH_SEED = 0


@dataclass(frozen=True, eq=False)
class Solution:
    """Mean returns of nearly optimal policies in the real, continuous environment.

    values : (bins, bins) V on the grid, rows along the first feature, found in so many `sweeps`. `performance` is that
    of the policy that looks its action up in the cell of the observation, as in the paper, from the 30 training starts;
    `fresh_performance` the same from 1000 fresh ones. The interpolated pair belongs to a finer pair of values and
    policy (see `solve`), which comes much closer to the best possible, from below.
    """

    env_id: str
    bins: int
    performance: float
    fresh_performance: float
    interpolated_performance: float
    interpolated_fresh_performance: float
    sweeps: int
    seconds: float
    values: Floats


def solve(env: str | Environment, bins: int = 1000, progress: Callable[[int], None] | None = None) -> Solution:
    """Solve an environment on a grid of bins x bins equal cells; `progress` is told the sweeps done, at most 2 t_max.

    The grid covers the features' domains; a state outside counts as the nearest inside. From V_0 = 0, each sweep over
    all cells makes V_n, the best return of n steps on the grid, from V_(n-1). The result is exactly V_(t_max); sweeps
    end before when one changes nothing. Steps are those of the compiled environment, with its polynomial cosine.

    This is done twice. In the paper's game, a step from a cell's centre ends in the centre of the cell that it reaches,
    and a policy acts as in the centre of its observation's cell. In the other, values are interpolated between the
    centres, and a policy tries each action in the true state first.

    Actions are often equally good in the paper's game. A policy then repeats its last action (at the start that is the
    environment's first): the paper is silent, and this is what it takes to arrive at its -96 in Mountain Car.

    >>> round(solve("MountainCar-v0", bins=100).interpolated_performance)
    -97
    """
    began = time.perf_counter()
    environment = find(env)
    _check(environment, bins)
    count = progress or (lambda _: None)
    starts = environment.training_starts(TRAINING_STARTS)
    fresh = environment.draw_starts(FRESH_STARTS, FRESH_SEED)

    game = _Game(environment, bins, snap=True)
    grid, sweeps = game.best_values(count)
    values = grid[: bins * bins].reshape(bins, bins)
    values.setflags(write=False)
    performance, fresh_performance = game.look_up(grid, starts), game.look_up(grid, fresh)

    del game  # makes room for the other
    game = _Game(environment, bins, snap=False)
    grid, _ = game.best_values(lambda n: count(sweeps + n))
    return Solution(
        environment.id,
        bins,
        performance,
        fresh_performance,
        interpolated_performance=game.look_ahead(grid, starts),
        interpolated_fresh_performance=game.look_ahead(grid, fresh),
        sweeps=sweeps,
        seconds=time.perf_counter() - began,
        values=values,
    )


class _Game:
    """An environment on a grid, as `kernels.value_iteration` describes it."""

    def __init__(self, env: Environment, bins: int, *, snap: bool) -> None:
        self._env = env
        self._bins = bins
        self._kernels = compiled(env, knots_for(1))
        low = np.array([f.low for f in env.features], dtype=np.float64)
        high = np.array([f.high for f in env.features], dtype=np.float64)
        self._domain = (env.action_values, low, high)
        shape = (len(env.actions), bins * bins)
        self._model = (np.empty(shape, np.int32), np.empty((2, *shape), np.float32), np.empty(shape))
        self._kernels.transitions(*self._domain, bins, snap, *self._model)

    def best_values(self, count: Callable[[int], None]) -> tuple[Floats, int]:
        """V, followed by the zeros that stand for an episode's end, and the number of sweeps."""
        old = np.zeros(self._bins * self._bins + self._bins + 2)
        new = old.copy()
        sweeps = 0
        changed = True
        while changed and sweeps < self._env.t_max:
            changed = self._kernels.sweep(old, new, *self._model, self._env.gamma, self._bins) > 0
            old, new = new, old
            sweeps += 1
            count(sweeps)
        return old, sweeps

    def look_up(self, grid: Floats, starts: Floats) -> float:
        """Mean return of the policy that takes the best action of the observation's cell."""
        returns, env = np.zeros(len(starts)), self._env
        self._kernels.follow_grid(
            grid, *self._model, env.gamma, self._bins, *self._domain, starts, env.t_max, returns
        )  # fmt: skip
        return float(returns.mean())

    def look_ahead(self, grid: Floats, starts: Floats) -> float:
        """Mean return of the policy that takes the action with the best interpolated outcome."""
        returns, env = np.zeros(len(starts)), self._env
        self._kernels.follow_ahead(grid, env.gamma, self._bins, *self._domain, starts, env.t_max, returns)
        return float(returns.mean())


def _check(env: Environment, bins: int) -> None:
    if not isinstance(bins, int) or isinstance(bins, bool) or not 2 <= bins <= MOST_BINS:
        raise ConfigError(f"bins must be a whole number between 2 and {MOST_BINS}, got {bins!r}")
    need = f"value iteration needs a grid over two features that are the whole state, but {env.id}"
    if len(env.features) != 2:
        raise EnvironmentSpecError(f"{need} has {len(env.features)} ({', '.join(f.name for f in env.features)})")
    if env.n_state != 2:
        raise EnvironmentSpecError(f"{need} has a state of {env.n_state} numbers")
    observe = env.functions[1]
    axes = [np.linspace(f.low, f.high, 7).tolist() for f in env.features]
    for state in itertools.product(*axes):
        seen = tuple(observe(state))
        if seen != state:
            raise EnvironmentSpecError(f"{need} lets a policy see {seen} in the state {state}")
    # No environment has a field `continuous` yet: one will whose actions a policy may blend.
    if getattr(env, "continuous", False) or any(isinstance(action.value, str) for action in env.actions):
        values = ", ".join(repr(action.value) for action in env.actions)
        raise EnvironmentSpecError(
            f"value iteration chooses between single actions that are numbers; {env.id} has {values}"
        )
