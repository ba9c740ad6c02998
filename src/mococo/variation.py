"""Initialisation, crossover, mutation and repair (section 6). The caller draws; each function here only applies.

All work on whole populations at once, (n, lambda) with rows of different length padded at the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Alleles = NDArray[np.int8]
Flags = NDArray[np.bool_]


def gene_mask(lengths: Ints) -> Flags:
    """(n,) lengths -> (n, longest) True where a row has a gene."""
    return np.arange(lengths.max(initial=0)) < lengths[:, None]


def init_db(uniform: Floats, mask: Flags) -> Floats:
    """Alleles from U(0, 1); uniform, mask : (n, lambda_1)."""
    return np.where(mask, uniform, 0.0)


def init_rb(uniform: Floats, alleles: Ints, p_unspec: float, mask: Flags) -> Alleles:
    """Unspecified where uniform < p_unspec, else the drawn allele of 1 ... k; all (n, lambda_2)."""
    return np.where(mask & (uniform >= p_unspec), alleles, 0).astype(np.int8)


def line_recombination(a: Floats, b: Floats, alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Two children on the line between their parents, a, b : (n, lambda_1); alpha, beta : (n, 1) in [0, 1]."""
    low, high = np.minimum(a, b), np.maximum(a, b)  # rounding must not carry a child out of the parents' box
    return np.clip(alpha * a + (1 - alpha) * b, low, high), np.clip(beta * b + (1 - beta) * a, low, high)


def gaussian_mutation(genotype: Floats, noise: Floats, mask: Flags) -> Floats:
    """Add noise : (n, lambda_1). Out of [0, 1] the noise is mirrored; if too large for both, cut off."""
    moved = genotype + noise
    mirrored = genotype - noise
    outside = (moved < 0) | (moved > 1)
    mirrored_outside = (mirrored < 0) | (mirrored > 1)
    kept = np.where(outside & ~mirrored_outside, mirrored, np.clip(moved, 0.0, 1.0))
    return np.where(mask, kept, 0.0)


def uniform_crossover(a: Alleles, b: Alleles, swap: Flags) -> tuple[Alleles, Alleles]:
    """Exchange the alleles where swap : (n, lambda_2) is set."""
    return np.where(swap, b, a), np.where(swap, a, b)


def flip_mutation(genotype: Alleles, flip: Flags, shift: Ints, n_actions: int, mask: Flags) -> Alleles:
    """Where flip is set, another of the k + 1 alleles: shift : (n, lambda_2) in 1 ... k makes each equally likely."""
    return np.where(flip & mask, (genotype + shift) % (n_actions + 1), genotype).astype(np.int8)


def repair(genotype: Alleles, keys: Floats, alleles: Ints, least: int, mask: Flags) -> Alleles:
    """Specify random unspecified genes of rule bases that have fewer than `least` specified, so that they have as many.

    keys : (n, lambda_2) the unspecified genes are taken by rising key; alleles : (n, lambda_2) what they become.
    """
    missing = least - np.count_nonzero(genotype, axis=1)
    order = np.argsort(np.where(mask & (genotype == 0), keys, np.inf), axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")  # how early each gene is taken
    return np.where(place < missing[:, None], alleles, genotype).astype(np.int8)
