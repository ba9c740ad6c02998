"""Equal solutions are found once, by their genotypes and not by their hashes alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mococo.kernels.repeats import distinct_pairs
from tests.properties.strategies import vectors


@st.composite
def genotypes(draw: st.DrawFn) -> list[tuple[int, list[int]]]:
    """Tags and rows that hardly differ, so that many are equal and many meet in the hash table."""
    width = draw(st.integers(1, 4))
    row = vectors(st.sampled_from([0, 1, -1, 2**62]), width)
    return draw(st.lists(st.tuples(st.integers(0, 1), row), min_size=1, max_size=12))


@given(genotypes(), genotypes(), st.data())
def test_each_distinct_pair_stands_once_in_the_order_of_its_first_place(
    ones: list[tuple[int, list[int]]], twos: list[tuple[int, list[int]]], data: st.DataObject
) -> None:
    pairs = data.draw(
        st.lists(st.tuples(st.integers(0, len(ones) - 1), st.integers(0, len(twos) - 1)), min_size=0, max_size=60)
    )
    first, second = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    tag1, tag2 = (np.array([tag for tag, _ in side], dtype=np.int64) for side in (ones, twos))
    rows1, rows2 = (np.array([row for _, row in side], dtype=np.int64) for side in (ones, twos))

    distinct, inverse = distinct_pairs(rows1, tag1, rows2, tag2, first, second)

    seen: dict[str, int] = {}
    places = []
    for place, (i, j) in enumerate(pairs):
        key = repr((ones[i], twos[j]))
        if key not in seen:
            seen[key] = len(seen)
            places.append(place)
    assert distinct.tolist() == places
    assert inverse.tolist() == [seen[repr((ones[i], twos[j]))] for i, j in pairs]


def test_many_pairs_that_differ_in_their_last_gene_only_stay_apart() -> None:
    """So many that different ones share places of the table."""
    n = 700
    rows = np.zeros((n, 5), dtype=np.int64)
    rows[:, -1] = np.arange(n)
    tag = np.zeros(n, dtype=np.int64)
    first, second = np.repeat(np.arange(n), 3), np.zeros(3 * n, dtype=np.int64)
    distinct, inverse = distinct_pairs(rows, tag, rows, tag, first, second)
    assert distinct.tolist() == list(range(0, 3 * n, 3))
    assert inverse.tolist() == first.tolist()
    distinct, inverse = distinct_pairs(rows, tag, rows, tag, second, first)
    assert distinct.tolist() == list(range(0, 3 * n, 3))
    assert inverse.tolist() == first.tolist()
