"""Random fuzzy systems, points and populations."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from mococo import Policy
from mococo.population import Population, Problem
from mococo.subspecies import Tag, lambda_1, lambda_2
from tests.reference import naive

MOST_SUBSPACES = 100  # the oracle's merging is cubic
DOMAINS = ((0.0, 1.0), (-1.2, 0.5), (-0.07, 0.07), (-10.0, 1000.0), (2.5, 2.625), (-1e6, 1e-6))
ROUND_ALLELES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class System:
    """A fuzzy rule-based system, and inputs for it."""

    tag: Tag
    db: list[float]
    rb: list[int]
    domains: list[tuple[float, float]]
    n_actions: int
    omega: float
    inputs: list[list[float]]

    @property
    def features(self) -> list[tuple[str, float, float]]:
        return [(f"x{i}", low, high) for i, (low, high) in enumerate(self.domains)]

    @property
    def policy(self) -> Policy:
        return Policy.from_genotypes(
            self.tag, self.db, self.rb, self.features, list(range(10, 10 + self.n_actions)), self.omega
        )

    @property
    def refs(self) -> list[list[float]]:
        return naive.decode_db(self.tag, self.db, self.domains, self.omega)

    @property
    def rules(self) -> list[naive.Rule]:
        return naive.decode_rules(self.tag, self.rb, self.n_actions)


@st.composite
def tags(draw: st.DrawFn, d: int) -> Tag:
    """Sets on each of d features, with few enough subspaces for the oracle; at times 1, for a feature not looked at."""
    tag: list[int] = []
    for i in range(d):
        left = MOST_SUBSPACES // math.prod(tag) // 2 ** (d - i - 1)
        tag.append(draw(st.integers(2, max(2, min(6, left)))))
    if d > 1 and draw(st.booleans()):
        tag[draw(st.integers(0, d - 1))] = 1
    return tuple(tag)


alleles = st.one_of(st.sampled_from(ROUND_ALLELES), st.floats(0, 1))


def vectors(elements: st.SearchStrategy[Any], length: int) -> st.SearchStrategy[list[Any]]:
    """Lists of one length."""
    return st.lists(elements, min_size=length, max_size=length)


@st.composite
def systems(draw: st.DrawFn, d: int | None = None, n_actions: int | None = None) -> System:
    """A system; its inputs lie anywhere, outside the domains, or exactly on coordinates and halfway between them."""
    d = draw(st.integers(1, 5)) if d is None else d
    k = draw(st.integers(1, 5)) if n_actions is None else n_actions
    tag = draw(tags(d))
    domains = draw(vectors(st.sampled_from(DOMAINS), d))
    omega = draw(st.sampled_from([0.75, 0.75, 0.1, 0.99]))
    db = draw(vectors(alleles, lambda_1(tag)))
    rb = draw(vectors(st.integers(0, k), lambda_2(tag)))
    refs = naive.decode_db(tag, db, domains, omega)
    coordinates = []
    for (low, high), own in zip(domains, refs, strict=True):
        special = [low, high, low - 1.0, high + 1.0, *own, *[(a + b) / 2 for a, b in itertools.pairwise(own)]]
        coordinates.append(st.one_of(st.sampled_from(special), st.floats(low, high), st.floats(-1e9, 1e9)))
    inputs = draw(st.lists(st.tuples(*coordinates).map(list), min_size=1, max_size=4))
    return System(tag, db, rb, domains, k, omega, inputs)


PERFS = (-200.0, -150.5, -120.0, -119.9, -96.0)
COMPS = (2.0, 3.0, 4.0, 9.0, 16.0)

# Many ties; and anything.
point = st.one_of(
    st.tuples(st.sampled_from(PERFS), st.sampled_from(COMPS)),
    st.tuples(st.floats(-200, 0), st.integers(1, 30).map(float)),
)
points = st.lists(point, max_size=40)


def as_arrays(pairs: list[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Performances and complexities."""
    array = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return array[:, 0].copy(), array[:, 1].copy()


SUBSPECIES = ((2, 2), (2, 3), (3, 2), (3, 3), (4, 2))
subspecies_lists = st.lists(st.sampled_from(SUBSPECIES), min_size=1, max_size=4, unique=True).map(tuple)


def problem_of(subspecies: tuple[Tag, ...], n_actions: int = 2) -> Problem:
    """A problem with Mountain Car's performance bounds."""
    return Problem(subspecies, n_actions, (-200.0, -96.0))


@st.composite
def populations(draw: st.DrawFn, problem: Problem, species: int, least: int = 0, most: int = 12) -> Population:
    """DBs (species 1) or RBs (species 2) with ranks, crowding and credit full of ties; subspecies may be empty."""
    n = draw(st.integers(least, most))
    tag = np.array(draw(vectors(st.integers(0, len(problem.subspecies) - 1), n)), dtype=np.int64)
    lengths = problem.db_lengths if species == 1 else problem.rb_lengths
    genotype = np.zeros((n, int(lengths.max())), dtype=np.float64 if species == 1 else np.int8)
    gene = alleles if species == 1 else st.integers(0, problem.n_actions)
    for i in range(n):
        genotype[i, : lengths[tag[i]]] = draw(vectors(gene, int(lengths[tag[i]])))
    perf, comp = as_arrays(draw(vectors(point, n)))
    rank = np.array(draw(vectors(st.integers(1, 3), n)), dtype=np.int64)
    crowd = np.array(draw(vectors(st.sampled_from([0.0, 0.25, 0.5, math.inf]), n)), dtype=np.float64)
    return Population(tag, genotype, perf, comp, rank, crowd)


def individuals(population: Population, problem: Problem, species: int) -> list[naive.Individual]:
    """The same individuals for the oracle; the uid tells species and row."""
    lengths = problem.db_lengths if species == 1 else problem.rb_lengths
    return [
        naive.Individual(
            problem.subspecies[sigma],
            tuple(population.genotype[i, : lengths[sigma]].tolist()),
            float(population.perf[i]),
            float(population.comp[i]),
            int(population.rank[i]),
            float(population.crowd[i]),
            uid=species * 1_000_000 + i,
        )
        for i, sigma in enumerate(population.tag.tolist())
    ]


def rows_of(indivs: list[naive.Individual]) -> list[int]:
    """Rows of the oracle's individuals in their population."""
    return [idv.uid % 1_000_000 for idv in indivs]
