"""Subspecies: how many fuzzy sets each feature has, and what share of the search each gets (sections 5 and 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Tag = tuple[int, ...]


def lambda_1(tag: Tag) -> int:
    """Length of a DB genotype, Eq. (3).

    >>> lambda_1((3, 2))
    5
    """
    return sum(tag)


def lambda_2(tag: Tag) -> int:
    """Length of an RB genotype: the number of fuzzy subspaces, Eq. (4).

    >>> lambda_2((3, 2))
    6
    """
    return math.prod(tag)


def make_subspecies_dists(subspecies: Sequence[Tag], beta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """delta_1, delta_2 : (|Sigma|,) shares of the search, beta^lambda normalised (section 6).

    >>> delta_1, delta_2 = make_subspecies_dists([(2, 2), (3, 3)], beta=1.125)
    >>> delta_1.round(3).tolist()
    [0.441, 0.559]
    """
    return _share([lambda_1(tag) for tag in subspecies], beta), _share([lambda_2(tag) for tag in subspecies], beta)


def _share(lengths: Sequence[int], beta: float) -> NDArray[np.float64]:
    # Relative to the longest genotype, so that beta ** lambda cannot overflow.
    exponents = np.asarray(lengths, dtype=np.float64) - max(lengths)
    weights = np.exp(exponents * math.log(beta))
    return np.asarray(weights / weights.sum())


def draw_tags(
    delta: NDArray[np.float64], n: int, available: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """n subspecies from delta, each at most as often as it is available.

    The listings draw again when a subpopulation is empty. Leaving empty ones out of delta has the same outcome, and
    ends soon even where all that is left is improbable.
    """
    left = available.copy()
    tags = np.empty(0, dtype=np.int64)
    while len(tags) < n:
        share = np.where(left > 0, delta, 0.0)
        share = share if share.sum() > 0 else (left > 0).astype(np.float64)
        drawn = rng.choice(len(delta), size=n - len(tags), p=share / share.sum())
        kept = np.zeros(len(drawn), dtype=bool)
        for sigma in range(len(delta)):
            kept[np.flatnonzero(drawn == sigma)[: left[sigma]]] = True
        tags = np.concatenate([tags, drawn[kept]])
        left -= np.bincount(drawn[kept], minlength=len(delta))
    return tags


def tag_text(tag: Tag) -> str:
    """The tag as users write it.

    >>> tag_text((4, 4))
    '4x4'
    """
    return "x".join(str(m) for m in tag)
