"""Checks of what a policy is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mococo.config import MAX_ACTIONS, MAX_SETS
from mococo.envs.spec import Action, Feature
from mococo.errors import PolicyError, shown
from mococo.subspecies import Tag, lambda_1, lambda_2, tag_text


def plain_numbers(name: str, values: Any, kind: type[int] | type[float] = int) -> tuple[Any, ...]:
    """A sequence, or a flat array, of numbers as a tuple of Python's own; what is no number is left for the checks."""
    if not isinstance(values, Iterable):
        raise PolicyError(f"{name} must be a list of numbers, got {values!r}")
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if isinstance(values, np.ndarray) and values.dtype == bool:
        plain = [int(value) for value in plain]
    whole = [isinstance(value, int) and not isinstance(value, bool) for value in plain]
    return tuple(kind(value) if kind is float and w else value for value, w in zip(plain, whole, strict=True))


def listed(name: str, values: Any) -> Iterable[Any]:
    """The values, where they can be gone through; a text cannot, though Python would."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise PolicyError(f"{name} must be a list, got {shown(values)}")
    return values


def as_action(action: Any) -> Action:
    """An action, from its value too."""
    return action if isinstance(action, Action) else Action(action, str(action))


def as_feature(feature: Any) -> Feature:
    """A feature, from (name, low, high) too."""
    if isinstance(feature, Feature):
        return feature
    if not isinstance(feature, tuple | list) or len(feature) != 3:
        raise PolicyError(f"a feature is (name, low, high) or a Feature, got {feature!r}")
    name, low, high = feature
    return Feature(name, low, high)


def check_actions(actions: Sequence[Action], continuous: bool) -> None:
    """Refuse actions that differ in kind, so that no environment could take them all."""
    if not actions:
        raise PolicyError("a policy needs at least one feature and one action")
    if len(actions) > MAX_ACTIONS:
        raise PolicyError(f"a policy has at most {MAX_ACTIONS} actions, got {len(actions)}")
    if not isinstance(continuous, bool):
        raise PolicyError(f"continuous must be True or False, got {shown(continuous)}")
    values = [action.value for action in actions]
    sizes = [len(value) if isinstance(value, tuple) else 0 for value in values]
    odd = next((value for value, size in zip(values, sizes, strict=True) if size != sizes[0]), None)
    if odd is not None:
        raise PolicyError(f"all actions must be of as many numbers, got {odd!r} after {values[0]!r}")
    words = [value for value in values if isinstance(value, str)]
    if continuous and words:
        raise PolicyError(f"a continuous policy gives the mean of its actions, which must be numbers, got {words[0]!r}")


def check_features(tag: Tag, features: Sequence[Feature], omega: float) -> None:
    """Refuse a tag that does not fit the features, and derived features without a source."""
    if not features:
        raise PolicyError("a policy needs at least one feature and one action")
    names = [feature.name for feature in features]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PolicyError(f"each feature needs a name of its own, so that rules can be read, got {twice!r} twice")
    if isinstance(omega, bool) or not isinstance(omega, int | float) or not 0 < omega < 1:
        raise PolicyError(f"omega must lie strictly between 0 and 1, got {omega!r}")
    if len(tag) != len(features):
        raise PolicyError(f"the tag needs one number of sets for each of the {len(features)} features, got {tag}")
    given = [feature.name for feature in features if not feature.terms]
    _check_order(features, len(given))
    for m, feature in zip(tag, features, strict=True):
        if not isinstance(m, int) or isinstance(m, bool) or not 1 <= m <= MAX_SETS:
            raise PolicyError(
                f"a feature has between 2 and {MAX_SETS} fuzzy sets, or 1 where the policy does not look at it, "
                f"got {m!r} in tag {tag}"
            )
        if feature.crisp and m not in {1, feature.categories}:
            raise PolicyError(
                f"crisp feature {feature.name!r} has one set for each of its {feature.categories} values, or 1 where "
                f"the policy does not look at it, got {m!r} in tag {tag}"
            )
        for name, _ in feature.terms:
            if name not in given:
                raise PolicyError(f"derived feature {feature.name!r} uses {name!r}, which is not an observed feature")


def _check_order(features: Sequence[Feature], n_observed: int) -> None:
    late = next((f.name for f in features[n_observed:] if not f.terms), None)
    if late is not None:
        raise PolicyError(f"derived features come after all observed ones, but {late!r} follows one; put it before")


def check_genotypes(tag: Tag, db: Sequence[float], rb: Sequence[int], n_actions: int) -> None:
    """Refuse genotypes of the wrong length or with alleles that mean nothing."""
    if len(db) != lambda_1(tag):
        raise PolicyError(
            f"a DB genotype of subspecies {tag_text(tag)} has {lambda_1(tag)} alleles, one for each set, got {len(db)}"
        )
    for place in db:
        if not (isinstance(place, float) and 0 <= place <= 1):
            raise PolicyError(f"alleles of a DB genotype lie in [0, 1], got {shown(place)}")
    if len(rb) != lambda_2(tag):
        raise PolicyError(
            f"an RB genotype of subspecies {tag_text(tag)} has {lambda_2(tag)} alleles, one for each fuzzy subspace, "
            f"got {len(rb)}"
        )
    for action in rb:
        if not (isinstance(action, int) and 0 <= action <= n_actions):
            raise PolicyError(
                f"alleles of an RB genotype are 0 (unspecified) or an action's number 1 to {n_actions}, "
                f"got {shown(action)}"
            )
