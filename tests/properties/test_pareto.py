"""Ranks, crowding, the crowded comparison, hypervolume: equal to the oracle's and to moocore's, inputs unchanged."""

from __future__ import annotations

import math

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mococo.pareto import (
    assign_crowding_dists,
    assign_pareto_front_ranks,
    crowded_comparison_sort,
    hypervolume,
    non_dominated,
    precedes,
)
from tests.properties.strategies import as_arrays, points, vectors
from tests.reference import naive

Pairs = list[tuple[float, float]]
PERF_BOUNDS = (-200.0, -96.0)
bounds = st.sampled_from([(2.0, 25.0), (2.0, 2.0), (1.0, 4.0)])
crowds = st.sampled_from([0.0, 0.1, 0.5, math.inf])


@given(points)
def test_ranks_are_the_oracles(pairs: Pairs) -> None:
    perf, comp = as_arrays(pairs)
    assert assign_pareto_front_ranks(perf, comp).tolist() == naive.assign_pareto_front_ranks(pairs)


@given(points.filter(bool))
def test_ranks_are_moocores_plus_one(pairs: Pairs) -> None:
    perf, comp = as_arrays(pairs)
    expected = moocore.pareto_rank(np.column_stack([perf, comp]), maximise=[True, False]) + 1
    assert assign_pareto_front_ranks(perf, comp).tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_moocores_on_a_generation_full_of_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    perf = -200 + rng.integers(0, 40, 1800) / 3
    comp = rng.integers(2, 26, 1800).astype(np.float64)
    expected = moocore.pareto_rank(np.column_stack([perf, comp]), maximise=[True, False]) + 1
    ranks = assign_pareto_front_ranks(perf, comp)
    assert ranks.tolist() == expected.tolist()
    assert ranks.max() > 10


@given(points)
def test_equal_points_share_a_rank(pairs: Pairs) -> None:
    perf, comp = as_arrays(pairs + pairs)
    ranks = assign_pareto_front_ranks(perf, comp)
    assert ranks[: len(pairs)].tolist() == ranks[len(pairs) :].tolist()


@given(points, bounds)
def test_crowding_is_the_oracles(pairs: Pairs, comp_bounds: tuple[float, float]) -> None:
    perf, comp = as_arrays(pairs)
    ranks = assign_pareto_front_ranks(perf, comp)
    crowd = assign_crowding_dists(perf, comp, ranks, PERF_BOUNDS, comp_bounds)
    assert crowd.tolist() == naive.assign_crowding_dists(pairs, ranks.tolist(), PERF_BOUNDS, comp_bounds)


@given(points, bounds)
def test_crowding_is_never_nan_or_negative_and_each_front_has_an_end(
    pairs: Pairs, comp_bounds: tuple[float, float]
) -> None:
    perf, comp = as_arrays(pairs)
    ranks = assign_pareto_front_ranks(perf, comp)
    crowd = assign_crowding_dists(perf, comp, ranks, PERF_BOUNDS, comp_bounds)
    assert (crowd >= 0).all()
    assert all(np.isinf(crowd[ranks == rank]).any() for rank in np.unique(ranks))


@given(st.integers(0, 20).flatmap(lambda n: st.tuples(vectors(st.integers(1, 3), n), vectors(crowds, n))))
def test_the_crowded_sort_is_the_oracles_and_stable(columns: tuple[list[int], list[float]]) -> None:
    ranks, crowd = columns
    indivs = [
        naive.Individual((2, 2), (), rank=r, crowd=c, uid=i) for i, (r, c) in enumerate(zip(*columns, strict=True))
    ]
    order = crowded_comparison_sort(np.array(ranks, dtype=np.int64), np.array(crowd))
    assert order.tolist() == [idv.uid for idv in naive.crowded_comparison_sort(indivs)]


@given(st.tuples(st.integers(1, 3), crowds), st.tuples(st.integers(1, 3), crowds))
def test_one_precedes_another_if_it_would_win_a_tournament_from_either_corner(
    one: tuple[int, float], two: tuple[int, float]
) -> None:
    a, b = (naive.Individual((2, 2), (), rank=rank, crowd=crowd) for rank, crowd in (one, two))
    ranks, crowd = np.array([one[0], two[0]]), np.array([one[1], two[1]])
    strictly = naive.tournament(a, b) is a and naive.tournament(b, a) is a
    assert precedes(ranks, crowd, np.array([0]), np.array([1])).tolist() == [strictly]


@given(points)
def test_the_non_dominated_are_one_point_for_each_distinct_member_of_f_1(pairs: Pairs) -> None:
    perf, comp = as_arrays(pairs)
    rows = non_dominated(perf, comp)
    first_front = {p for p, rank in zip(pairs, naive.assign_pareto_front_ranks(pairs), strict=True) if rank == 1}
    assert {pairs[row] for row in rows} == first_front
    assert len(rows) == len(first_front)
    assert all(pairs.index(pairs[row]) == row for row in rows)  # of equal points the first
    assert comp[rows].tolist() == sorted(comp[rows])


@given(points, st.sampled_from([(-200.0, 25.0), (-130.0, 4.0), (-96.0, 2.0)]))
def test_hypervolume_is_the_oracles_and_moocores(pairs: Pairs, reference: tuple[float, float]) -> None:
    perf, comp = as_arrays(pairs)
    area = hypervolume(perf, comp, *reference)
    assert area == pytest.approx(naive.hypervolume(pairs, *reference), rel=1e-12, abs=1e-12)
    if pairs:
        theirs = moocore.hypervolume(np.column_stack([perf, comp]), ref=np.array(reference), maximise=[True, False])
        assert area == pytest.approx(float(theirs), rel=1e-12, abs=1e-12)


@given(points)
def test_inputs_stay_unchanged(pairs: Pairs) -> None:
    perf, comp = as_arrays(pairs)
    ranks = assign_pareto_front_ranks(perf, comp)
    crowd = assign_crowding_dists(perf, comp, ranks, PERF_BOUNDS, (2.0, 25.0))
    arrays = (perf, comp, ranks, crowd)
    before = [a.tobytes() for a in arrays]
    for array in arrays:
        array.flags.writeable = False
    assign_pareto_front_ranks(perf, comp)
    assign_crowding_dists(perf, comp, ranks, PERF_BOUNDS, (2.0, 25.0))
    crowded_comparison_sort(ranks, crowd)
    non_dominated(perf, comp)
    hypervolume(perf, comp, -200.0, 25.0)
    assert [a.tobytes() for a in arrays] == before
