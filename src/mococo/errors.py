"""The tree of exceptions. Whatever a user can get wrong raises a `MococoError`; anything else is a fault of ours."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MococoError(Exception):
    """Base of all errors that a user can mend. The text says what was expected, why, what was got and what to do."""


class ConfigError(MococoError, ValueError):
    """A setting is unknown, of the wrong type or out of range."""


class EnvironmentSpecError(MococoError, ValueError):
    """An environment is unknown, or its spec is not usable."""


class PolicyError(MococoError, ValueError):
    """A policy's parts do not fit together."""


class ObservationError(MococoError, ValueError):
    """An observation has the wrong shape or is not finite."""


class UncoveredState(MococoError, LookupError):  # noqa: N818 - the paper's word for a state, not for a mistake
    """No rule fires in this state, so the policy has no action for it."""


class FileFormatError(MococoError, ValueError):
    """A file is damaged, of another kind, or of a version that this release cannot read."""


class RunError(MococoError):
    """A run's folder cannot be used as asked: it is taken, is not a run, or cannot be written."""


class UsageError(MococoError):
    """A command line cannot be understood."""


class MissingExtra(MococoError, ImportError):  # noqa: N818 - nothing is wrong, only something is not installed
    """A library that only some parts need is not installed."""


def shown(value: object, most: int = 80) -> str:
    """A value as a message quotes it: on one line, and not at any length.

    >>> shown("2x"), shown([2] * 3), shown("x" * 100, most=10)
    ("'2x'", '[2, 2, 2]', "'xxxxxx...")
    >>> shown(10**5000)
    'a number of 16610 bits'
    """
    if isinstance(value, int) and value.bit_length() > 4 * most:  # Python refuses to print the longest
        return f"a number of {value.bit_length()} bits"
    try:
        text = repr(value)
    except ValueError:  # it holds such a number
        text = f"a {type(value).__name__} with a number of thousands of digits"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or all of them when there are few.

    >>> nearest("num_gen", ["num_gens", "beta"])
    'Did you mean num_gens?'
    """
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if not close:  # capital letters are a common slip
        folded = {name.lower(): name for name in names}
        close = [folded[c] for c in difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.5)]
    if close:
        return f"Did you mean {close[0]}?"
    return f"Known: {', '.join(names)}."
