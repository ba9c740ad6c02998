"""Start states from a box, as Gymnasium's classic control environments draw theirs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PRIMES = (2, 3, 5, 7)  # a base for each dimension of Halton's sequence


def training(n: int, low: Sequence[float], high: Sequence[float]) -> Floats:
    """(n, d) the first n of a fixed sequence: all corners of the box, then Halton's points, which fill it evenly.

    A mean over few such starts is closer to that over all than one over starts drawn by chance; and a policy that does
    well from the corners, which are mostly the hardest, seldom fails between them.
    """
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=len(low))))
    inside = np.column_stack([_radical_inverses(n, prime) for prime in _PRIMES[: len(low)]])
    least, most = np.array(low), np.array(high)
    return np.asarray(least + np.concatenate([corners, inside])[:n] * (most - least))


def _radical_inverses(n: int, base: int) -> Floats:
    """1 ... n in a base, their digits mirrored at the point: in base 2, 1/2, 1/4, 3/4, 1/8 and so on."""
    numbers, inverses, weight = np.arange(1, n + 1), np.zeros(n), 1.0
    while numbers.any():
        weight /= base
        inverses += weight * (numbers % base)
        numbers //= base
    return inverses


def fresh(n: int, seed: int, low: Sequence[float], high: Sequence[float]) -> Floats:
    """(n, d) starts of new episodes."""
    return np.random.default_rng(seed).uniform(low, high, (n, len(low)))
