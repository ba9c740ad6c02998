"""Sine and cosine as branch-free polynomials.

They vectorise, which libm's do not, and use no contraction or reassociation, so every machine gets the same bits.
An environment's step function that calls `math.cos` is compiled with these instead (see `mococo.specialise`); the other
functions of `math` keep their meaning.
"""

from __future__ import annotations

from math import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ceil,
    copysign,
    cosh,
    degrees,
    e,
    erf,
    exp,
    expm1,
    fabs,
    floor,
    fmod,
    gamma,
    hypot,
    inf,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    nan,
    pi,
    pow,  # noqa: A004 - a user's step function may call math.pow
    radians,
    sinh,
    sqrt,
    tan,
    tanh,
    tau,
    trunc,
)  # fmt: skip
from typing import Any

import numpy as np

from mococo.kernels.jit import inlined

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "degrees",
    "e",
    "erf",
    "exp",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "gamma",
    "hypot",
    "inf",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "nan",
    "pi",
    "pow",
    "radians",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tau",
    "trunc",
]  # fmt: skip

# pi in three parts (Cody and Waite): the first two have 33 bits, so their products with a small integer are exact.
PI_1 = float.fromhex("0x1.921fb544p+1")
PI_2 = float.fromhex("0x1.0b4611a6p-33")
PI_3 = float.fromhex("0x1.3198a2e037073p-68")
ONE_OVER_PI = 0.318309886183790671538

# sin(r) = r + r^3 * P(r^2) on [-pi/2, pi/2]. P interpolates (sin(r) / r - 1) / r^2 at the eight Chebyshev nodes of the
# interval; computed with 50 digits. Largest error 2.2e-16; 86 % of the values are those of libm to the last bit.
S1 = float.fromhex("-0x1.5555555555555p-3")
S2 = float.fromhex("0x1.1111111111107p-7")
S3 = float.fromhex("-0x1.a01a01a018aaap-13")
S4 = float.fromhex("0x1.71de3a54564dfp-19")
S5 = float.fromhex("-0x1.ae6455a1c0795p-26")
S6 = float.fromhex("0x1.612401540ed0fp-33")
S7 = float.fromhex("-0x1.ae51366b753a9p-41")
S8 = float.fromhex("0x1.89a43bea5b135p-49")


@inlined
def _sin_of_reduced(y: Any, multiple: Any) -> Any:
    r = ((y - multiple * PI_1) - multiple * PI_2) - multiple * PI_3
    z = r * r
    return r + r * z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * (S6 + z * (S7 + z * S8)))))))


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
