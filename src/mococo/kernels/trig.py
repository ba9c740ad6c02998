"""Sine and cosine as branch-free polynomials.

They vectorise, which libm's do not, and use no contraction or reassociation, so every machine gets the same bits.
An environment's step function that calls `math.cos` is compiled with these instead (see `mococo.specialise`); the other
functions of `math` keep their meaning.
"""

from __future__ import annotations

from math import acos, asin, atan, atan2, ceil, e, exp, fabs, floor, hypot, log, pi, pow, sqrt, tan, tanh  # noqa: A004
from typing import Any

import numpy as np

from mococo.kernels.jit import inlined

__all__ = [
    "acos", "asin", "atan", "atan2", "ceil", "cos", "e", "exp", "fabs", "floor", "hypot", "log", "pi", "pow", "sin",
    "sqrt", "tan", "tanh",
]  # fmt: skip

# pi in three parts (Cody and Waite): the first two have 33 bits, so their products with a small integer are exact.
PI_1 = float.fromhex("0x1.921fb544p+1")
PI_2 = float.fromhex("0x1.0b4611a6p-33")
PI_3 = float.fromhex("0x1.3198a2e037073p-68")
ONE_OVER_PI = 0.318309886183790671538

# sin(r) = r + r^3 * P(r^2) on [-pi/2, pi/2]; the usual minimax coefficients, as in fdlibm.
S1 = -1.66666666666666324348e-01
S2 = 8.33333333332248946124e-03
S3 = -1.98412698298579493134e-04
S4 = 2.75573137070700676789e-06
S5 = -2.50507602534068634195e-08
S6 = 1.58969099521155010221e-10


@inlined
def _sin_of_reduced(y: Any, multiple: Any) -> Any:
    r = ((y - multiple * PI_1) - multiple * PI_2) - multiple * PI_3
    z = r * r
    return r + r * z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))))


@inlined
def cos(y: Any) -> Any:
    """cos(y) = (-1)^(q+1) sin(y - (q + 1/2) pi), with q + 1/2 the half-odd number nearest to y / pi."""
    q = np.rint(y * ONE_OVER_PI - 0.5)
    odd = q - 2.0 * np.floor(q * 0.5)
    return _sin_of_reduced(y, q + 0.5) * (2.0 * odd - 1.0)


@inlined
def sin(y: Any) -> Any:
    """sin(y) = (-1)^q sin(y - q pi), with q the whole number nearest to y / pi."""
    q = np.rint(y * ONE_OVER_PI)
    odd = q - 2.0 * np.floor(q * 0.5)
    return _sin_of_reduced(y, q) * (1.0 - 2.0 * odd)
