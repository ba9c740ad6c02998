"""One policy and one observation at a time: what a worker process asks before each step of a real environment.

A policy is two flat arrays, because each argument of a compiled function costs a tenth of a microsecond a call:

ints    n_observed, n_derived, n_used, n_rules, k, n_dims; for each derived feature its number of terms and their
        places; for each used feature its place and number of sets; for each rule its action and a mask for each used
        feature
floats  the weights of the derived features' terms; for each used feature coordinates, then slopes; (k, n_dims) values
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.fuzzy import clause_truth, locate, winner
from mococo.kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOT_FINITE = -2
HEAD = 6  # numbers before the first derived feature


@kernel
def _features(observation: Floats, ints: Ints, floats: Floats) -> tuple[Floats, int, int, bool]:
    """x : (d,) with derived features, where ints and floats go on, and whether all that was observed is finite."""
    n_observed, n_derived = ints[0], ints[1]
    x = np.zeros(n_observed + n_derived)
    finite = True
    for f in range(n_observed):
        x[f] = observation[f]
        finite = finite and math.isfinite(x[f])
    at, weight = HEAD, 0
    for j in range(n_derived):
        for term in range(ints[at]):
            x[n_observed + j] += floats[weight] * x[ints[at + 1 + term]]
            weight += 1
        at += 1 + ints[at]
    return x, at, weight, finite


@kernel
def decide(observation: Floats, ints: Ints, floats: Floats, out: Floats) -> int:
    """Place of the action, UNCOVERED or NOT_FINITE; out : (n_dims,) is filled where the output is a mean of values."""
    x, at, knot, finite = _features(observation, ints, floats)
    if not finite:
        return NOT_FINITE
    n_used, n_rules, k, n_dims = ints[2], ints[3], ints[4], ints[5]
    places = np.zeros(n_used, np.int64)
    us = np.zeros(n_used)
    for j in range(n_used):
        m = ints[at + 2 * j + 1]
        places[j], us[j] = locate(x[ints[at + 2 * j]], floats[knot : knot + m], floats[knot + m : knot + 2 * m], 1)
        knot += 2 * m
    at += 2 * n_used
    strength = np.zeros(k)
    for _ in range(n_rules):
        tau = 1.0
        for j in range(n_used):
            tau = min(tau, clause_truth(ints[at + 1 + j], places[j], us[j]))
        strength[ints[at]] += tau
        at += 1 + n_used
    best: int = winner(strength)
    if n_dims > 0 and best >= 0:
        total = 0.0
        for i in range(n_dims):
            out[i] = 0.0
        for a in range(k):  # one after the other, as `Policy` adds
            total += strength[a]
            for i in range(n_dims):
                out[i] += strength[a] * floats[knot + a * n_dims + i]
        for i in range(n_dims):
            out[i] /= total
    return best
