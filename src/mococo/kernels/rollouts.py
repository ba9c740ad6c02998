"""Rollouts of many policies from many start states, in lanes that advance in lock-step.

Compiled once per environment by `mococo.specialise`. LANES episodes of one policy run side by side; each inner loop
runs over the lanes and vectorises. A lane's scratch numbers lie in one array at constant offsets, because then the
compiler knows that they do not overlap. Rules are not evaluated in every step:

A partition of two features cuts the plane into cells, in each of which at most 2 x 2 fuzzy subspaces are active. In
the unit square of a cell (coordinates u, w), the lines u = w, u = 1 - w, u = 1/2 and w = 1/2 cut out eight triangles.
Within a triangle the order of u, 1 - u, w and 1 - w is fixed, so every min and max in a rule is known and the action
strengths are linear: an action that is strongest in all three corners wins in the whole triangle. `_fill` finds it when
a cell is first visited and remembers it in a table; in the few triangles without a single winner, exactly on one of the
lines, and for policies that look at more than two features, the rules are evaluated in full.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.decode import ABSENT
from mococo.kernels.fuzzy import UNCOVERED, locate, strengths, winner
from mococo.kernels.jit import inlined, kernel, lanes
from mococo.kernels.slots import (  # fmt: skip
    KNOTS,
    N_OBSERVED,
    N_STATE,
    knot_tuple,
    load_state,
    observe,
    step,
    store_observation,
    store_state,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 32

# Rows of the float scratch, each LANES long: the state is first, so that state functions need no offset.
_OBSERVED = N_STATE * LANES
_ACTION = _OBSERVED + N_OBSERVED * LANES
_RETURN = _ACTION + LANES
_FLOATS = _RETURN + LANES
# Rows of the int scratch.
_CELL = 0
_LIVE = LANES
_STEPS = 2 * LANES
_INTS = 3 * LANES

# What a table entry says besides an action value. All are larger than any action value.
_NO_ACTION = 1e200
_UNKNOWN = 1e300
_MIXED = 1e301
_HOLE = 1e302


@inlined
def _local_mask(mask: Any, place: Any) -> Any:
    """The clause's bits for the one or two sets that are active at a place."""
    return (mask >> (max(place >> 1, 1) - 1)) & (3 if place & 1 else 1)


@kernel
def _fill(
    table: Floats, at: int, masks: Ints, actions: Ints, begin: int, end: int, f0: int, f1: int,
    place0: int, place1: int, values: Floats, active: Ints, points: Floats,
) -> None:  # fmt: skip
    """Decide the eight triangles of the cell (place0, place1): table[at ... at + 7].

    f1 < 0: the policy looks at f0 alone. active : (4, 3) and points : (9, k) are scratch.
    """
    n = 0
    agree = True
    for r in range(begin, end):
        local0 = _local_mask(masks[r, f0], place0)
        local1 = 1 if f1 < 0 else _local_mask(masks[r, f1], place1)
        if local0 != 0 and local1 != 0:  # at most four: each of the 2 x 2 subspaces belongs to one rule
            active[n, 0] = local0
            active[n, 1] = local1
            active[n, 2] = actions[r]
            agree = agree and actions[r] == active[0, 2]
            n += 1
    if agree:
        for triangle in range(8):
            table[at + triangle] = values[active[0, 2]] if n > 0 else _HOLE
        return
    # Strengths at the corners, edge centres and centre of the cell: point 3 * (2u) + 2w.
    for q in range(9):
        u = 0.5 * (q // 3)
        w = 0.5 * (q % 3)
        for a in range(values.shape[0]):
            points[q, a] = 0.0
        for r in range(n):
            truth0 = max((1.0 - u) * (active[r, 0] & 1), u * (active[r, 0] >> 1)) if place0 & 1 else 1.0
            truth1 = max((1.0 - w) * (active[r, 1] & 1), w * (active[r, 1] >> 1)) if place1 & 1 else 1.0
            points[q, active[r, 2]] += min(truth0, truth1)
    for triangle in range(8):
        below = triangle & 1  # u < w
        left = (triangle >> 1) & 1  # u < 1 - w
        half = (triangle >> 2) & 1  # the half of that quarter with the smaller other coordinate
        if below == left:
            edge = 1 if left == 1 else 7
            corner = (0 if left == 1 else 6) + (0 if half == 1 else 2)
        else:
            edge = 5 if below == 1 else 3
            corner = (0 if half == 1 else 6) + (2 if below == 1 else 0)
        best = 0  # strongest on average, so the only candidate
        for a in range(1, values.shape[0]):
            if (
                points[4, a] + points[edge, a] + points[corner, a]
                > points[4, best] + points[edge, best] + points[corner, best]
            ):
                best = a
        wins = True
        for a in range(values.shape[0]):
            for q in (4, edge, corner):
                wins = wins and points[q, a] <= points[q, best]
        table[at + triangle] = values[best] if wins else _MIXED


@inlined
def _cell(x0: Any, x1: Any, knots0: Any, slopes0: Any, knots1: Any, slopes1: Any, stride: Any, tie: Any) -> Any:
    """Table place of an input; `tie` exactly on a line between triangles."""
    at0, u = locate(x0, knots0, slopes0, stride)
    at1, w = locate(x1, knots1, slopes1, 8)
    # At an even place the input decides nothing: these numbers lie on no line, whatever the other coordinate is.
    u = u if (u > 0.0) & (u < 1.0) else 2.0
    w = w if (w > 0.0) & (w < 1.0) else 3.0
    rest = 1.0 - w
    below = u < w
    left = u < rest
    half = (w < 0.5) if below == left else (u < 0.5)
    on_line = ((u - w) * (u - rest)) * ((u - 0.5) * (w - 0.5)) == 0.0
    at = at0 + at1 + (1 if below else 0) + (2 if left else 0) + (4 if half else 0)
    return tie if on_line else at


@inlined
def set_out(floats: Any, ints: Any, starts: Any, block: Any, used: Any) -> Any:
    """The first `used` lanes start episodes, from the starts after `block`; the others are idle."""
    for i in range(LANES):
        for s in range(N_STATE):
            floats[s * LANES + i] = starts[block + min(i, used - 1), s]
    for i in range(LANES):
        ints[_LIVE + i] = 1 if i < used else 0
        ints[_STEPS + i] = 0
        floats[_RETURN + i] = 0.0
        store_observation(floats, _OBSERVED + i, observe(load_state(floats, i)))


@inlined
def answer(floats: Any, ints: Any, discount: Any) -> Any:
    """What the environment answers to every lane's action; not 0 while any lane's episode goes on."""
    any_live = 0
    for i in range(LANES):
        live = ints[_LIVE + i]
        state, reward, done = step(load_state(floats, i), floats[_ACTION + i])
        floats[_RETURN + i] += discount * reward if live != 0 else 0.0
        ints[_STEPS + i] += live
        store_state(floats, i, state, live)
        store_observation(floats, _OBSERVED + i, observe(state))
        live = 0 if done else live
        ints[_LIVE + i] = live
        any_live |= live
    return any_live


@inlined
def record(floats: Any, ints: Any, used: Any, p: Any, block: Any, returns: Any, steps: Any) -> Any:
    """Write down what the lanes' episodes came to."""
    for i in range(used):
        returns[p, block + i] = floats[_RETURN + i]
        steps[p, block + i] = ints[_STEPS + i]


@lanes
def planar(
    first: int, last: int, start_first: int, start_last: int, pairs: Ints, sets: Ints, knots: Floats, slopes: Floats,
    begin: Ints, count: Ints, masks: Ints, actions: Ints, values: Floats, starts: Floats, t_max: int, gamma: float,
    fail_fast: bool, floor: float, returns: Floats, steps: Ints, uncovered: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Roll out policies first ... last - 1, each of at most two used features, from a range of the starts.

    pairs : (n, 2) rows of the partitions (sets, knots, slopes) and of the rule bases (begin, count);
    values : (k,) the environment's actions; starts : (n_starts, N_STATE);
    returns, steps, uncovered : (n, n_starts) are filled. An episode that meets an uncovered state ends with the return
    `floor`; if `fail_fast`, the policy's other episodes are left as they are.
    """
    d = sets.shape[1]
    table = np.empty((2 * KNOTS + 1) * (2 * KNOTS + 1) * 8 + 2)
    floats = np.zeros(_FLOATS)
    ints = np.zeros(_INTS, np.int64)
    active = np.zeros((4, 3), np.int64)
    points = np.zeros((9, values.shape[0]))
    strength = np.zeros(values.shape[0])
    places = np.zeros(d, np.int64)
    us = np.zeros(d)
    absent = np.full((1, 1, KNOTS), ABSENT)

    for p in range(first, last):
        b = pairs[p, 0]
        rule_first = begin[pairs[p, 1]]
        rule_last = rule_first + count[pairs[p, 1]]
        f0 = -1
        f1 = -1
        for f in range(d):
            if sets[b, f] > 1:
                if f0 < 0:
                    f0 = f
                else:
                    f1 = f
        f0 = max(f0, 0)
        knots0 = knot_tuple(knots, b, f0)
        slopes0 = knot_tuple(slopes, b, f0)
        knots1 = knot_tuple(absent, 0, 0) if f1 < 0 else knot_tuple(knots, b, f1)
        slopes1 = knot_tuple(slopes, b, max(f1, 0))
        row0 = _OBSERVED + f0 * LANES
        row1 = _OBSERVED + max(f1, 0) * LANES
        stride = (2 * (sets[b, f1] if f1 >= 0 else 1) + 1) * 8
        tie = (2 * sets[b, f0] + 1) * stride
        idle = tie + 1
        for at in range(tie):
            table[at] = _UNKNOWN
        table[tie] = _MIXED
        table[idle] = values[0]

        failed = False
        for block in range(start_first, start_last, LANES):
            used = min(LANES, start_last - block)
            set_out(floats, ints, starts, block, used)
            discount = 1.0
            for _t in range(t_max):
                # Where is each lane?
                for i in range(LANES):
                    at = _cell(floats[row0 + i], floats[row1 + i], knots0, slopes0, knots1, slopes1, stride, tie)
                    ints[_CELL + i] = at if ints[_LIVE + i] != 0 else idle
                # What does the policy do there?
                top = 0.0
                for i in range(LANES):
                    action = table[ints[_CELL + i]]
                    floats[_ACTION + i] = action
                    top = max(top, action)
                if top > _NO_ACTION:
                    for i in range(LANES):
                        if floats[_ACTION + i] <= _NO_ACTION:
                            continue
                        at = ints[_CELL + i]
                        if table[at] == _UNKNOWN:
                            _fill(table, at & -8, masks, actions, rule_first, rule_last, f0, f1, at // stride,
                                  (at % stride) >> 3, values, active, points)  # fmt: skip
                        action = table[at]
                        if action == _MIXED:
                            for f in range(d):
                                places[f], us[f] = locate(
                                    floats[_OBSERVED + f * LANES + i], knots[b, f], slopes[b, f], 1
                                )
                            strengths(masks, actions, rule_first, rule_last, places, us, strength)
                            best = winner(strength)
                            action = values[best] if best != UNCOVERED else _HOLE
                        if action == _HOLE:
                            uncovered[p, block + i] = True
                            floats[_RETURN + i] = floor
                            ints[_LIVE + i] = 0
                            failed = True
                            action = values[0]
                        floats[_ACTION + i] = action
                if failed and fail_fast:
                    break
                if answer(floats, ints, discount) == 0:
                    break
                discount *= gamma
            record(floats, ints, used, p, block, returns, steps)
            if failed and fail_fast:
                break
