"""Value iteration on a grid over a state of two numbers, and rollouts of the policies that follow from its values.

Compiled once per environment by `mococo.specialise`, and only when first used. The grid's points are the centres of its
bins x bins equal cells; point s = i * bins + j lies in row i, column j. Action a leads from there into the square whose
corners are the points c = cells[a, s], c + 1, c + bins and c + bins + 1, to the place in it that weights[:, a, s] tell.
The value there is the bilinear mean of the corners' values. In a snapped game weights are 0 or 1, so the mean is the
value of one point. An episode's end is a square of zeros behind all points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import inlined, kernel
from mococo.kernels.rollouts import _FLOATS, _OBSERVED, LANES
from mococo.kernels.slots import load_state, observe, step, store_observation, store_state

Floats = NDArray[np.float64]


@inlined
def _place(x: Any, low: Any, high: Any, bins: Any, snap: Any) -> Any:
    """On one axis: the point i below x, at most the last but one, and the weight of point i + 1.

    Beyond the outermost points values stay flat. If `snap`, x counts as the centre of its cell.
    """
    at = (x - low) / (high - low) * bins
    at = np.floor(at) if snap else at - 0.5
    at = min(max(at, 0.0), bins - 1.0)
    i = min(int(at), bins - 2)
    return i, at - i


@inlined
def _mean(grid: Any, s: Any, u: Any, w: Any, bins: Any) -> Any:
    """Bilinear mean of the values of grid points s, s + 1, s + bins and s + bins + 1."""
    first = (1.0 - w) * grid[s] + w * grid[s + 1]
    second = (1.0 - w) * grid[s + bins] + w * grid[s + bins + 1]
    return (1.0 - u) * first + u * second


@inlined
def _worth(grid: Any, a: Any, s: Any, cells: Any, weights: Any, rewards: Any, gamma: Any, bins: Any) -> Any:
    """Q(s, a)."""
    return rewards[a, s] + gamma * _mean(grid, cells[a, s], weights[0, a, s], weights[1, a, s], bins)


@kernel
def transitions(
    values: Floats, low: Floats, high: Floats, bins: int, snap: bool, cells: NDArray[np.int32],
    weights: NDArray[np.float32], rewards: Floats,
) -> None:  # fmt: skip
    """Fill cells : (k, bins^2), weights : (2, k, bins^2), rewards : (k, bins^2) by a step from each grid point.

    values : (k,) the actions; low, high : (2,) the grid's domain.
    """
    state = np.zeros(_FLOATS)
    for i in range(bins):
        for j in range(bins):
            s = i * bins + j
            for a in range(values.shape[0]):
                state[0] = low[0] + (i + 0.5) * ((high[0] - low[0]) / bins)
                state[LANES] = low[1] + (j + 0.5) * ((high[1] - low[1]) / bins)
                after, reward, done = step(load_state(state, 0), values[a])
                store_state(state, 0, after, 1)
                row, u = _place(state[0], low[0], high[0], bins, snap)
                column, w = _place(state[LANES], low[1], high[1], bins, snap)
                cells[a, s] = bins * bins if done else row * bins + column
                weights[0, a, s] = u
                weights[1, a, s] = w
                rewards[a, s] = reward


@kernel
def sweep(
    old: Floats, new: Floats, cells: NDArray[np.int32], weights: NDArray[np.float32], rewards: Floats, gamma: float,
    bins: int,
) -> int:  # fmt: skip
    """new[s] = max_a Q(s, a) with the old values; the number of grid points whose value has changed.

    old, new : (bins^2 + bins + 2,), 0 from bins^2 on.
    """
    changed = 0
    for s in range(bins * bins):
        best = _worth(old, 0, s, cells, weights, rewards, gamma, bins)
        for a in range(1, rewards.shape[0]):
            best = max(best, _worth(old, a, s, cells, weights, rewards, gamma, bins))
        changed += 1 if best != old[s] else 0
        new[s] = best
    return changed


@inlined
def _preferred(q: Any, last: Any) -> Any:
    """The best action: the last one while no other is better, then the first of the best."""
    best = last
    for a in range(q.shape[0]):
        best = a if q[a] > q[best] else best
    return best


@kernel
def follow_grid(
    grid: Floats, cells: NDArray[np.int32], weights: NDArray[np.float32], rewards: Floats, gamma: float, bins: int,
    values: Floats, low: Floats, high: Floats, starts: Floats, t_max: int, returns: Floats,
) -> None:  # fmt: skip
    """returns : (n,) of real episodes in which the action is looked up in the cell of each observation."""
    floats = np.zeros(_FLOATS)
    q = np.zeros(values.shape[0])
    for n in range(starts.shape[0]):
        floats[0] = starts[n, 0]
        floats[LANES] = starts[n, 1]
        action = 0
        discount = 1.0
        returns[n] = 0.0
        for _t in range(t_max):
            store_observation(floats, _OBSERVED, observe(load_state(floats, 0)))
            row, u = _place(floats[_OBSERVED], low[0], high[0], bins, True)
            column, w = _place(floats[_OBSERVED + LANES], low[1], high[1], bins, True)
            s = (row + int(u)) * bins + column + int(w)
            for a in range(values.shape[0]):
                q[a] = _worth(grid, a, s, cells, weights, rewards, gamma, bins)
            action = _preferred(q, action)
            after, reward, done = step(load_state(floats, 0), values[action])
            store_state(floats, 0, after, 1)
            returns[n] += discount * reward
            discount *= gamma
            if done:
                break


@kernel
def follow_ahead(
    grid: Floats, gamma: float, bins: int, values: Floats, low: Floats, high: Floats, starts: Floats, t_max: int,
    returns: Floats,
) -> None:  # fmt: skip
    """returns : (n,) of real episodes in which each action is tried first and its outcome's value interpolated."""
    floats = np.zeros(_FLOATS)
    q = np.zeros(values.shape[0])
    for n in range(starts.shape[0]):
        floats[0] = starts[n, 0]
        floats[LANES] = starts[n, 1]
        action = 0
        discount = 1.0
        returns[n] = 0.0
        for _t in range(t_max):
            state = load_state(floats, 0)
            for a in range(values.shape[0]):
                after, reward, done = step(state, values[a])
                store_state(floats, 0, after, 1)
                row, u = _place(floats[0], low[0], high[0], bins, False)
                column, w = _place(floats[LANES], low[1], high[1], bins, False)
                q[a] = reward if done else reward + gamma * _mean(grid, row * bins + column, u, w, bins)
            action = _preferred(q, action)
            after, reward, done = step(state, values[action])
            store_state(floats, 0, after, 1)
            returns[n] += discount * reward
            discount *= gamma
            if done:
                break
