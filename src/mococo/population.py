"""Populations and solution sets as arrays: one row for each individual or solution."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mococo.subspecies import Tag, lambda_1, lambda_2, make_subspecies_dists

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """What is searched: the subspecies Sigma, k actions, and the bounds of both objectives."""

    subspecies: tuple[Tag, ...]
    n_actions: int
    perf_bounds: tuple[float, float]
    min_complexity: int = 0
    """0: the number of actions, as in the paper."""
    failed_worst: bool = False
    """Whether a policy at the lower performance bound is ranked as if its complexity were above the maximum."""

    @property
    def comp_bounds(self) -> tuple[float, float]:
        """Section 5.3: k, and the length of the longest RB genotype."""
        return float(self.min_complexity or self.n_actions), float(max(lambda_2(tag) for tag in self.subspecies))

    @property
    def db_lengths(self) -> Ints:
        """lambda_1 of each subspecies : (|Sigma|,)."""
        return np.array([lambda_1(tag) for tag in self.subspecies])

    @property
    def rb_lengths(self) -> Ints:
        """lambda_2 of each subspecies : (|Sigma|,)."""
        return np.array([lambda_2(tag) for tag in self.subspecies])

    def dists(self, beta: float) -> tuple[Floats, Floats]:
        """delta_1, delta_2."""
        return make_subspecies_dists(self.subspecies, beta)


@dataclass(frozen=True)
class Population:
    """n individuals of one species.

    tag : (n,) index into Sigma; genotype : (n, longest lambda), zero beyond an individual's own length; perf, comp :
    (n,) credit, NaN before it is assigned; rank, crowd : (n,) in the combined population it was last archived from.
    """

    tag: Ints
    genotype: NDArray[np.float64] | NDArray[np.int8]
    perf: Floats
    comp: Floats
    rank: Ints
    crowd: Floats

    @staticmethod
    def newborn(tag: Ints, genotype: NDArray[np.float64] | NDArray[np.int8]) -> Population:
        """Individuals that have not been evaluated."""
        unknown = np.full(len(tag), np.nan)
        return Population(tag, genotype, unknown, unknown, np.zeros(len(tag), np.int64), np.zeros(len(tag)))

    def __len__(self) -> int:
        return len(self.tag)

    def __or__(self, other: Population) -> Population:
        """The union; the individuals of `self` keep their rows."""
        return Population(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in self.__dataclass_fields__)
        )

    def __getitem__(self, rows: Ints | NDArray[np.bool_] | slice) -> Population:
        return Population(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class SolutionSet:
    """m solutions (FRBSs), each a DB and an RB of the same subspecies.

    first, second : (m,) rows of the DB population r1 and the RB population r2; perf, comp, rank, crowd : (m,).
    """

    r1: Population
    r2: Population
    first: Ints
    second: Ints
    perf: Floats
    comp: Floats
    rank: Ints
    crowd: Floats

    @staticmethod
    def unevaluated(r1: Population, r2: Population, first: Ints, second: Ints) -> SolutionSet:
        """Solutions before their evaluation."""
        m = len(first)
        unknown = np.full(m, np.nan)
        return SolutionSet(r1, r2, first, second, unknown, unknown, np.zeros(m, np.int64), np.zeros(m))

    def __len__(self) -> int:
        return len(self.first)

    def __or__(self, other: SolutionSet) -> SolutionSet:
        """Both, of the union of their populations; the solutions of `self` come first."""
        names = ("perf", "comp", "rank", "crowd")
        values = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        first = np.concatenate([self.first, len(self.r1) + other.first])
        second = np.concatenate([self.second, len(self.r2) + other.second])
        return SolutionSet(self.r1 | other.r1, self.r2 | other.r2, first, second, *values)

    @property
    def tag(self) -> Ints:
        """(m,) index into Sigma."""
        return self.r1.tag[self.first]

    def evaluated(self, perf: Floats, comp: Floats, rank: Ints, crowd: Floats) -> SolutionSet:
        """The same solutions with their objective values."""
        return replace(self, perf=perf, comp=comp, rank=rank, crowd=crowd)
