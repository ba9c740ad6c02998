"""What Mococo needs to know of an environment."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.envs.simulator import Simulator
from mococo.errors import EnvironmentSpecError

Floats = NDArray[np.float64]
State = tuple[float, ...]
Step = Callable[[State, float], tuple[State, float, bool]]


_LEAST_RELATIVE_WIDTH = 1e-9  # below it, coordinates of sets would coincide by rounding


def _number(value: Any) -> float:
    """The value as a float; NaN if it is no number."""
    try:
        return math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < math.inf


def _check_words(what: str, words: str) -> None:
    """Refuse what would steer a terminal instead of being read in it, or cannot be written to a file."""
    if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in words):
        raise EnvironmentSpecError(f"{what} is one line of text without control characters, got {words!r}")


@dataclass(frozen=True)
class Feature:
    """A linguistic variable: a name, its domain, and the words for its two ends."""

    name: str
    low: float
    high: float
    ends: tuple[str, str] = ("Low", "High")
    crisp: bool = False
    """Whether the input is one of the whole numbers low ... high: each has a set of its own, which nothing blurs."""
    terms: tuple[tuple[str, float], ...] = ()
    """For a derived feature: names of observed features and their weights, whose sum it is."""

    @property
    def categories(self) -> int:
        """Number of values of a crisp feature."""
        return int(self.high - self.low) + 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise EnvironmentSpecError(f"a feature needs a name, got {self.name!r}")
        for words in (self.name, *self.ends):
            _check_words("a feature's name, or that of an end of its domain,", words)
        low, high = _number(self.low), _number(self.high)
        if not (math.isfinite(high - low) and low < high):
            raise EnvironmentSpecError(
                f"feature {self.name!r} needs a finite domain with low < high, so that it can be divided into sets, "
                f"got [{self.low}, {self.high}]"
            )
        if high - low < _LEAST_RELATIVE_WIDTH * max(abs(low), abs(high)):
            raise EnvironmentSpecError(f"feature {self.name!r} has a domain too narrow to divide, [{low}, {high}]")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)


@dataclass(frozen=True)
class Action:
    """What a rule may advocate: the value that the environment takes, and words for it."""

    value: int | float | str | tuple[float, ...]
    words: str

    def __post_init__(self) -> None:
        value = self.value.item() if isinstance(self.value, np.generic) else self.value
        parts = value if isinstance(value, tuple) else (value,)
        for part in parts:
            if isinstance(part, bool) or not (isinstance(part, str) or _finite(part)):
                raise EnvironmentSpecError(f"an action is a finite number, some of them, or a word, got {self.value!r}")
        object.__setattr__(self, "value", value)


@dataclass(frozen=True)
class Environment:
    """A simulator as the rollout kernels see it.

    `step(state, action)` returns the next state, the reward and whether the episode has ended; `observe(state)` what
    the policy sees. Both work on plain numbers and tuples and are compiled (see `kernels.specialise`). `draw_starts(n,
    seed)` returns (n, N_STATE) start states of fresh episodes; `training_starts(n)` those of the fixed set Z.
    """

    id: str
    features: tuple[Feature, ...]
    actions: tuple[Action, ...]
    performance_bounds: tuple[float, float]
    t_max: int
    n_state: int
    step: Step | None
    observe: Callable[[State], State] | None
    draw_starts: Callable[[int, int], Floats]
    training_starts: Callable[[int], Floats]
    gamma: float = 1.0
    continuous: bool = False
    """Whether the output is the firing-weighted mean of the action values, not the value with the most votes."""
    float32: bool = True
    """Whether observations are rounded to float32, as those of Gymnasium's classic control environments are."""
    libm: bool = False
    """Whether to compute sines, cosines and powers by the C library, as Gymnasium does, instead of by our own that
    vectorise. Where the smallest difference grows, as under an unstable pole, only then are all returns Gymnasium's."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings that suit this environment better than the paper's, by their names in `Config`. `failed` is `worst`
    unless it is given here."""
    legal_actions: tuple[float, ...] = ()
    """Every action that the simulator takes, also those that policies are not trained with; empty: any number."""
    simulator: Simulator | None = None
    """How a real environment is made, where nothing is compiled: `step` and `observe` are None then, and a start state
    is the seed of an episode's reset."""
    estimated_bounds: bool = False
    """Whether nobody knows that no policy is worse than the lower performance bound."""
    notes: tuple[str, ...] = ()
    """What was found out or chosen by itself, for the user to know."""
    why: tuple[str, ...] = ()
    """What led to the subspecies in `settings`, where they were proposed."""

    def __post_init__(self) -> None:
        _check_words("an environment's id", self.id)
        object.__setattr__(self, "settings", {"failed": "worst", **self.settings})
        low, high = self.performance_bounds
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise EnvironmentSpecError(f"{self.id}: performance bounds need low < high, got {self.performance_bounds}")
        if self.t_max < 1:
            raise EnvironmentSpecError(f"{self.id}: t_max must be at least 1 step, got {self.t_max}")
        if not 0 <= self.gamma <= 1:
            raise EnvironmentSpecError(f"{self.id}: the discount factor gamma must lie in [0, 1], got {self.gamma}")
        if (self.step is None) != (self.observe is None) or (self.step is None) == (self.simulator is None):
            raise EnvironmentSpecError(f"{self.id}: give either a step and an observe function, or a simulator")
        if not self.features or not self.actions:
            raise EnvironmentSpecError(f"{self.id}: at least one feature and one action are needed")
        if any(not feature.terms for feature in self.features[len(self.observed) :]):
            raise EnvironmentSpecError(f"{self.id}: derived features come after all observed ones")

    @property
    def action_values(self) -> Floats:
        """(k,) or, where an action is several numbers, (k, n) what the environment is given for each action."""
        return np.array([action.value for action in self.actions], dtype=np.float64)

    @property
    def functions(self) -> tuple[Step, Callable[[State], State]]:
        """`step` and `observe`; refused where the environment is not compiled."""
        if self.step is None or self.observe is None:
            raise EnvironmentSpecError(
                f"{self.id} is played for real, and nothing is known of its states but what it lets policies see; "
                f"this needs a compiled environment"
            )
        return self.step, self.observe

    @property
    def observed(self) -> tuple[Feature, ...]:
        """The features that the environment gives; the derived ones come after them."""
        return tuple(feature for feature in self.features if not feature.terms)


def clip(x: float, low: float, high: float) -> float:
    """X limited to [low, high]; in a step function this compiles to two instructions.

    >>> clip(3.0, 0.0, 1.0)
    1.0
    """
    x = max(low, x)
    return min(high, x)


def float32(x: float | np.float32) -> float:
    """X rounded to single precision, in which Gymnasium computes where actions or states are in it.

    >>> float32(0.1)
    0.10000000149011612
    """
    return 1.0 * float(np.float32(x))  # compiled, float() leaves single precision as it is; the product does not
