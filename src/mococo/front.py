"""Fronts: F_1 of one generation, and the archive of all non-dominated policies ever found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from mococo.config import Config
from mococo.envs.spec import Action, Environment, Feature
from mococo.pareto import hypervolume, non_dominated
from mococo.policy import Policy
from mococo.population import Population, SolutionSet
from mococo.subspecies import Tag, lambda_1, lambda_2

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Decoder:
    """What makes policies of genotypes: the subspecies, features, actions and omega of a run."""

    subspecies: tuple[Tag, ...]
    features: tuple[Feature, ...]
    actions: tuple[Action, ...]
    omega: float
    continuous: bool = False
    floor: float = -math.inf
    """Policies that are no better than this are left out of fronts."""

    @staticmethod
    def of(env: Environment, config: Config) -> Decoder:
        """The decoder of a run on this environment."""
        floor = env.performance_bounds[0] if config.failed == "worst" else -math.inf
        return Decoder(config.subspecies, env.features, env.actions, config.omega, env.continuous, floor)

    def policy(self, sigma: int, db: Floats, rb: NDArray[np.int8]) -> Policy:
        """The policy of one padded pair of genotypes."""
        tag = self.subspecies[sigma]
        return Policy.from_genotypes(
            tag, db[: lambda_1(tag)], rb[: lambda_2(tag)], self.features, self.actions, self.omega, self.continuous
        )


@dataclass(frozen=True)
class Member:
    """A policy of a front with its performance on the training starts."""

    policy: Policy
    performance: float
    complexity: int
    gen: int
    """The generation in which it was evaluated."""


@dataclass(frozen=True)
class Front(Sequence[Member]):
    """Solutions as arrays; a policy is made when it is asked for.

    sigma : (n,) index of the subspecies; db : (n, lambda_1), rb : (n, lambda_2); perf, comp, gen : (n,).
    """

    decoder: Decoder
    sigma: Ints
    db: Floats
    rb: NDArray[np.int8]
    perf: Floats
    comp: Floats
    gen: Ints

    @staticmethod
    def empty(decoder: Decoder) -> Front:
        """A front without solutions."""
        longest_1 = max(lambda_1(tag) for tag in decoder.subspecies)
        longest_2 = max(lambda_2(tag) for tag in decoder.subspecies)
        none, nothing = np.zeros(0), np.zeros(0, np.int64)
        return Front(decoder, nothing, np.zeros((0, longest_1)), np.zeros((0, longest_2), np.int8), none, none, nothing)

    @staticmethod
    def of(solns: SolutionSet, gen: int, decoder: Decoder) -> Front:
        """F_1 of a generation, by rising complexity: all of it, equal solutions included, as the paper plots it."""
        rows = np.flatnonzero((solns.rank == 1) & (solns.perf > decoder.floor))
        rows = rows[np.lexsort((solns.perf[rows], solns.comp[rows]))]
        r1: Population = solns.r1[solns.first[rows]]
        r2: Population = solns.r2[solns.second[rows]]
        return Front(
            decoder,
            r1.tag,
            r1.genotype.astype(np.float64),
            r2.genotype.astype(np.int8),
            solns.perf[rows],
            solns.comp[rows],
            np.full(len(rows), gen),
        )

    def merged(self, other: Front) -> Front:
        """The non-dominated of both, one for each (performance, complexity); of equals the one of `self`."""
        names = ("sigma", "db", "rb", "perf", "comp", "gen")
        sigma, db, rb, perf, comp, gen = (np.concatenate([getattr(self, n), getattr(other, n)]) for n in names)
        rows = non_dominated(perf, comp)
        return Front(self.decoder, sigma[rows], db[rows], rb[rows], perf[rows], comp[rows], gen[rows])

    def distinct(self) -> Front:
        """One member for each (performance, complexity)."""
        return self.merged(Front.empty(self.decoder))

    def count(self, member: object) -> int:
        """How many members have this one's performance and complexity."""
        if not isinstance(member, Member):
            return 0
        return int(np.count_nonzero((self.perf == member.performance) & (self.comp == member.complexity)))

    def hypervolume(self, worst_perf: float, worst_comp: float) -> float:
        """Area between the front and a reference point."""
        return hypervolume(self.perf, self.comp, worst_perf, worst_comp)

    @property
    def best(self) -> Member:
        """The member with the highest performance, and of those the simplest."""
        if len(self) == 0:
            raise IndexError("the front is empty: no two individuals of the same subspecies could be paired")
        return self[int(np.lexsort((self.comp, -self.perf))[0])]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all solutions, performance over complexity, on these axes or on new ones."""
        from mococo.report.front_figure import draw_front

        return draw_front(self, ax, subspecies=self.decoder.subspecies)

    def __len__(self) -> int:
        return len(self.perf)

    def __iter__(self) -> Iterator[Member]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Member: ...
    @overload
    def __getitem__(self, index: slice) -> list[Member]: ...
    def __getitem__(self, index: int | slice) -> Member | list[Member]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"the front has {len(self)} members, got index {index}")
        policy = self.decoder.policy(int(self.sigma[index]), self.db[index], self.rb[index])
        return Member(policy, float(self.perf[index]), int(self.comp[index]), int(self.gen[index]))
