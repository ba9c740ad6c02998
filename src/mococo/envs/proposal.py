"""`--subspecies auto`: which features to look at and how finely, from what a few thousand steps show.

What a policy should look at is what its actions change: a feature scores by the share of its change over a held action
that is told by which action it was. Actions are held for up to 32 steps, so that slow effects (a position, behind its
velocity) count too.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.envs.derived import with_derived
from mococo.envs.spec import Environment, Feature
from mococo.errors import ConfigError
from mococo.subspecies import Tag, lambda_2
from mococo.workers.explore import Exploration

Floats = NDArray[np.float64]

GENES = 64
_MOST_FEATURES = 5
_MOST_TAGS = 10
_MOST_TOLD = 8  # features whose scores are told
_LOW, _SEVERAL, _MOST = 2, 3, 5  # sets of a feature: least, usual, and where there are one or two features


@dataclass(frozen=True)
class Proposal:
    """Subspecies, and what led to them in sentences."""

    tags: tuple[Tag, ...]
    why: tuple[str, ...]


def propose(env: Environment, found: Exploration, genes: int = GENES) -> Proposal:
    """Tags with rule bases of at most so many genes."""
    scores = _scores(env, found)
    ranked = sorted(range(len(scores)), key=lambda f: -scores[f])
    chosen = [f for f in ranked if scores[f] > 0][:_MOST_FEATURES] or ranked[:2]
    least = min(2, len(env.actions))
    tags = [tag for tag in _tags(env.features, chosen, genes) if least <= lambda_2(tag) <= genes]
    tags = list(dict.fromkeys(tags))[:_MOST_TAGS] or [_tag(env.features, {chosen[0]: _LOW})]
    told = ", ".join(f"{env.features[f].name} {100 * scores[f]:.0f} %" for f in ranked[:_MOST_TOLD])
    rest = len(ranked) - _MOST_TOLD
    why = (
        f"Share of a feature's change that is explained by the action: {told}"
        + (f", {rest} others less." if rest > 0 else "."),
        f"So the subspecies, with at most {genes} fuzzy subspaces each: {'; '.join(_told(env, tag) for tag in tags)}.",
    )
    return Proposal(tuple(tags), why)


def _told(env: Environment, tag: Tag) -> str:
    """The tag with the names of what it looks at."""
    return " x ".join(f"{m} {feature.name}" for m, feature in zip(tag, env.features, strict=True) if m > 1)


def _scores(env: Environment, found: Exploration) -> list[float]:
    """For each feature the share of the variance of its changes between actions, beyond what chance would give."""
    before, after = (with_derived(seen, env.features) for seen in (found.before, found.after))
    changes = after - before
    groups = [changes[found.actions == a] for a in np.unique(found.actions)]
    n, k = len(changes), len(groups)
    total = ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
    within = sum(((group - group.mean(axis=0)) ** 2).sum(axis=0) for group in groups)
    scores = []
    for f in range(changes.shape[1]):
        if total[f] <= 0 or n <= k:
            scores.append(0.0)
            continue
        share = 1 - (within[f] / (n - k)) / (total[f] / (n - 1))  # epsilon squared
        scores.append(max(0.0, round(float(share), 4)))
    return scores


def _tags(features: Sequence[Feature], chosen: Sequence[int], genes: int) -> list[Tag]:
    """From the fewest genes to the most: single features, pairs, triples, and two sets of each of more."""
    if len(chosen) <= 2:
        several = [_tag(features, dict.fromkeys(chosen, m)) for m in range(_LOW, _MOST + 1)]
        return several or [_tag(features, {chosen[0]: _LOW})]
    pairs = [_tag(features, dict.fromkeys(pair, _SEVERAL)) for pair in itertools.combinations(chosen[:3], 2)]
    triples = []
    for triple in itertools.combinations(chosen[:4], 3):
        fine = _tag(features, dict.fromkeys(triple, _SEVERAL))
        coarse = _tag(features, {f: _SEVERAL if f == triple[0] else _LOW for f in triple})
        triples.append(fine if lambda_2(fine) <= genes / 2 else coarse)
    more = [_tag(features, dict.fromkeys(chosen[:n], _LOW)) for n in range(4, len(chosen) + 1)]
    return sorted([*pairs, *triples, *more], key=lambda tag: (lambda_2(tag), tag))


def _tag(features: Sequence[Feature], sets: dict[int, int]) -> Tag:
    """A tag with these numbers of sets; crisp features have theirs, the others that are not named have one."""
    return tuple(
        1 if f not in sets else feature.categories if feature.crisp else sets[f] for f, feature in enumerate(features)
    )


def budget(text: str) -> int | None:
    """Genes of `auto` or `auto:N`; None where tags are written out.

    >>> budget("auto"), budget("auto:100"), budget("2x2")
    (64, 100, None)
    """
    head, _, number = text.strip().partition(":")
    if head != "auto":
        return None
    if not number:
        return GENES
    return int(number) if number.isdigit() else 0


def check_budget(genes: int, asked: object) -> None:
    """Refuse a budget for which there are no rules."""
    if genes < _LOW:
        raise ConfigError(f"subspecies auto:N needs a whole number of genes, {_LOW} at least, got {asked!r}")
