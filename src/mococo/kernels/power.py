"""Powers as Python computes them: by the C library's `pow`.

A compiler makes a product of `x ** 2`. The C library rounds one square in a thousand otherwise, and so does whoever
calls it: Python's numbers, numpy's, and with them Gymnasium. In a function that is compiled with the C library's
functions (see `mococo.specialise`) powers to a written-out exponent become calls of `power`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload


def power(x: Any, exponent: float) -> Any:
    """X ** exponent, in the precision of x."""
    return x**exponent


@overload(power)
def _power(x: Any, exponent: Any) -> Callable[..., Any]:  # noqa: ARG001 - numba passes its arguments by name
    library: Any = _by_the_c_library  # numba puts its first argument in

    def of_real(x: Any, exponent: Any) -> Any:
        return library(x, exponent)

    def of_whole(x: Any, exponent: Any) -> Any:
        return x**exponent

    return of_real if isinstance(x, types.Float) else of_whole


@intrinsic
def _by_the_c_library(_context: Any, x: Any, exponent: Any) -> Any:  # noqa: ARG001 - likewise
    """A call that the compiler must not replace: it takes pow(x, 2) for a product where it knows what pow is."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        kind = args[0].type
        name = "powf" if x == types.float32 else "pow"
        insert: Any = cgutils.get_or_insert_function
        function = insert(builder.module, ir.FunctionType(kind, [kind, kind]), name)
        for attribute in ("nobuiltin", "nounwind", "readnone"):
            function.attributes.add(attribute)
        return builder.call(function, args)

    return x(x, x), generate
