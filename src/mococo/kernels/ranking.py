"""Non-dominated sorting in two objectives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mococo.kernels.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def front_ranks(perf: Floats, comp: Floats, order: Ints) -> Ints:
    """Perf (more is better), comp (less is better) : (n,) -> ranks : (n,), 1 for F_1; O(n log n).

    order : (n,) sorts by falling perf, then rising comp, so that a point can only be dominated by earlier ones: the
    fronts' least complexities so far, `least`, rise from front to front and the first one above comp is its own.
    """
    n = perf.shape[0]
    ranks = np.zeros(n, np.int64)
    least = np.empty(n)
    fronts = 0
    for at in range(n):
        i = order[at]
        if at > 0:
            before = order[at - 1]
            if perf[i] == perf[before] and comp[i] == comp[before]:
                ranks[i] = ranks[before]
                continue
        low = 0
        high = fronts
        while low < high:
            middle = (low + high) // 2
            if least[middle] > comp[i]:
                high = middle
            else:
                low = middle + 1
        if low == fronts:
            fronts += 1
        least[low] = comp[i]
        ranks[i] = low + 1
    return ranks
