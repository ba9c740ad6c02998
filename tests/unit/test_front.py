"""Fronts and archives: never dominated, the first of equals kept, and ways to look at them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mococo import Config, Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.front import Decoder, Front
from mococo.pareto import hypervolume
from mococo.population import Population, SolutionSet
from tests.properties.strategies import as_arrays, points
from tests.reference import naive

DECODER = Decoder.of(MOUNTAIN_CAR, Config(subspecies=((2, 2), (2, 3))))
Pairs = list[tuple[float, float]]


def front(pairs: Pairs, gen: int = 0) -> Front:
    """Any points as a front, dominated or not; the DB's first allele tells the place."""
    n = len(pairs)
    perf, comp = as_arrays(pairs)
    db = np.full((n, 5), 0.5)
    db[:, 0] = np.arange(n) / 1000
    db[:, 4] = 0.0
    rb = np.zeros((n, 6), dtype=np.int8)
    rb[:, :4] = [1, 2, 1, 2]
    return Front(DECODER, np.zeros(n, dtype=np.int64), db, rb, perf, comp, np.full(n, gen))


SOME: Pairs = [(-200.0, 2.0), (-150.0, 3.0), (-150.0, 3.0), (-100.0, 5.0)]


def test_a_front_is_a_sequence_of_members() -> None:
    members = front(SOME, gen=7)
    assert len(members) == 4
    assert [m.performance for m in members] == [-200.0, -150.0, -150.0, -100.0]
    assert [m.complexity for m in members] == [2, 3, 3, 5]
    assert members[1].gen == 7
    assert isinstance(members[0].policy, Policy)
    assert members[0].policy.tag == (2, 2)
    assert members[-1].performance == -100.0
    assert type(members[0].performance) is float
    assert type(members[0].complexity) is int


def test_a_front_can_be_sliced() -> None:
    members = front(SOME)
    assert [m.complexity for m in members[1:3]] == [3, 3]
    assert [m.complexity for m in members[::-1]] == [5, 3, 3, 2]
    assert [m.complexity for m in reversed(members)] == [5, 3, 3, 2]
    assert members[4:] == []


@pytest.mark.parametrize("index", [4, -5, 100])
def test_an_index_beyond_the_front_says_how_long_it_is(index: int) -> None:
    with pytest.raises(IndexError, match=f"the front has 4 members, got index {index}"):
        front(SOME)[index]


def test_a_member_is_the_policy_of_its_own_genotypes_without_padding() -> None:
    mixed = front(SOME)
    mixed = dataclasses.replace(mixed, sigma=np.array([0, 1, 0, 1]))
    assert mixed[0].policy.db == (0.0, 0.5, 0.5, 0.5)
    assert mixed[0].policy.rb == (1, 2, 1, 2)
    assert mixed[1].policy.tag == (2, 3)
    assert mixed[1].policy.db == (0.001, 0.5, 0.5, 0.5, 0.0)
    assert mixed[1].policy.rb == (1, 2, 1, 2, 0, 0)


def test_an_empty_front_is_a_front() -> None:
    empty = Front.empty(DECODER)
    assert len(empty) == 0
    assert list(empty) == []
    assert empty[:] == []
    assert empty.hypervolume(-200.0, 6.0) == 0.0
    assert len(empty.merged(empty)) == len(empty.distinct()) == 0
    assert [m.complexity for m in empty.merged(front(SOME))] == [2, 3, 5]
    assert [m.complexity for m in front(SOME).merged(empty)] == [2, 3, 5]
    with pytest.raises(IndexError, match="the front is empty: no two individuals of the same subspecies"):
        _ = empty.best


def test_the_best_has_the_highest_performance_and_of_those_the_lowest_complexity() -> None:
    assert front([(-100.0, 9.0), (-120.0, 2.0), (-100.0, 5.0), (-100.0, 7.0)]).best.complexity == 5


def test_members_are_counted_by_performance_and_complexity() -> None:
    members = front(SOME)
    assert members.count(members[1]) == 2
    assert members.count(members[0]) == 1
    assert members.count("anything else") == 0


def test_hypervolume_is_that_of_the_points() -> None:
    perf, comp = as_arrays(SOME)
    assert front(SOME).hypervolume(-200.0, 6.0) == hypervolume(perf, comp, -200.0, 6.0) == 2 * 50 + 1 * 100


@given(points, points)
def test_merging_keeps_the_non_dominated_of_both_and_the_first_of_equals(old: Pairs, new: Pairs) -> None:
    merged = front(old, gen=1).merged(front(new, gen=2))
    both = old + new
    ranks = naive.assign_pareto_front_ranks(both)
    first_front = {pair for pair, rank in zip(both, ranks, strict=True) if rank == 1}
    found = list(zip(merged.perf.tolist(), merged.comp.tolist(), strict=True))
    assert set(found) == first_front
    assert len(found) == len(first_front)
    for pair, gen, allele in zip(found, merged.gen, merged.db[:, 0], strict=True):
        source = old if pair in old else new
        assert gen == (1 if pair in old else 2)
        assert allele == source.index(pair) / 1000


@given(st.lists(points, max_size=6))
def test_an_archive_is_never_dominated_and_never_gets_worse(generations: list[Pairs]) -> None:
    archive = Front.empty(DECODER)
    area = 0.0
    for gen, pairs in enumerate(generations):
        archive = archive.merged(front(pairs, gen))
        assert naive.assign_pareto_front_ranks(list(zip(archive.perf, archive.comp, strict=True))) == [1] * len(archive)
        assert archive.hypervolume(-200.0, 25.0) >= area * (1 - 1e-12)
        area = archive.hypervolume(-200.0, 25.0)
        assert np.all(np.diff(archive.comp) > 0)
        assert np.all(np.diff(archive.perf) > 0)


@given(points)
def test_distinct_leaves_one_of_each(pairs: Pairs) -> None:
    distinct = front(pairs).distinct()
    assert len(set(zip(distinct.perf, distinct.comp, strict=True))) == len(distinct)
    assert distinct.perf.tolist() == distinct.distinct().perf.tolist()


def test_f_1_of_a_generation_keeps_equal_solutions_and_rises_in_complexity() -> None:
    n = 5
    tag = np.zeros(n, dtype=np.int64)
    dbs = Population.newborn(tag, np.full((n, 4), 0.5))
    rbs = Population.newborn(tag, np.tile(np.array([1, 2, 1, 2], dtype=np.int8), (n, 1)))
    rows = np.arange(n)
    solns = SolutionSet.unevaluated(dbs, rbs, rows, rows).evaluated(
        np.array([-100.0, -200.0, -150.0, -200.0, -150.0]),
        np.array([4.0, 2.0, 3.0, 2.0, 4.0]),
        np.array([1, 1, 1, 1, 2]),
        np.zeros(n),
    )
    found = Front.of(solns, 3, DECODER)
    assert list(zip(found.perf.tolist(), found.comp.tolist(), strict=True)) == [
        (-200.0, 2.0),
        (-200.0, 2.0),
        (-150.0, 3.0),
        (-100.0, 4.0),
    ]
    assert found.gen.tolist() == [3] * 4
