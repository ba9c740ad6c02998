"""Gymnasium's spaces to features and actions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mococo.envs.spec import Action
from mococo.errors import EnvironmentSpecError

if TYPE_CHECKING:
    from gymnasium import Space

MOST_NUMBERS = 256  # of an observation; more than a person could look at
MOST_ACTIONS = 100
MOST_VALUES = 16  # of a crisp feature: as many sets as a feature may have
_ENDLESS = 1e6  # bounds that are larger say no more than infinity
_GRID = (-1.0, -0.3, 0.0, 0.3, 1.0)  # of one number, as parts of its half range: fine where it is near the middle
_COARSE = (-1.0, 0.0, 1.0)  # of each of two or three
_MOST_DIMS = 3  # of a grid over all combinations; beyond, one number at a time leaves the middle

Draft = tuple[str, float, float, bool]
"""A feature's name, its bounds (perhaps infinite), and whether it is crisp."""


def observed_numbers(space: Space[Any], name: str) -> list[Draft]:
    """What a space's observations consist of, after Gymnasium's flattening of Dict and Tuple."""
    drafts = list(_numbers(space, ""))
    if len(drafts) > MOST_NUMBERS:
        raise _image(name, f"{len(drafts)} numbers")
    return drafts


def _numbers(space: Space[Any], prefix: str) -> Sequence[Draft]:
    from gymnasium import spaces

    if isinstance(space, spaces.Dict | spaces.Tuple):
        members = space.spaces.items() if isinstance(space, spaces.Dict) else enumerate(space.spaces)
        return [draft for key, inner in members for draft in _flattened(inner, _word(prefix, key))]
    if isinstance(space, spaces.Discrete):
        first, last = int(space.start), int(space.start + space.n - 1)
        return [(prefix or "state", first, last, bool(space.n <= MOST_VALUES))]
    if isinstance(space, spaces.MultiBinary):
        return [(_place(prefix, i, space.shape), 0.0, 1.0, True) for i in np.ndindex(space.shape)]
    if isinstance(space, spaces.MultiDiscrete):
        start, n = np.asarray(space.start), np.asarray(space.nvec)
        return [
            (_place(prefix, i, space.shape), float(start[i]), float(start[i] + n[i] - 1), bool(n[i] <= MOST_VALUES))
            for i in np.ndindex(n.shape)
        ]
    if isinstance(space, spaces.Box):
        if space.dtype == np.uint8 and len(space.shape) > 1:
            raise _image(prefix or "the observation", f"shape {space.shape}, {space.dtype}")
        if math.prod(space.shape) > MOST_NUMBERS:
            raise _image(prefix or "the observation", f"shape {space.shape}")
        return [
            (_place(prefix, i, space.shape), _short(float(space.low[i])), _short(float(space.high[i])), False)
            for i in np.ndindex(space.shape)
        ]
    raise EnvironmentSpecError(
        f"observations of {prefix or 'this environment'} are {type(space).__name__}; Mococo reads Box, Discrete, "
        f"MultiBinary, MultiDiscrete, and Dict and Tuple of these: wrap the environment so that it gives numbers"
    )


def _flattened(space: Space[Any], name: str) -> Sequence[Draft]:
    """As `_numbers`, but whole numbers inside of a Dict or Tuple arrive as one bit for each value."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return [(f"{name}_{int(space.start) + i}", 0.0, 1.0, True) for i in range(int(space.n))]
    if isinstance(space, spaces.MultiDiscrete):
        n = np.asarray(space.nvec).ravel()
        return [(f"{name}_{i}_{value}", 0.0, 1.0, True) for i in range(len(n)) for value in range(int(n[i]))]
    return _numbers(space, name)


def _word(prefix: str, key: object) -> str:
    """A name that a formula may use."""
    word = "".join(c if c.isalnum() else "_" for c in str(key))
    if not prefix:
        return word if word[:1].isalpha() else f"x{word}"
    return f"{prefix}_{word}"


def _place(prefix: str, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    numbers = "_".join(str(i) for i in index)
    if not prefix:
        return f"x{numbers}"
    return prefix if math.prod(shape) == 1 else f"{prefix}_{numbers}"


def _short(x: float) -> float:
    """A bound as its author wrote it, before it was rounded to float32."""
    return float(f"{x:.6g}") + 0.0


def _image(what: str, got: str) -> EnvironmentSpecError:
    return EnvironmentSpecError(
        f"{what} looks like an image ({got}), and rules about pixels tell a person nothing; choose the environment's "
        f"version with numbers as observations, or wrap it with gymnasium.wrappers.TransformObservation so that it "
        f"gives at most {MOST_NUMBERS} numbers that have a meaning"
    )


def endless(low: float, high: float) -> bool:
    """Whether bounds do not tell where values lie."""
    return not (abs(low) < _ENDLESS and abs(high) < _ENDLESS)


def chosen_actions(space: Space[Any], name: str) -> tuple[tuple[Action, ...], bool]:
    """The actions that rules may advocate, and whether the output is their weighted mean."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        values = range(int(space.start), int(space.start + space.n))
        _check_number(len(values), name)
        return tuple(Action(value, f"action {value}") for value in values), False
    if isinstance(space, spaces.MultiBinary | spaces.MultiDiscrete):
        ranges = _ranges(space)
        _check_number(math.prod(len(r) for r in ranges), name)
        return tuple(Action(tuple(v), f"action {_told(v)}") for v in itertools.product(*ranges)), False
    if isinstance(space, spaces.Box):
        return tuple(Action(_plain(v), f"output {_told(v)}") for v in _grid(space, name)), True
    raise EnvironmentSpecError(
        f"{name} takes actions from a {type(space).__name__}; Mococo gives Discrete, MultiDiscrete, MultiBinary and Box"
    )


def _ranges(space: Any) -> list[range]:
    from gymnasium import spaces

    if isinstance(space, spaces.MultiBinary):
        return [range(2)] * math.prod(space.shape)
    first, n = np.ravel(space.start), np.ravel(space.nvec)
    return [range(int(a), int(a + m)) for a, m in zip(first, n, strict=True)]


def _check_number(n: int, name: str) -> None:
    if n > MOST_ACTIONS:
        raise EnvironmentSpecError(
            f"{name} has {n} actions, more than the {MOST_ACTIONS} that rules may choose from; wrap it with "
            f"gymnasium.wrappers.TransformAction so that it has fewer"
        )


def _grid(space: Any, name: str) -> list[tuple[float, ...]]:
    """Values about the middle of each number's range."""
    low, high = np.ravel(space.low).astype(float), np.ravel(space.high).astype(float)
    if endless(float(low.min()), float(high.max())):
        raise EnvironmentSpecError(
            f"{name} takes actions without bounds, so there is no telling which values to try; give some, for example "
            f'--actions "-1, 0, 1"'
        )
    middle, half = (low + high) / 2, (high - low) / 2
    n = len(low)
    if n <= _MOST_DIMS:
        parts = list(itertools.product(_GRID if n == 1 else _COARSE, repeat=n))
    else:
        parts = [tuple(s * (i == j) for i in range(n)) for j in range(n) for s in (-1.0, 1.0)]
        parts.insert(len(parts) // 2, (0.0,) * n)
    return [tuple(float(f"{x:.6g}") for x in middle + half * np.array(part)) for part in parts]


def _plain(values: tuple[float, ...]) -> float | tuple[float, ...]:
    return values[0] if len(values) == 1 else values


def _told(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
