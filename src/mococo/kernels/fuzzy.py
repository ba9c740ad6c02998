"""Fuzzy inference (section 2.2): where an input lies in its partition, truths, strengths, the winning action.

Where an input lies on one feature is told by a place and u. The place is even, 2j, where set j alone (counted from 1)
is true: on a shoulder, or exactly at a reference coordinate. It is odd, 2j + 1, strictly between r_j and r_(j+1),
where set j has truth 1 - u and set j + 1 has truth u. Place 0 is the left shoulder, which is set 1 too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import inlined, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNCOVERED = -1


@inlined
def locate(x: Any, knots: Any, slopes: Any, unit: Any) -> Any:
    """unit * place, and u, of x among the knots (an array or a tuple; slopes as from `decode.knot_slopes`).

    At an even place u means nothing. It may round to 1 just below the next coordinate: then the next set alone is true.
    """
    at = 0
    base = 0.0
    slope = 0.0
    for j in range(len(knots)):
        passed = x >= knots[j]
        at += 2 * unit if passed else 0
        base = knots[j] if passed else base
        slope = slopes[j] if passed else slope
    u = (x - base) * slope
    return at + (unit if u > 0.0 else 0) + (unit if u >= 1.0 else 0), u


@inlined
def clause_truth(mask: Any, place: Any, u: Any) -> Any:
    """Largest truth among the mask's sets."""
    left = mask >> (max(place >> 1, 1) - 1)
    if place & 1:
        return max((1.0 - u) if left & 1 else 0.0, u if left & 2 else 0.0)
    return 1.0 if left & 1 else 0.0


@kernel
def strengths(masks: Ints, actions: Ints, begin: int, end: int, places: Ints, us: Floats, out: Floats) -> None:
    """out : (k,) sums of the truths of each action's rules, in rule order: the numerators of g_a."""
    for a in range(out.shape[0]):
        out[a] = 0.0
    for r in range(begin, end):
        tau = 1.0
        for f in range(masks.shape[1]):
            tau = min(tau, clause_truth(masks[r, f], places[f], us[f]))
        out[actions[r]] += tau


@inlined
def winner(strength: Any) -> Any:
    """Index of the largest strength, ties to the lowest; UNCOVERED if all are zero."""
    best = 0
    for a in range(1, len(strength)):
        best = a if strength[a] > strength[best] else best
    return best if strength[best] > 0.0 else UNCOVERED


@kernel
def infer(
    observations: Floats,
    refs: Floats,
    slopes: Floats,
    sets: Ints,
    masks: Ints,
    actions: Ints,
    truths: Floats,
    out: Floats,
) -> None:
    """One policy on many observations (b, d): truths : (b, n_rules) and out : (b, k) strengths are filled."""
    d = refs.shape[0]
    places = np.zeros(d, np.int64)
    us = np.zeros(d)
    for b in range(observations.shape[0]):
        for f in range(d):
            m = sets[f]
            places[f], us[f] = locate(observations[b, f], refs[f, :m], slopes[f, :m], 1)
        for a in range(out.shape[1]):
            out[b, a] = 0.0
        for r in range(masks.shape[0]):
            tau = 1.0
            for f in range(d):
                tau = min(tau, clause_truth(masks[r, f], places[f], us[f]))
            truths[b, r] = tau
            out[b, actions[r]] += tau
