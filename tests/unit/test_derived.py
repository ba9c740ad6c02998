"""Derived features: sums of observed ones, read from text."""

from __future__ import annotations

import numpy as np
import pytest

from mococo.envs.derived import formula, parse_feature, with_derived
from mococo.envs.spec import Feature
from mococo.errors import EnvironmentSpecError

X, Y = Feature("x", -1.0, 2.0), Feature("y", 0.0, 10.0)


@pytest.mark.parametrize(
    ("text", "terms", "domain"),
    [
        ("s = x + 0.5*y", (("x", 1.0), ("y", 0.5)), (-1.0, 7.0)),
        ("s = -x - y/4", (("x", -1.0), ("y", -0.25)), (-4.5, 1.0)),
        ("s=x*2-1e-1*y", (("x", 2.0), ("y", -0.1)), (-3.0, 4.0)),
        ("s = x + x", (("x", 2.0),), (-2.0, 4.0)),
        ("s = x + y in [-3, 0.5]", (("x", 1.0), ("y", 1.0)), (-3.0, 0.5)),
    ],
)
def test_a_sum_is_read_with_its_domain(
    text: str, terms: tuple[tuple[str, float], ...], domain: tuple[float, float]
) -> None:
    found = parse_feature(text, [X, Y])
    assert (found.name, found.terms, (found.low, found.high)) == ("s", terms, pytest.approx(domain))
    assert parse_feature(f"s = {formula(found)}", [X, Y]).terms == terms


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x + y", "a derived feature needs a name and a sum"),
        ("x = y", "there is a feature 'x' already"),
        ("s = z", "uses 'z', which is not an observed feature. Known: x, y"),
        ("s = x y", r"expected \+ or - between the terms"),
        ("s = x*y", "expected a feature, or a number times a feature"),
        ("s = 3", "expected a feature, or a number times a feature"),
        ("s = x + 0*y", "needs a weight that is not 0"),
        ("s = x - x", "needs a weight that is not 0"),
        ("s = x/0", "expected a feature, or a number times a feature"),
        ("s = __import__('os')", "expected"),
        ("s = x in [1]", r"expected a domain like \[-1, 1\] at the end"),
        ("s = x in [2, 1]", "finite domain with low < high"),
        ("s = 1e999*x", "finite domain"),
    ],
)
def test_anything_else_is_refused(text: str, told: str) -> None:
    with pytest.raises(EnvironmentSpecError, match=told):
        parse_feature(text, [X, Y])


def test_columns_are_added_in_the_order_of_the_features() -> None:
    s, t = parse_feature("s = x + 0.5*y", [X, Y]), parse_feature("t = y - x", [X, Y])
    seen = np.array([[1.0, 4.0], [0.0, 2.0]])
    assert with_derived(seen, [X, Y, s, t]).tolist() == [[1.0, 4.0, 3.0, 3.0], [0.0, 2.0, 1.0, 2.0]]
