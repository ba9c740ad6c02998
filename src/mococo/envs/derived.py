"""Derived features: named linear combinations, read from text without executing anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from mococo.envs.spec import Feature, Floats
from mococo.errors import EnvironmentSpecError, nearest

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?"
_NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|({_NAME})|(.))")
_HOW = "write it like lean = angle + 0.5*angular_velocity, with a domain like lean = angle - 2*x in [-1, 1] if you like"


def parse_feature(text: str, features: Sequence[Feature]) -> Feature:
    """A derived feature from `name = sum of numbers times features`, with the domain at the end or from its terms.

    >>> position, velocity = Feature("position", -1.2, 0.6), Feature("velocity", -0.07, 0.07)
    >>> parse_feature("soon = position + 10*velocity", [position, velocity]).terms
    (('position', 1.0), ('velocity', 10.0))
    >>> parse_feature("soon = position + 10*velocity in [-1, 1]", [position, velocity]).low
    -1.0
    """
    name, _, rest = text.partition("=")
    name = name.strip()
    if not re.fullmatch(_NAME, name) or not rest.strip():
        raise EnvironmentSpecError(f"a derived feature needs a name and a sum, got {text!r}; {_HOW}")
    if any(feature.name == name for feature in features):
        raise EnvironmentSpecError(f"there is a feature {name!r} already; give the derived one another name")
    total, _, domain = rest.partition(" in ")
    known = {feature.name: feature for feature in features if not feature.terms}
    terms = _terms(total, text)
    for term in terms:
        if term not in known:
            raise EnvironmentSpecError(
                f"derived feature {name!r} uses {term!r}, which is not an observed feature. {nearest(term, known)}"
            )
    low, high = _given_domain(domain, text) if domain else _summed_domain(terms, known)
    return Feature(name, low, high, terms=tuple(terms.items()))


def formula(feature: Feature) -> str:
    """The sum of a derived feature as one writes it.

    >>> formula(Feature("lean", -1, 1, terms=(("angle", 1.0), ("turn", -0.5))))
    'angle - 0.5*turn'
    """
    text = ""
    for name, weight in feature.terms:
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        text += f"{sign}{'' if abs(weight) == 1 else f'{abs(weight)!r}*'}{name}"
    return text


def _terms(total: str, text: str) -> dict[str, float]:
    """Names and weights, equal names added up."""
    tokens = [match.groups() for match in _TOKEN.finditer(total.strip())]
    found: dict[str, float] = {}
    at = 0
    while at < len(tokens):
        sign = 1.0
        if tokens[at][2] in ("+", "-"):
            sign = -1.0 if tokens[at][2] == "-" else 1.0
            at += 1
        elif at > 0:
            raise EnvironmentSpecError(f"expected + or - between the terms of {text!r}; {_HOW}")
        weight, name, at = _product(tokens, at, text)
        found[name] = found.get(name, 0.0) + sign * weight
    if not found or not all(abs(weight) > 0 for weight in found.values()):
        raise EnvironmentSpecError(f"every term of {text!r} needs a weight that is not 0; {_HOW}")
    return found


def _product(tokens: Sequence[tuple[str, ...]], at: int, text: str) -> tuple[float, str, int]:
    """`2*x`, `x*2`, `x/2` or `x` from a place on; the weight, the name, and the place behind."""
    factors = tokens[at : at + 3]
    kinds = "".join("n" if number else "x" if name else sign for number, name, sign in factors)
    if kinds[:3] == "n*x":
        return float(factors[0][0]), factors[2][1], at + 3
    if kinds[:3] == "x*n":
        return float(factors[2][0]), factors[0][1], at + 3
    if kinds[:3] == "x/n" and float(factors[2][0]) > 0:
        return 1.0 / float(factors[2][0]), factors[0][1], at + 3
    if kinds[:1] == "x" and kinds[1:2] not in ("*", "/"):
        return 1.0, factors[0][1], at + 1
    raise EnvironmentSpecError(f"expected a feature, or a number times a feature, as the terms of {text!r}; {_HOW}")


def _given_domain(text: str, whole: str) -> tuple[float, float]:
    match = re.fullmatch(r"\s*\[([^,]+),([^,]+)\]\s*", text)
    with suppress(ValueError):
        if match is not None:
            return float(match[1]), float(match[2])
    raise EnvironmentSpecError(f"expected a domain like [-1, 1] at the end of {whole!r}")


def _summed_domain(terms: dict[str, float], known: dict[str, Feature]) -> tuple[float, float]:
    """All values that the sum can take when each term stays in its own domain."""
    ends = [sorted((w * known[name].low, w * known[name].high)) for name, w in terms.items()]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def with_derived(observations: Floats, features: Sequence[Feature]) -> Floats:
    """(b, n_observed) -> (b, d): a column for each derived feature, its terms added in their order."""
    names = [feature.name for feature in features if not feature.terms]
    columns = [observations]
    for feature in features:
        if feature.terms:
            total = np.zeros(len(observations))
            for name, weight in feature.terms:
                total += weight * observations[:, names.index(name)]
            columns.append(total[:, None])
    return np.concatenate(columns, axis=1) if len(columns) > 1 else observations
