"""Start states of real environments: the seeds of their resets, so that every policy meets the same ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Fresh seeds lie below those of training, so they never overlap; training's are none that one would try by hand.
FIRST_TRAINING_SEED = 1_000_000_000
MOST_SEED = 2**31 - 1


def training_seeds(n: int) -> NDArray[np.float64]:
    """(n, 1) the fixed set Z."""
    return FIRST_TRAINING_SEED + np.arange(n, dtype=np.float64)[:, None]


def draw_seeds(n: int, seed: int) -> NDArray[np.float64]:
    """(n, 1) of fresh episodes."""
    drawn = np.random.default_rng(seed).integers(0, FIRST_TRAINING_SEED, size=(n, 1))
    return drawn.astype(np.float64)
