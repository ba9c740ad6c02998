"""Rollouts of policies that look at more than two features: every rule is evaluated, in lanes as in `rollouts`.

Cost is linear in the number of rules, whatever the number of cells. Equal clauses of different rules are one row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import inlined, kernel, lanes
from mococo.kernels.rollouts import _ACTION, _FLOATS, _INTS, _LIVE, _OBSERVED, _RETURN, LANES, answer, record, set_out
from mococo.kernels.slots import CONTINUOUS, KNOTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def _plan_rows(sets: Ints, b: int, masks: Ints, begin: int, end: int, clauses: Ints, row_of: Ints) -> tuple[int, int]:
    """Give each set and each distinct clause a row; the number of rows, and of used features.

    clauses : (rows, 2), filled with the feature and mask of each row: the sets of all used features first.
    row_of : (n_rules, d), filled with each rule's rows, one for each used feature.
    """
    n = 0
    used = 0
    for f in range(sets.shape[1]):
        if sets[b, f] > 1:
            used += 1
            for j in range(sets[b, f]):
                clauses[n, 0] = f
                clauses[n, 1] = 1 << j
                n += 1
    for r in range(begin, end):
        place = 0
        for f in range(sets.shape[1]):
            if sets[b, f] == 1:
                continue
            row = 0
            while row < n and not (clauses[row, 0] == f and clauses[row, 1] == masks[r, f]):
                row += 1
            if row == n:
                clauses[n, 0] = f
                clauses[n, 1] = masks[r, f]
                n += 1
            row_of[r - begin, place] = row
            place += 1
    return n, used


@kernel
def _plan_parts(clauses: Ints, n_sets: int, n_rows: int, parts: Ints) -> None:
    """parts : (rows, 1 + KNOTS), filled for each clause with how many sets it joins, and their rows."""
    for row in range(n_sets, n_rows):
        n = 0
        for other in range(n_sets):
            if clauses[other, 0] == clauses[row, 0] and (clauses[row, 1] & clauses[other, 1]) != 0:
                n += 1
                parts[row, n] = other
        parts[row, 0] = n


@inlined
def _fuzzify(rows: Any, floats: Any, knots: Any, slopes: Any, sets: Any, b: Any) -> Any:
    """Truths of every set of every used feature, by the formula of `fuzzy.locate`; the number of rows written."""
    n = 0
    for f in range(sets.shape[1]):
        if sets[b, f] == 1:
            continue
        seen = _OBSERVED + f * LANES
        for i in range(LANES):
            rows[n * LANES + i] = 1.0
        for j in range(sets[b, f] - 1):
            low = knots[b, f, j]
            high = knots[b, f, j + 1]
            slope = slopes[b, f, j]
            at = (n + j) * LANES
            for i in range(LANES):
                x = floats[seen + i]
                u = min(max((x - low) * slope, 0.0), 1.0)
                u = 1.0 if x >= high else u
                rows[at + i] -= u
                rows[at + LANES + i] = u
        n += sets[b, f]
    return n


@inlined
def _join_clauses(rows: Any, parts: Any, first: Any, last: Any) -> Any:
    """Rows first ... last - 1: the largest truth among each clause's sets, which are two at least."""
    for row in range(first, last):
        to = row * LANES
        one = parts[row, 1] * LANES
        two = parts[row, 2] * LANES
        for i in range(LANES):
            rows[to + i] = max(rows[one + i], rows[two + i])
        for place in range(3, parts[row, 0] + 1):
            other = parts[row, place] * LANES
            for i in range(LANES):
                rows[to + i] = max(rows[to + i], rows[other + i])


@inlined
def _fire(rows: Any, row_of: Any, n_rules: Any, used: Any, actions: Any, rule_first: Any, tau: Any, sums: Any) -> Any:
    """sums : (k * LANES,) the truths of each action's rules, added in rule order.

    For up to four features the smallest clause of a rule stays in a register; `tau` holds it for more.
    """
    for at in range(sums.shape[0]):
        sums[at] = 0.0
    for r in range(n_rules):
        to = actions[rule_first + r] * LANES
        a = row_of[r, 0] * LANES
        b = row_of[r, min(1, used - 1)] * LANES
        c = row_of[r, min(2, used - 1)] * LANES
        e = row_of[r, min(3, used - 1)] * LANES
        if used <= 2:
            for i in range(LANES):
                sums[to + i] += min(rows[a + i], rows[b + i])
        elif used == 3:
            for i in range(LANES):
                sums[to + i] += min(rows[a + i], rows[b + i], rows[c + i])
        elif used == 4:
            for i in range(LANES):
                sums[to + i] += min(rows[a + i], rows[b + i], rows[c + i], rows[e + i])
        else:
            for i in range(LANES):
                tau[i] = min(rows[a + i], rows[b + i], rows[c + i], rows[e + i])
            for place in range(4, used):
                other = row_of[r, place] * LANES
                for i in range(LANES):
                    tau[i] = min(tau[i], rows[other + i])
            for i in range(LANES):
                sums[to + i] += tau[i]


@inlined
def _choose(sums: Any, tau: Any, values: Any, floats: Any) -> Any:
    """Write each lane's action; `tau` is reused for the total strength."""
    for i in range(LANES):
        tau[i] = 0.0
        floats[_ACTION + i] = 0.0
    if CONTINUOUS:
        for a in range(values.shape[0]):
            value = values[a]
            for i in range(LANES):
                tau[i] += sums[a * LANES + i]
                floats[_ACTION + i] += value * sums[a * LANES + i]
        for i in range(LANES):
            floats[_ACTION + i] /= tau[i] if tau[i] > 0.0 else 1.0
        return
    for a in range(values.shape[0]):  # tau: the best strength so far
        value = values[a]
        for i in range(LANES):
            better = sums[a * LANES + i] > tau[i]
            floats[_ACTION + i] = value if better else floats[_ACTION + i]
            tau[i] = max(tau[i], sums[a * LANES + i])


@lanes
def general(
    first: int, last: int, start_first: int, start_last: int, pairs: Ints, sets: Ints, knots: Floats, slopes: Floats,
    begin: Ints, count: Ints, masks: Ints, actions: Ints, values: Floats, starts: Floats, t_max: int, gamma: float,
    fail_fast: bool, floor: float, returns: Floats, steps: Ints, uncovered: NDArray[np.bool_],
) -> None:  # fmt: skip
    """As `rollouts.planar`, for any number of used features and for continuous actions."""
    d = sets.shape[1]
    most_rules = 1
    for p in range(first, last):
        most_rules = max(most_rules, count[pairs[p, 1]])
    floats = np.zeros(_FLOATS)
    ints = np.zeros(_INTS, np.int64)
    clauses = np.zeros((d * (KNOTS + most_rules), 2), np.int64)
    parts = np.zeros((d * (KNOTS + most_rules), 1 + KNOTS), np.int64)
    row_of = np.zeros((most_rules, d), np.int64)
    rows = np.zeros(d * (KNOTS + most_rules) * LANES)
    tau = np.zeros(LANES)
    sums = np.zeros(values.shape[0] * LANES)

    for p in range(first, last):
        b = pairs[p, 0]
        rule_first = begin[pairs[p, 1]]
        n_rules = count[pairs[p, 1]]
        n_rows, n_used = _plan_rows(sets, b, masks, rule_first, rule_first + n_rules, clauses, row_of)
        n_sets = 0
        for f in range(d):
            n_sets += sets[b, f] if sets[b, f] > 1 else 0
        _plan_parts(clauses, n_sets, n_rows, parts)
        if n_used == 0:  # nothing limits a rule
            row_of[:, 0] = 0
            rows[:LANES] = 1.0
        failed = False
        for block in range(start_first, start_last, LANES):
            used = min(LANES, start_last - block)
            set_out(floats, ints, starts, block, used)
            discount = 1.0
            for _t in range(t_max):
                _fuzzify(rows, floats, knots, slopes, sets, b)
                _join_clauses(rows, parts, n_sets, n_rows)
                _fire(rows, row_of, n_rules, n_used, actions, rule_first, tau, sums)
                _choose(sums, tau, values, floats)
                holes = 0
                for i in range(LANES):
                    holes |= ints[_LIVE + i] if tau[i] <= 0.0 else 0
                if holes != 0:
                    for i in range(used):
                        if tau[i] <= 0.0 and ints[_LIVE + i] != 0:
                            uncovered[p, block + i] = True
                            floats[_RETURN + i] = floor
                            ints[_LIVE + i] = 0
                            failed = True
                if failed and fail_fast:
                    break
                for i in range(LANES):  # the value of an action for lanes without one does not matter, but must be one
                    floats[_ACTION + i] = floats[_ACTION + i] if tau[i] > 0.0 else values[0]
                if answer(floats, ints, discount) == 0:
                    break
                discount *= gamma
            record(floats, ints, used, p, block, returns, steps)
            if failed and fail_fast:
                break
