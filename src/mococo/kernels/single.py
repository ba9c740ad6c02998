"""One policy and one observation at a time: what a worker process asks before each step of a real environment.

A policy is two flat arrays, because each argument of a compiled function costs a tenth of a microsecond a call:

ints    n_observed, n_derived, n_used, n_rules, k, n_dims; for each derived feature its number of terms and their
        places; for each used feature its place and number of sets; for each rule its action and a mask for each used
        feature; room for a number for each used feature
floats  the weights of the derived features' terms; for each used feature coordinates, then slopes; (k, n_dims) values
scratch room for `scratch_size` numbers, at whose end the mean of the values stands where that is the output
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.fuzzy import clause_truth, locate, winner
from mococo.kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOT_FINITE = -2
WRONG_SIZE = -3
HEAD = 6  # numbers before the first derived feature


def scratch_size(ints: Ints) -> int:
    """Numbers of the scratch of a policy: features, positions between two sets, strengths, output."""
    n_observed, n_derived, n_used, _, k, n_dims = ints[:HEAD]
    return int(n_observed + n_derived + n_used + k + n_dims)


@kernel
def decide(observation: Any, ints: Ints, floats: Floats, scratch: Floats) -> int:
    """Place of the action; UNCOVERED, NOT_FINITE or WRONG_SIZE where there is none. observation : (n_observed,)."""
    n_observed, n_derived, n_used = ints[0], ints[1], ints[2]
    n_rules, k, n_dims = ints[3], ints[4], ints[5]
    if observation.shape[0] != n_observed:
        return WRONG_SIZE
    us = n_observed + n_derived
    strength = us + n_used
    out = strength + k
    finite = True
    for f in range(n_observed):
        x = np.float64(observation[f])
        scratch[f] = x
        finite = finite and math.isfinite(x)
    if not finite:
        return NOT_FINITE
    at, knot = HEAD, 0
    for f in range(n_observed, us):
        total = 0.0
        for term in range(at + 1, at + 1 + ints[at]):
            total += floats[knot] * scratch[ints[term]]
            knot += 1
        scratch[f] = total
        at += 1 + ints[at]
    places = len(ints) - n_used
    for j in range(n_used):
        m = ints[at + 1]
        knots, slopes = floats[knot : knot + m], floats[knot + m : knot + 2 * m]
        ints[places + j], scratch[us + j] = locate(scratch[ints[at]], knots, slopes, 1)
        knot += 2 * m
        at += 2
    for a in range(strength, out):
        scratch[a] = 0.0
    for _ in range(n_rules):
        tau = 1.0
        for j in range(n_used):
            tau = min(tau, clause_truth(ints[at + 1 + j], ints[places + j], scratch[us + j]))
        scratch[strength + ints[at]] += tau
        at += 1 + n_used
    best: int = winner(scratch[strength:out])
    if n_dims > 0 and best >= 0:
        total = 0.0
        for i in range(n_dims):
            scratch[out + i] = 0.0
        for a in range(k):  # one after the other, as `Policy` adds
            share = scratch[strength + a]
            total += share
            for i in range(n_dims):
                scratch[out + i] += share * floats[knot + a * n_dims + i]
        for i in range(n_dims):
            scratch[out + i] /= total
    return best
