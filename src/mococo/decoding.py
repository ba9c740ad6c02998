"""Genotypes to what is evaluated: reference coordinates and CNF rules (sections 5.1 and 5.2), as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Feature

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Partitions:
    """n decoded DBs. sets : (n, d); refs, slopes : (n, d, most sets), padded as in `kernels.decode`."""

    sets: Ints
    refs: Floats
    slopes: Floats


@dataclass(frozen=True)
class RuleBases:
    """n decoded RBs. RB i has count[i] rules from row begin[i] on of masks : (rows, d), actions : (rows,)."""

    begin: Ints
    count: Ints
    masks: Ints
    actions: Ints


def decode_db(db: Floats, sets: Ints, features: Sequence[Feature], omega: float, most_sets: int) -> Partitions:
    """Db : (n, lambda_1), sets : (n, d) -> the partitions."""
    from mococo.kernels.decode import knot_slopes, reference_coordinates

    low = np.array([feature.low for feature in features], dtype=np.float64)
    high = np.array([feature.high for feature in features], dtype=np.float64)
    crisp = np.array([feature.crisp for feature in features])
    refs = reference_coordinates(db, sets, low, high, crisp, omega, most_sets)
    return Partitions(sets, refs, knot_slopes(refs, sets))


def decode_rb(rb: NDArray[np.int8], sets: Ints, n_actions: int) -> RuleBases:
    """Rb : (n, lambda_2), sets : (n, d) -> the merged rules."""
    from mococo.kernels.decode import cnf_rules

    return RuleBases(*cnf_rules(rb, sets, n_actions))
