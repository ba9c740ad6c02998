"""Genotypes to the arrays that the other kernels read (sections 5.1 and 5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ABSENT = 1e300  # the knot of a set that a feature does not have: above every observation


@kernel
def reference_coordinates(
    db: Floats, sets: Ints, low: Floats, high: Floats, crisp: NDArray[np.bool_], omega: float, max_sets: int
) -> Floats:
    """db : (n, lambda_1), sets : (n, d), low, high : (d,) -> refs : (n, d, max_sets), ABSENT where there is no set.

    The sets of a crisp feature stand on its whole numbers, whatever the alleles.
    """
    n, d = sets.shape
    refs = np.full((n, d, max_sets), ABSENT)
    for i in range(n):
        gene = 0
        for f in range(d):
            w = (high[f] - low[f]) / sets[i, f]
            for j in range(sets[i, f]):
                if crisp[f]:
                    refs[i, f, j] = low[f] + j
                else:
                    refs[i, f, j] = low[f] + w * j + w * (1 - omega) / 2 + db[i, gene] * w * omega
                gene += 1
    return refs


@kernel
def knot_slopes(refs: Floats, sets: Ints) -> Floats:
    """Slopes : (n, d, max_sets), 1 / (r_(j+1) - r_j); 0 after the last set, where membership stays flat."""
    n, d, max_sets = refs.shape
    slopes = np.zeros((n, d, max_sets))
    for i in range(n):
        for f in range(d):
            for j in range(sets[i, f] - 1):
                slopes[i, f, j] = 1.0 / (refs[i, f, j + 1] - refs[i, f, j])
    return slopes


@kernel
def _clauses_apart(masks: Ints, i: int, j: int) -> int:
    apart = 0
    for f in range(masks.shape[1]):
        if masks[i, f] != masks[j, f]:
            apart += 1
    return apart


@kernel
def _absorb(masks: Ints, i: int, j: int, end: int) -> None:
    """Merge rule j into rule i, in place, and close the gap that j leaves."""
    for f in range(masks.shape[1]):
        masks[i, f] |= masks[j, f]
    for r in range(j, end - 1):
        for f in range(masks.shape[1]):
            masks[r, f] = masks[r + 1, f]


@kernel
def _merge(masks: Ints, begin: int, end: int) -> int:
    """Merge the rules begin <= i < end of one action in the fixed order; the new end.

    The order is that of starting again from the top after each merge. Rules above the merged one could not merge
    with anything before, so after a merge only pairs with the changed rule need a look.
    """
    i = begin
    while i < end:
        j = i + 1
        while j < end and _clauses_apart(masks, i, j) != 1:
            j += 1
        if j == end:
            i += 1
            continue
        _absorb(masks, i, j, end)
        end -= 1
        above = begin
        while above < i:
            if _clauses_apart(masks, above, i) == 1:
                _absorb(masks, above, i, end)
                end -= 1
                i = above
                above = begin
            else:
                above += 1
    return end


@kernel
def cnf_rules(rb: NDArray[np.int8], sets: Ints, n_actions: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Rb : (n, lambda_2) -> begin, count : (n,) and masks : (sum, d), actions : (sum,) of the merged CNF rules.

    Genotype i owns the rows begin[i] ... begin[i] + count[i] - 1. Bit j of masks[r, f] selects set j of feature f;
    actions are 0 ... k-1. The rows between are left over from elementary rules that were merged away.
    """
    n, d = sets.shape
    begin = np.zeros(n, np.int64)
    count = np.zeros(n, np.int64)
    total = 0
    for i in range(n):
        begin[i] = total
        genes = 1
        for f in range(d):
            genes *= sets[i, f]
        for g in range(genes):
            if rb[i, g] != 0:
                total += 1
    masks = np.zeros((total, d), np.int64)
    actions = np.zeros(total, np.int64)
    for i in range(n):
        genes = 1
        for f in range(d):
            genes *= sets[i, f]
        end = begin[i]
        for a in range(1, n_actions + 1):
            first = end
            for g in range(genes):
                if rb[i, g] == a:
                    rest = g  # gene order: the last feature runs fastest
                    for f in range(d - 1, -1, -1):
                        masks[end, f] = 1 << (rest % sets[i, f])
                        rest //= sets[i, f]
                    end += 1
            end = _merge(masks, first, end)
            for r in range(first, end):
                actions[r] = a - 1
        count[i] = end - begin[i]
    return begin, count, masks, actions
