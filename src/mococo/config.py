"""Settings, under the paper's hyperparameter names, checked once when they are made."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from mococo.errors import ConfigError, nearest, shown
from mococo.subspecies import Tag, lambda_2, tag_text

MAX_SETS = 16  # sets on one feature; more could not be named, let alone read
MAX_ACTIONS = 100  # alleles are kept in bytes, and no reader follows more
MAX_GENES = 65_536  # genes of one rule base
MAX_GENS = 1_000_000  # a line in events.jsonl for each
MAX_COUNT = 10_000_000  # individuals or start states; more would not fit into memory

FAILED = ("counted", "worst")
PAPER_SUBSPECIES: tuple[Tag, ...] = ((2, 2), (3, 3), (4, 4), (5, 5))


class _NamesSettings(msgspec.StructMeta):
    """Lets `Config(num_gen=3)` say which setting may have been meant."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - of a metaclass
        for name in kwargs:
            if name not in cls.__struct_fields__:
                raise ConfigError(f"unknown setting {name!r}. {nearest(name, cls.__struct_fields__)}")
        return super().__call__(*args, **{name: plain(value) for name, value in kwargs.items()})


class Config(msgspec.Struct, metaclass=_NamesSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hyperparameters of Fuzzy MoCoCo. The defaults are the paper's for Mountain Car (section 7).

    >>> Config(num_gens=10).db_pop_size
    300
    >>> Config(beta=0.5)
    Traceback (most recent call last):
    ...
    mococo.errors.ConfigError: beta must be a finite number >= 1 (1 shares the search equally), got 0.5
    """

    subspecies: tuple[Tag, ...] = PAPER_SUBSPECIES
    """Sigma: for each subspecies, how many fuzzy sets every feature has."""
    num_gens: int = 50
    """numGens: how many generations are evaluated."""
    db_pop_size: int = 300
    """dbPopSize: individuals in the population of fuzzy partitions (even)."""
    rb_pop_size: int = 600
    """rbPopSize: individuals in the population of rule bases (even)."""
    beta: float = 1.125
    """beta: how much more of the search longer genotypes get; 1 gives every subspecies the same."""
    omega: float = 0.75
    """omega: the middle part of each subdomain in which a reference coordinate may lie."""
    rb_p_unspec: float = 0.1
    """rbPUnspec: probability that an allele of a new rule base is unspecified."""
    db_p_cross: float = 0.75
    """dbPCross: probability of line recombination of a pair of parents."""
    db_mut_sigma: float = 0.02
    """dbMutSigma: standard deviation of the Gaussian mutation."""
    rb_p_cross: float = 0.25
    """rbPCross: probability, per allele, that uniform crossover swaps it."""
    rb_p_mut: float = 0.05
    """rbPMut: probability, per allele, of a flip mutation."""
    eta: int = 30
    """eta: number of start states over which the performance is the mean return."""
    min_complexity: int = 0
    """The least number of specified alleles; 0 stands for the number of actions, as in the paper."""
    failed: str = "counted"
    """How a policy at the lower performance bound is ranked: `counted`, with its own complexity, as in the paper; or
    `worst`, with one above the maximum, so that the smallest failing policies do not crowd the front."""
    refine: float = 0.0
    """Evaluations of neighbours of the archive's policies besides, as a share of each generation's own. Only the
    archive gains by them: F_1 stays what it is."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "subspecies", _check_subspecies(self.subspecies))
        for name in ("db_pop_size", "rb_pop_size"):
            size = _whole(name, getattr(self, name), 2, "breeding adds children in pairs")
            if size % 2:
                raise ConfigError(
                    f"{name} must be an even number >= 2, because breeding adds children in pairs, got {size}; "
                    f"use {size - 1 if size > 2 else 2} or {size + 1}"
                )
        _whole("num_gens", self.num_gens, 1, "generation 0 is always evaluated", MAX_GENS)
        _whole("eta", self.eta, 1, "a performance is a mean over start states")
        for name, (fits, what) in _REALS.items():
            value = _real(getattr(self, name))
            if not fits(value):
                raise ConfigError(f"{name} must {what}, got {shown(getattr(self, name))}")
            # Whole numbers too become floats, so that equal settings are saved as equal text.
            msgspec.structs.force_setattr(self, name, value)
        _whole("min_complexity", self.min_complexity, 0, "0 stands for the number of actions")
        if self.failed not in FAILED:
            raise ConfigError(f"failed must be {' or '.join(FAILED)}, got {shown(self.failed)}")

    def check_for(self, n_features: int, n_actions: int) -> None:
        """Refuse subspecies that do not fit an environment with this many features and actions."""
        if n_actions > MAX_ACTIONS:
            raise ConfigError(f"an environment may have at most {MAX_ACTIONS} actions to choose from, got {n_actions}")
        for tag in self.subspecies:
            if len(tag) != n_features:
                raise ConfigError(
                    f"a subspecies tag needs one number of sets for each of the {n_features} features, "
                    f"got {tag_text(tag)} with {len(tag)}"
                )
            least = self.min_complexity or n_actions
            if lambda_2(tag) < least:
                why = "min_complexity" if self.min_complexity else "one rule per action"
                raise ConfigError(
                    f"a rule base needs room for {least} specified alleles ({why}), but subspecies {tag_text(tag)} "
                    f"has only {lambda_2(tag)} fuzzy subspaces; use more sets or set a smaller min_complexity"
                )


def make_config(settings: Mapping[str, Any], base: Config | None = None) -> Config:
    """Settings by name over a base; an unknown name is refused with the nearest known one.

    >>> make_config({"num_gens": 3}).num_gens
    3
    >>> make_config({"num_gen": 3})
    Traceback (most recent call last):
    ...
    mococo.errors.ConfigError: unknown setting 'num_gen'. Did you mean num_gens?
    """
    known = Config.__struct_fields__
    for name in settings:
        if name not in known:
            raise ConfigError(f"unknown setting {shown(name)}. {nearest(name, known)}")
    values = dict(msgspec.structs.asdict(base or Config()))
    for name, value in settings.items():
        if name == "subspecies":
            values[name] = parse_subspecies(value) if isinstance(value, str) else value
        else:
            values[name] = _typed(name, plain(value))
    return Config(**values)


def plain(value: Any) -> Any:
    """Numbers of other libraries, as `numpy.arange` gives them, as Python's own; everything else as it is.

    >>> import numpy as np
    >>> plain(np.int64(3)), plain("3")
    (3, '3')
    """
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else value


def parse_subspecies(text: str) -> tuple[Tag, ...]:
    """Tags from one string.

    >>> parse_subspecies("2x2,3x3")
    ((2, 2), (3, 3))
    """
    tags = []
    for part in text.split(","):
        if not re.fullmatch(r"\s*\d{1,9}(\s*x\s*\d{1,9})*\s*", part):
            raise ConfigError(
                f"subspecies must be written like 2x2,3x3 (sets of each feature), got {shown(part.strip())}"
            )
        tags.append(tuple(int(m) for m in part.split("x")))
    return tuple(tags)


def _typed(name: str, value: object) -> object:
    """Whole floats may stand for integers and the reverse; a text or a flag may not stand for a number."""
    if isinstance(getattr(Config(), name), str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "a number" if name in _REALS else "a whole number"
        raise ConfigError(f"{name} must be {kind}, got {shown(value)}")
    return int(value) if isinstance(value, float) and value.is_integer() and name not in _REALS else value


def _real(value: object) -> float:
    """The number as a float; NaN for what is none, or fits none. Minus zero, which numpy refuses, is zero."""
    try:
        return 0.0 + value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


_PROBABILITY = (lambda p: 0 <= p <= 1, "be a probability between 0 and 1")
_REALS: dict[str, tuple[Callable[[float], bool], str]] = {
    "beta": (lambda beta: 1 <= beta < math.inf, "be a finite number >= 1 (1 shares the search equally)"),
    "omega": (lambda omega: 0 < omega < 1, "lie strictly between 0 and 1, so that neighbouring sets stay apart"),
    "rb_p_unspec": _PROBABILITY,
    "db_p_cross": _PROBABILITY,
    "db_mut_sigma": (lambda sigma: 0 <= sigma < math.inf, "be a finite standard deviation >= 0"),
    "rb_p_cross": _PROBABILITY,
    "rb_p_mut": _PROBABILITY,
    "refine": (lambda share: 0 <= share <= 1, "be a share between 0 and 1"),
}


def _whole(name: str, value: object, least: int, why: str, most: int = MAX_COUNT) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name} must be a whole number >= {least}, because {why}, got {shown(value)}")
    if value > most:
        limit = "what it writes could not be read back" if most == MAX_GENS else "more would not fit into memory"
        raise ConfigError(f"{name} must be at most {most:,}, because {limit}, got {shown(value)}")
    return value


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0


def _check_subspecies(subspecies: Sequence[Sequence[int]]) -> tuple[Tag, ...]:
    if not _is_list(subspecies):
        raise ConfigError(f"subspecies must be a non-empty list of tags such as (2, 2), got {shown(subspecies)}")
    tags: list[Tag] = []
    for place, tag in enumerate(subspecies):
        try:
            tags.append(_check_tag(tag, tags))
        except ConfigError as error:
            raise ConfigError(f"subspecies[{place}]: {error}") from None
    return tuple(tags)


def _check_tag(tag: Sequence[int], others: Sequence[Tag]) -> Tag:
    if not _is_list(tag):
        raise ConfigError(f"a subspecies tag must be a list of set counts such as (2, 2), got {shown(tag)}")
    tag = [plain(m) for m in tag]
    for m in tag:
        if not isinstance(m, int) or isinstance(m, bool) or not 1 <= m <= MAX_SETS:
            raise ConfigError(
                f"a feature has between 2 and {MAX_SETS} fuzzy sets, or 1 where policies do not look at it, "
                f"got {shown(m)} in subspecies tag {shown(tuple(tag))}"
            )
    checked = tuple(tag)
    if lambda_2(checked) == 1:
        raise ConfigError(f"a subspecies must look at one feature at least, got {shown(checked)}")
    if lambda_2(checked) > MAX_GENES:
        raise ConfigError(f"subspecies {tag_text(checked)} has {lambda_2(checked)} genes, more than {MAX_GENES}")
    if others and len(checked) != len(others[0]):
        raise ConfigError(
            f"all subspecies tags must have the same number of features, got {shown(checked)} after {others[0]}"
        )
    if checked in others:
        raise ConfigError(f"subspecies {tag_text(checked)} is listed twice")
    return checked
