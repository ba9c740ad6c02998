"""Chance has the law that the paper states: chi-square tests with fixed seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from mococo import variation
from mococo.algorithm import (
    db_crossover_mutate,
    init_db_pop,
    init_rb_pop,
    rb_crossover_mutate,
    repair,
    select_collabrs,
    selection,
)
from mococo.config import Config
from mococo.population import Population, Problem
from mococo.subspecies import draw_tags
from tests.reference import naive

UNLIKELY = 1e-3  # a fixed seed: once it passes it always does
PAPER = Problem(((2, 2), (3, 3), (4, 4), (5, 5)), 2, (-200.0, -96.0))


def fits(found: Iterable[Hashable], expected: dict[Hashable, float]) -> bool:
    """Whether counts agree with probabilities; an outcome that cannot be must not occur."""
    counts = Counter(found)
    assert set(counts) <= set(expected), set(counts) - set(expected)
    total = sum(counts.values())
    observed = [counts[outcome] for outcome in expected]
    return bool(stats.chisquare(observed, [p * total for p in expected.values()]).pvalue > UNLIKELY)


def exact_law(delta: list[float], available: list[int], n: int) -> dict[Hashable, float]:
    """Probability of each sequence of n tags when exhausted ones are drawn again."""
    if n == 0:
        return {(): 1.0}
    law: dict[Hashable, float] = {}
    whole = sum(p for p, left in zip(delta, available, strict=True) if left)
    for sigma, (p, left) in enumerate(zip(delta, available, strict=True)):
        if left and p:
            fewer = [a - (i == sigma) for i, a in enumerate(available)]
            for rest, q in exact_law(delta, fewer, n - 1).items():
                law[(sigma, *rest)] = p / whole * q  # type: ignore[misc]
    return law


CASES = [
    ([0.5, 0.3, 0.2], [2, 1, 3], 4),
    ([0.9, 0.1], [1, 3], 3),
    ([0.25] * 4, [1, 1, 1, 1], 4),
    ([0.6, 0.4], [5, 5], 3),
]


@pytest.mark.parametrize(("delta", "available", "n"), CASES)
def test_tags_are_drawn_as_by_drawing_again_until_a_subspecies_has_somebody(
    delta: list[float], available: list[int], n: int
) -> None:
    rng = np.random.default_rng(1)
    found = [tuple(draw_tags(np.array(delta), n, np.array(available), rng).tolist()) for _ in range(6000)]
    assert fits(found, exact_law(delta, available, n))


@pytest.mark.parametrize(("delta", "available", "n"), CASES)
def test_the_literal_algorithm_6_draws_by_that_law_too(delta: list[float], available: list[int], n: int) -> None:
    """So the law above is not our own invention."""
    rng = np.random.default_rng(2)
    tags = [(i + 2,) for i in range(len(delta))]
    r = [naive.Individual(tags[i], (), rank=1, crowd=0.0) for i, count in enumerate(available) for _ in range(count)]
    draws = iter(rng.choice(len(delta), size=200_000, p=delta).tolist())
    found = [
        tuple(idv.tag[0] - 2 for idv in naive.archive_parent_pop(r, lambda: tags[next(draws)], n)) for _ in range(3000)
    ]
    assert fits(found, exact_law(delta, available, n))


def test_draws_end_where_all_that_is_left_has_no_share() -> None:
    """A beta so large that delta underflows: the listing would never end."""
    rng = np.random.default_rng(3)
    tags = draw_tags(np.array([0.0, 0.0, 1.0]), 6, np.array([2, 2, 2]), rng)
    assert sorted(tags.tolist()) == [0, 0, 1, 1, 2, 2]
    assert tags[:2].tolist() == [2, 2]


def population(tag: list[int], rank: list[int] | None = None, crowd: list[float] | None = None) -> Population:
    """DBs of which only tag, rank and crowding matter."""
    n = len(tag)
    newborn = Population.newborn(np.array(tag), np.zeros((n, 4)))
    return Population(
        newborn.tag,
        newborn.genotype,
        newborn.perf,
        newborn.comp,
        np.array(rank or [1] * n, dtype=np.int64),
        np.array(crowd or [0.0] * n),
    )


def test_the_first_collaborators_are_any_two() -> None:
    p, rng = population([0, 1, 1, 0, 1, 1]), np.random.default_rng(4)
    found = [tuple(select_collabrs(p, 1, 0, rng).tolist()) for _ in range(4000)]
    pairs = [(a, b) for a in (1, 2, 4, 5) for b in (1, 2, 4, 5) if a != b]
    assert fits(found, dict.fromkeys(pairs, 1 / 12))


def test_later_collaborators_are_the_best_and_any_other() -> None:
    p, rng = (
        population([1, 0, 1, 1, 1], rank=[2, 1, 1, 1, 3], crowd=[9.0, 9.0, 0.1, 0.5, 9.0]),
        np.random.default_rng(5),
    )
    found = [tuple(select_collabrs(p, 1, 7, rng).tolist()) for _ in range(3000)]
    assert fits(found, {(3, other): 1 / 3 for other in (0, 2, 4)})


def test_tournaments_are_between_any_two_different_members_and_the_better_wins() -> None:
    p, rng = population([0, 1, 0, 0], rank=[2, 1, 1, 3]), np.random.default_rng(6)
    tag = np.zeros(9000, dtype=np.int64)
    found = selection(p, tag, np.array([3, 1]), rng).tolist()
    assert fits(found, {2: 2 / 3, 0: 1 / 3})


def test_a_tie_in_a_tournament_is_won_by_the_first_drawn() -> None:
    p, rng = population([0, 0]), np.random.default_rng(7)
    assert fits(selection(p, np.zeros(4000, dtype=np.int64), np.array([2]), rng).tolist(), {0: 0.5, 1: 0.5})


def test_first_populations_follow_delta_and_the_allele_probabilities() -> None:
    config = Config(db_pop_size=20_000, rb_pop_size=20_000)
    rng = np.random.default_rng(8)
    delta1, delta2 = PAPER.dists(config.beta)
    dbs, rbs = init_db_pop(delta1, PAPER, config, rng), init_rb_pop(delta2, PAPER, config, rng)
    assert fits(dbs.tag.tolist(), dict(enumerate(delta1)))
    assert fits(rbs.tag.tolist(), dict(enumerate(delta2)))
    alleles = dbs.genotype[variation.gene_mask(PAPER.db_lengths)[dbs.tag]]
    assert stats.kstest(alleles, "uniform").pvalue > UNLIKELY
    largest = rbs.genotype[rbs.tag == 3].ravel()  # hardly ever repaired, so the probabilities are plain
    assert fits(largest.tolist(), {0: 0.1, 1: 0.45, 2: 0.45})


def children_of(a: NDArray[np.int8], b: NDArray[np.int8], config: Config, seed: int) -> NDArray[np.int8]:
    """Children of many equal couples of subspecies 5x5."""
    n = 4000
    tag = np.full(n, 3)
    children = rb_crossover_mutate(
        np.tile(a, (n, 1)), np.tile(b, (n, 1)), tag, PAPER, config, np.random.default_rng(seed)
    )
    return np.asarray(children)


def test_crossover_exchanges_each_allele_of_a_pair_with_its_probability() -> None:
    a, b = np.full(25, 1, dtype=np.int8), np.full(25, 2, dtype=np.int8)
    children = children_of(a, b, Config(rb_p_cross=0.25, rb_p_mut=0.0), 9)
    assert (children[0::2] + children[1::2] == 3).all()
    swapped = children[0::2] == 2
    assert fits(swapped.ravel().tolist(), {True: 0.25, False: 0.75})
    assert fits(swapped[:, 0].tolist(), {True: 0.25, False: 0.75})  # each gene for itself
    assert abs(np.corrcoef(swapped[:, 0], swapped[:, 1])[0, 1]) < 0.06


def test_a_flip_leads_to_each_other_allele_equally_often() -> None:
    a = np.full(25, 1, dtype=np.int8)
    children = children_of(a, a, Config(rb_p_mut=0.05), 10)
    assert fits(children.ravel().tolist(), {1: 0.95, 0: 0.025, 2: 0.025})


def test_line_recombination_happens_with_its_probability_and_anywhere_on_the_line() -> None:
    n = 20_000
    a, b = np.zeros((n, 10)), np.zeros((n, 10))
    b[:, :4] = 1.0
    config = Config(db_p_cross=0.75, db_mut_sigma=0.0)
    tag = np.zeros(n, dtype=np.int64)
    children = db_crossover_mutate(a, b, tag, PAPER, config, np.random.default_rng(11))
    assert (children[:, :4] == children[:, :1]).all()  # one alpha for the whole vector
    one, two = children[0::2, 0], children[1::2, 0]
    crossed = (one != 0.0) | (two != 1.0)
    assert fits(crossed.tolist(), {True: 0.75, False: 0.25})
    for child in (one, two):
        assert stats.kstest(child[crossed], "uniform").pvalue > UNLIKELY
    assert abs(np.corrcoef(one[crossed], two[crossed])[0, 1]) < 0.03  # alpha and beta are two draws


def test_noise_is_gaussian_with_its_standard_deviation() -> None:
    n = 10_000
    half = np.full((n, 10), 0.5)
    config = Config(db_p_cross=0.0, db_mut_sigma=0.02)
    children = db_crossover_mutate(half, half, np.full(n, 3), PAPER, config, np.random.default_rng(12))
    assert stats.kstest((children - 0.5).ravel(), "norm", args=(0.0, 0.02)).pvalue > UNLIKELY


def test_repair_specifies_any_genes_with_any_actions() -> None:
    n = 6000
    empty, mask = np.zeros((n, 4), dtype=np.int8), np.tile([True, True, True, False], (n, 1))
    repaired = repair(empty, mask, PAPER, np.random.default_rng(13))
    outcomes = {
        (*[x if i in places else 0 for i, x in enumerate((p, q, r))], 0)
        for places in ((0, 1), (0, 2), (1, 2))
        for p in (1, 2)
        for q in (1, 2)
        for r in (1, 2)
    }
    assert len(outcomes) == 12
    assert fits(map(tuple, repaired.tolist()), dict.fromkeys(outcomes, 1 / 12))
