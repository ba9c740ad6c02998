"""What a map of a policy is over: two features, how far it reaches, and where the other features are meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.analysis.trajectories import Episode
from mococo.errors import ConfigError, nearest
from mococo.policy import Policy
from mococo.report import style

Floats = NDArray[np.float64]

_MOST_STATES = 64  # as many visited states stand for all


@dataclass(frozen=True, eq=False)
class Plane:
    """Features x and y with their spans. rest : (n, d) the inputs that give the other features their values.

    With one row they are fixed; with more, a map averages over the rows.
    """

    x: int
    y: int
    spans: tuple[tuple[float, float], tuple[float, float]]
    rest: Floats
    words: str
    """Where the other features are, for a title; empty where the policy looks at no others."""


def plane(
    policy: Policy,
    over: Sequence[str],
    at: Mapping[str, float],
    episodes: Sequence[Episode],
    *,
    marginal: bool,
) -> Plane:
    """The plane of two features by name, by default the first two that the policy looks at."""
    x, y = _axes(policy, over)
    given = _given(policy, (x, y), at)
    others = [f for f in style.used_features(policy) if f not in (x, y)]
    if marginal:
        rest = _visited(episodes, others, given)
        free = [policy.features[f].name for f in others if f not in given]
        fixed = _told(policy, [f for f in others if f in given], rest[0])
        what = "mean output" if policy.continuous else "what is taken most often"
        states = f"{what} over {len(rest)} visited values of {', '.join(free)}" if free else ""
        words = "; ".join(filter(None, [states, fixed and f"at {fixed}"]))
    else:
        rest = _usual(policy, episodes, given)
        fixed = _told(policy, others, rest[0])
        words = f"at {fixed}" if fixed else ""
    return Plane(x, y, (_span(policy, x, episodes), _span(policy, y, episodes)), rest, words)


def _axes(policy: Policy, over: Sequence[str]) -> tuple[int, int]:
    names = [feature.name for feature in policy.features]
    for name in over:
        if name not in names:
            raise ConfigError(f"the policy has no feature {name!r}. {nearest(name, names)}")
    chosen = [names.index(name) for name in over]
    chosen += [f for f in [*style.used_features(policy), *range(len(names))] if f not in chosen]
    chosen = list(dict.fromkeys(chosen))
    if len(chosen) < 2 or len(over) not in {0, 2} or len(set(over)) != len(over):
        raise ConfigError(f"a map needs two different features, got {', '.join(over) or ', '.join(names)}")
    return chosen[0], chosen[1]


def _given(policy: Policy, axes: tuple[int, int], at: Mapping[str, float]) -> dict[int, float]:
    names = [feature.name for feature in policy.features]
    for name, value in at.items():
        if name not in names or names.index(name) in axes:
            free = [other for f, other in enumerate(names) if f not in axes]
            raise ConfigError(
                f"{name!r} cannot be fixed: it is an axis of the map or no feature. {nearest(name, free)}"
            )
        if not np.isfinite(value):
            raise ConfigError(f"{name!r} must be fixed at a finite number, got {value!r}")
    return {names.index(name): float(value) for name, value in at.items()}


def _usual(policy: Policy, episodes: Sequence[Episode], given: Mapping[int, float]) -> Floats:
    """(1, d) a value for each feature; those of the axes do not matter."""
    if episodes:
        usual = np.median(np.concatenate([episode.inputs for episode in episodes]), axis=0)
    else:
        usual = np.array([(feature.low + feature.high) / 2 for feature in policy.features], dtype=np.float64)
    usual[list(given)] = list(given.values())
    row: Floats = usual[None, :]
    return row


def _visited(episodes: Sequence[Episode], others: Sequence[int], given: Mapping[int, float]) -> Floats:
    """(n, d) inputs that the episodes met, evenly along them; each combination of the others' values once."""
    if not episodes:
        raise ConfigError("a map over visited states needs episodes: their states are what it averages over")
    seen = np.concatenate([episode.inputs for episode in episodes])
    seen[:, list(given)] = list(given.values())
    rows: Floats = seen[np.linspace(0, len(seen) - 1, min(len(seen), _MOST_STATES)).round().astype(int)]
    free = [f for f in others if f not in given]
    return rows[: None if free else 1]


def _told(policy: Policy, features: Sequence[int], values: Floats) -> str:
    return ", ".join(f"{policy.features[f].name} = {values[f]:.3g}" for f in features)


def _span(policy: Policy, f: int, episodes: Sequence[Episode]) -> tuple[float, float]:
    """The feature's domain, and the episodes' inputs where they leave it: the outer sets stay true there."""
    feature = policy.features[f]
    seen = [episode.inputs[:, f] for episode in episodes]
    return (
        min([feature.low, *(float(xs.min()) for xs in seen)]),
        max([feature.high, *(float(xs.max()) for xs in seen)]),
    )
