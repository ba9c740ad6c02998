"""Pareto ranks, crowding distances and the crowded comparison of NSGA-II; hypervolume.

Performance is maximised, complexity minimised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = tuple[float, float]


def assign_pareto_front_ranks(perf: Floats, comp: Floats) -> Ints:
    """perf, comp : (n,) -> ranks : (n,), 1 for the non-dominated front F_1. Equal points share a rank.

    >>> assign_pareto_front_ranks(np.array([-100.0, -120.0, -130.0]), np.array([5.0, 2.0, 3.0])).tolist()
    [1, 1, 2]
    """
    from mococo.kernels.ranking import front_ranks

    return front_ranks(perf, comp, np.lexsort((comp, -perf)))


def assign_crowding_dists(perf: Floats, comp: Floats, ranks: Ints, perf_bounds: Bounds, comp_bounds: Bounds) -> Floats:
    """(n,) distances to the neighbours in the same front, over the fixed bounds; infinity at a front's two ends."""
    crowd = np.zeros(len(perf))
    for values, (low, high) in ((perf, perf_bounds), (comp, comp_bounds)):
        order = np.lexsort((values, ranks))  # stable, front by front
        ordered, fronts = values[order], ranks[order]
        starts = np.ones(len(order), dtype=bool)
        starts[1:] = fronts[1:] != fronts[:-1]
        ends = np.ones(len(order), dtype=bool)
        ends[:-1] = starts[1:]
        if high > low:
            gaps = np.zeros(len(order))
            gaps[1:-1] = (ordered[2:] - ordered[:-2]) / (high - low)
        else:
            gaps = np.zeros(len(order))
        crowd[order] += np.where(starts | ends, np.inf, gaps)
    return crowd


def crowded_comparison_sort(ranks: Ints, crowd: Floats) -> Ints:
    """Order from best to worst: rank rising, crowding falling; stable."""
    return np.lexsort((-crowd, ranks))


def precedes(ranks: Ints, crowd: Floats, a: Ints, b: Ints) -> NDArray[np.bool_]:
    """Whether row a is strictly better than row b by the crowded comparison, for rows a, b : (n,)."""
    better: NDArray[np.bool_] = (ranks[a] < ranks[b]) | ((ranks[a] == ranks[b]) & (crowd[a] > crowd[b]))
    return better


def non_dominated(perf: Floats, comp: Floats) -> Ints:
    """Rows of one point for each distinct non-dominated pair, by rising complexity; of equal points the first.

    >>> non_dominated(np.array([-100.0, -120.0, -100.0]), np.array([5.0, 2.0, 5.0])).tolist()
    [1, 0]
    """
    order = np.lexsort((-perf, comp))
    ordered = perf[order]
    rises = np.ones(len(order), dtype=bool)
    rises[1:] = ordered[1:] > np.maximum.accumulate(ordered)[:-1]
    return order[rises]


def hypervolume(perf: Floats, comp: Floats, worst_perf: float, worst_comp: float) -> float:
    """Area between the points' front and the reference point (worst_perf, worst_comp).

    >>> hypervolume(np.array([-100.0]), np.array([5.0]), worst_perf=-200.0, worst_comp=25.0)
    2000.0
    """
    inside = (perf > worst_perf) & (comp < worst_comp)
    perf, comp = perf[inside], comp[inside]
    rows = non_dominated(perf, comp)
    widths = np.diff(np.append(comp[rows], worst_comp))
    return float(np.sum(widths * (perf[rows] - worst_perf)))
