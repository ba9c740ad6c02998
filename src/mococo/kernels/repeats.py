"""Equal solutions: pairs of genotypes that stand in a generation more than once need one evaluation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@kernel
def _hash_rows(rows: Ints, tag: Ints) -> Hashes:
    """One number for each row of whole numbers, equal for equal rows of the same tag."""
    n, width = rows.shape
    hashes = np.empty(n, np.uint64)
    for i in range(n):
        h = np.uint64(tag[i]) + _PRIME
        for j in range(width):
            h = (h ^ np.uint64(rows[i, j])) * _PRIME
            h ^= h >> _SHIFT
        hashes[i] = h
    return hashes


@kernel
def _same(rows: Ints, tag: Ints, i: int, j: int) -> bool:
    if i == j:
        return True
    if tag[i] != tag[j]:
        return False
    equal = 0
    while equal < rows.shape[1] and rows[i, equal] == rows[j, equal]:
        equal += 1
    return bool(equal == rows.shape[1])


@kernel
def distinct_pairs(
    rows1: Ints, tag1: Ints, rows2: Ints, tag2: Ints, first: Ints, second: Ints
) -> tuple[Ints, Ints]:  # fmt: skip
    """first, second : (m,) rows of rows1, rows2 -> distinct : (n,) places of the first of equal pairs, inverse : (m,).

    A hash table finds candidates; the genotypes themselves are compared, so a collision changes nothing.
    """
    m = first.shape[0]
    hash1 = _hash_rows(rows1, tag1)
    hash2 = _hash_rows(rows2, tag2)
    size = 16
    while size < 2 * m:
        size *= 2
    slots = np.full(size, -1)
    distinct = np.empty(m, np.int64)
    inverse = np.empty(m, np.int64)
    n = 0
    for i in range(m):
        h = (hash1[first[i]] ^ (hash2[second[i]] * _PRIME)) * _PRIME
        at = np.int64(h >> _SHIFT) & (size - 1)
        while slots[at] >= 0:
            other = distinct[slots[at]]
            if _same(rows1, tag1, first[i], first[other]) and _same(rows2, tag2, second[i], second[other]):
                break
            at = (at + 1) & (size - 1)
        if slots[at] < 0:
            slots[at] = n
            distinct[n] = i
            n += 1
        inverse[i] = slots[at]
    return distinct[:n], inverse
