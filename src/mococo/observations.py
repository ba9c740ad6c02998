"""What a policy is given: checked, and with the derived features added."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mococo.envs.derived import with_derived
from mococo.envs.spec import Feature
from mococo.errors import ObservationError

Floats = NDArray[np.float64]


def checked_observations(obs: ArrayLike, features: Sequence[Feature]) -> tuple[Floats, bool]:
    """(b, d) finite numbers, derived features added, and whether one observation was given."""
    given = [feature for feature in features if not feature.terms]
    n = len(given)
    if isinstance(obs, tuple) and len(obs) == 2 and isinstance(obs[1], dict):
        raise ObservationError("got an observation with its info, as env.reset() returns them; give the first alone")
    try:
        observations = np.asarray(obs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ObservationError(f"expected an observation of {n} numbers, got {obs!r}") from None
    if observations.shape != (n,) and (observations.ndim != 2 or observations.shape[1] != n):
        raise ObservationError(
            f"expected an observation of shape ({n},) or (n, {n}), one number for each feature "
            f"({', '.join(feature.name for feature in given)}), got shape {observations.shape}"
        )
    single = observations.ndim == 1
    observations = observations.reshape(-1, n)
    if not np.isfinite(observations).all():
        row, f = np.argwhere(~np.isfinite(observations))[0]
        raise ObservationError(
            f"observations must be finite, because a rule cannot judge anything else, "
            f"got {observations[row, f]} for {given[f].name}"
        )
    return np.ascontiguousarray(with_derived(observations, features)), single
