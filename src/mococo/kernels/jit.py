"""How kernels are compiled: the only place that knows numba's options."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# These three let min and max vectorise. `contract` and `reassoc` would change bits, so they stay off.
_NO_SPECIAL_VALUES = {"nnan", "ninf", "nsz"}


def _compile(function: F, **options: Any) -> F:
    try:
        return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function))
    except RuntimeError:  # numba found no folder that it may write its cache to
        return cast(F, numba.njit(error_model="numpy", nogil=True, **options)(function))


def kernel(function: F) -> F:
    """Compile a function over arrays; infinities are allowed."""
    return _compile(function)


def lanes(function: F) -> F:
    """Compile a function whose loops run over lanes; its numbers are finite."""
    return _compile(function, fastmath=_NO_SPECIAL_VALUES)


def inlined(function: F) -> F:
    """Compile a helper into its callers, so that the loop around it vectorises."""
    return cast(F, numba.njit(error_model="numpy", fastmath=_NO_SPECIAL_VALUES, forceinline=True)(function))


def why_not_compiled(error: Exception) -> str | None:
    """Numba's complaint in a sentence: what, and in which line of the source; None for any other error."""
    if not isinstance(error, numba.core.errors.NumbaError):
        return None
    lines = [line.strip() for line in str(error).splitlines()]
    reasons = [line for line in lines if line and not line.startswith(("Failed in", "File", "During"))]
    marked = [before for before, line in pairwise(lines) if line.startswith("^")]
    return reasons[0] + (f", in `{marked[0]}`" if marked else "")
