"""Variation operators: equal to the oracle's, inside their bounds, and only on real genes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mococo import variation
from tests.properties.strategies import alleles, vectors
from tests.reference import naive

unit = st.floats(0, 1)
noises = st.one_of(st.just(0.0), st.floats(-0.1, 0.1), st.floats(-3, 3), st.sampled_from([-1.0, -0.5, 0.5, 1.0]))


@dataclass(frozen=True)
class Pairs:
    """Padded rows of two populations of parents, with their lengths."""

    lengths: list[int]
    a: NDArray[np.float64]
    b: NDArray[np.float64]

    @property
    def mask(self) -> NDArray[np.bool_]:
        return variation.gene_mask(np.array(self.lengths))


@st.composite
def parents(draw: st.DrawFn, gene: st.SearchStrategy[float], shortest: int = 1) -> Pairs:
    lengths = draw(st.lists(st.integers(shortest, 8), min_size=1, max_size=4))
    a, b = np.zeros((2, len(lengths), max(lengths)))
    for i, n in enumerate(lengths):
        a[i, :n], b[i, :n] = draw(vectors(gene, n)), draw(vectors(gene, n))
    return Pairs(lengths, a, b)


def grid(data: st.DataObject, element: st.SearchStrategy[float], like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Random numbers for every place, those beyond a genotype's end too: operators must not use them."""
    return np.array(data.draw(vectors(vectors(element, like.shape[1]), like.shape[0])))


@given(st.lists(st.integers(1, 9), max_size=6))
def test_a_mask_marks_the_genes_of_each_row(lengths: list[int]) -> None:
    mask = variation.gene_mask(np.array(lengths, dtype=np.int64))
    assert mask.shape == (len(lengths), max(lengths, default=0))
    assert [row.tolist() for row in mask] == [[j < n for j in range(mask.shape[1])] for n in lengths]


@given(parents(alleles), st.data())
def test_initialisation_fills_the_genes_and_nothing_else(pairs: Pairs, data: st.DataObject) -> None:
    uniform = grid(data, unit, pairs.a)
    p = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    chosen = grid(data, st.integers(1, 3), pairs.a).astype(np.int64)
    dbs, rbs = variation.init_db(uniform, pairs.mask), variation.init_rb(uniform, chosen, p, pairs.mask)
    for i, n in enumerate(pairs.lengths):
        assert dbs[i, :n].tolist() == uniform[i, :n].tolist()
        assert rbs[i, :n].tolist() == [c if u >= p else 0 for u, c in zip(uniform[i, :n], chosen[i, :n], strict=True)]
        assert not dbs[i, n:].any()
        assert not rbs[i, n:].any()


@given(parents(alleles), st.data())
def test_line_recombination_is_the_oracles_and_stays_in_the_parents_box(pairs: Pairs, data: st.DataObject) -> None:
    n = len(pairs.lengths)
    alpha, beta = (np.array(data.draw(vectors(unit, n)))[:, None] for _ in range(2))
    child_a, child_b = variation.line_recombination(pairs.a, pairs.b, alpha, beta)
    for i in range(n):
        one, two = naive.line_recombination(pairs.a[i].tolist(), pairs.b[i].tolist(), alpha[i, 0], beta[i, 0])
        assert child_a[i] == pytest.approx(one, rel=0, abs=1e-15)
        assert child_b[i] == pytest.approx(two, rel=0, abs=1e-15)
    low, high = np.minimum(pairs.a, pairs.b), np.maximum(pairs.a, pairs.b)
    for child in (child_a, child_b):
        assert ((low <= child) & (child <= high)).all()
        assert not child[~pairs.mask].any()


@given(parents(alleles), st.data())
def test_gaussian_mutation_is_the_oracles_and_stays_in_the_unit_interval(pairs: Pairs, data: st.DataObject) -> None:
    noise = grid(data, noises, pairs.a)
    mutants = variation.gaussian_mutation(pairs.a, noise, pairs.mask)
    for i, n in enumerate(pairs.lengths):
        assert mutants[i, :n].tolist() == naive.gaussian_mutation(pairs.a[i, :n].tolist(), noise[i, :n].tolist())
    assert ((mutants >= 0) & (mutants <= 1)).all()
    assert not mutants[~pairs.mask].any()


@given(parents(st.integers(0, 3)), st.data())
def test_uniform_crossover_is_the_oracles_and_keeps_each_place_of_the_pair(pairs: Pairs, data: st.DataObject) -> None:
    a, b = pairs.a.astype(np.int8), pairs.b.astype(np.int8)
    swap = grid(data, st.booleans(), pairs.a).astype(bool)
    child_a, child_b = variation.uniform_crossover(a, b, swap)
    for i in range(len(a)):
        assert (child_a[i].tolist(), child_b[i].tolist()) == naive.uniform_crossover(
            a[i].tolist(), b[i].tolist(), swap[i].tolist()
        )
    assert np.sort([child_a, child_b], axis=0).tolist() == np.sort([a, b], axis=0).tolist()
    assert child_a.dtype == child_b.dtype == np.int8


@given(st.integers(1, 5), st.data())
def test_flip_mutation_is_the_oracles_and_always_changes_a_flipped_gene(k: int, data: st.DataObject) -> None:
    pairs = data.draw(parents(st.integers(0, k)))
    rb = pairs.a.astype(np.int8)
    flip = grid(data, st.booleans(), pairs.a).astype(bool)
    shift = grid(data, st.integers(1, k), pairs.a).astype(np.int64)
    mutants = variation.flip_mutation(rb, flip, shift, k, pairs.mask)
    for i, n in enumerate(pairs.lengths):
        expected = naive.flip_mutation(rb[i, :n].tolist(), flip[i, :n].tolist(), shift[i, :n].tolist(), k)
        assert mutants[i, :n].tolist() == expected
    assert ((mutants != rb) == (flip & pairs.mask)).all()
    assert ((mutants >= 0) & (mutants <= k)).all()
    assert not mutants[~pairs.mask].any()
    assert mutants.dtype == np.int8


@given(st.integers(1, 5), st.data())
def test_repair_is_the_oracles_with_its_genes_in_the_order_of_the_keys(k: int, data: st.DataObject) -> None:
    pairs = data.draw(parents(st.one_of(st.just(0), st.integers(0, k)), shortest=k))  # shorter ones are refused
    rb = pairs.a.astype(np.int8)
    keys = grid(data, st.one_of(st.sampled_from([0.0, 0.5]), st.floats(0, 1, exclude_max=True)), pairs.a)
    chosen = grid(data, st.integers(1, k), pairs.a).astype(np.int64)
    repaired = variation.repair(rb, keys, chosen, k, pairs.mask)
    for i, n in enumerate(pairs.lengths):
        order = sorted(range(n), key=lambda j: keys[i, j])
        assert repaired[i, :n].tolist() == naive.repair(rb[i, :n].tolist(), k, order, chosen[i, :n].tolist())
        assert np.count_nonzero(repaired[i]) == max(np.count_nonzero(rb[i]), k)
    assert (repaired[rb != 0] == rb[rb != 0]).all()
    assert not repaired[~pairs.mask].any()


@given(parents(alleles), st.data())
def test_parents_stay_unchanged(pairs: Pairs, data: st.DataObject) -> None:
    a, b = pairs.a, pairs.b
    rb, other = (np.round(x * 2).astype(np.int8) for x in (a, b))
    flags = grid(data, st.booleans(), a).astype(bool)
    noise, shift = grid(data, noises, a), grid(data, st.integers(1, 2), a).astype(np.int64)
    for array in (a, b, rb, other, flags, noise, shift):
        array.flags.writeable = False
    column = np.full((len(a), 1), 0.25)
    variation.line_recombination(a, b, column, column)
    variation.gaussian_mutation(a, noise, pairs.mask)
    variation.uniform_crossover(rb, other, flags)
    variation.flip_mutation(rb, flags, shift, 2, pairs.mask)
    variation.repair(rb, np.abs(noise), shift, 2, pairs.mask)
