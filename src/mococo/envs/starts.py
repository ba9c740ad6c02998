"""Start states drawn evenly from a box, as Gymnasium's classic control environments draw theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def training(n: int, low: Sequence[float], high: Sequence[float]) -> Floats:
    """(n, d) the first n of a fixed sequence. Its generator is not that of fresh starts, so no seed gives the same."""
    return np.random.RandomState(0).uniform(low, high, (n, len(low)))


def fresh(n: int, seed: int, low: Sequence[float], high: Sequence[float]) -> Floats:
    """(n, d) starts of new episodes."""
    return np.random.default_rng(seed).uniform(low, high, (n, len(low)))
