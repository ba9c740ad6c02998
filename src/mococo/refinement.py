"""A local search beside the paper's: neighbours of the best policies ever found, for the archive alone.

Coevolution finds where good policies are, and often leaves them with a gene that they do not need, or a set that
stands a little off. So with each generation members of the archive are changed slightly and evaluated too, and what is
not dominated joins the archive. The populations never see it, and it has random numbers of its own: F_1 stays the
paper's to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo import variation
from mococo.front import Front
from mococo.population import Population, Problem, SolutionSet

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Alleles = NDArray[np.int8]

# Of the rule bases, each of these parts loses a gene, moves one, gains one or has one changed; the others stay.
_LOSES, _MOVES, _GAINS, _CHANGES = 0.25, 0.25, 0.1, 0.15
_SETS_TOO = 0.5  # of the rule bases that changed, those whose partition changes with it
_SCALES = (-2.3, -0.5)  # of the noise on a partition: powers of ten
_FEW = 0.3  # the share of alleles that half of the partitions change; the others change all


class Refiner:
    """`algorithm.Evaluate` that evaluates neighbours of an archive in the same call, and keeps them aside."""

    def __init__(self, evaluate: Callable[[SolutionSet], Floats], problem: Problem, share: float) -> None:
        self._evaluate = evaluate
        self._problem = problem
        self._share = share

    def look_at(self, archive: Front, state: Mapping[str, Any]) -> None:
        """Take neighbours of this archive in the next call, drawn with what follows from the generator's state."""
        self._archive, self._rng = archive, generator(state)

    def __call__(self, solns: SolutionSet) -> Floats:
        """(m,) performances of the solutions alone."""
        self.near = neighbours(self._archive, self._problem, round(self._share * len(solns)), self._rng)
        perf = self._evaluate(solns | self.near if len(self.near) else solns)
        self._perf = perf[len(solns) :]
        return perf[: len(solns)]

    def answer(self, near: SolutionSet) -> Floats:
        """The performances of the neighbours in the last call, `algorithm.Evaluate` of nothing else."""
        del near
        return self._perf


def generator(state: Mapping[str, Any]) -> np.random.Generator:
    """Random numbers that follow from the state of the search's generator, and leave it as it is."""
    return np.random.default_rng(state["state"]["state"])


def neighbours(archive: Front, problem: Problem, n: int, rng: np.random.Generator) -> SolutionSet:
    """n slightly changed members, drawn alike; none where the archive has no member above the lower bound."""
    able = np.flatnonzero(archive.perf > problem.perf_bounds[0])
    rows = able[rng.integers(0, max(len(able), 1), n if len(able) else 0)]
    tag = archive.sigma[rows]
    kind = rng.random(len(rows))
    rb = _changed_rules(archive.rb[rows], tag, kind, problem, rng)
    moved = (rng.random(len(rows)) < _SETS_TOO) | (rb == archive.rb[rows]).all(axis=1)
    db = _changed_sets(archive.db[rows], tag, moved, problem, rng)
    each = np.arange(len(rows))
    return SolutionSet.unevaluated(Population.newborn(tag, db), Population.newborn(tag, rb), each, each)


def _changed_rules(rb: Alleles, tag: Ints, kind: Floats, problem: Problem, rng: np.random.Generator) -> Alleles:
    """At most one gene lost, and at most one gained or changed; never fewer than there must be."""
    k, rows = problem.n_actions, np.arange(len(rb))
    mask = variation.gene_mask(problem.rb_lengths)[tag]
    keys = rng.random((2, *mask.shape))
    held = np.where(rb > 0, keys[0], -1.0).argmax(axis=1)  # a specified gene: an archive has no empty rule base
    free = np.where(mask & (rb == 0), keys[1], -1.0).argmax(axis=1)
    gains = (kind >= _LOSES) & (kind < _LOSES + _MOVES + _GAINS) & (rb[rows, free] == 0)
    spare = np.count_nonzero(rb, axis=1) > problem.comp_bounds[0]
    loses = (kind < _LOSES + _MOVES) & (spare | gains)
    changes = (kind >= _LOSES + _MOVES + _GAINS) & (kind < _LOSES + _MOVES + _GAINS + _CHANGES)
    alleles, shifts = rng.integers(1, k, len(rb), endpoint=True), rng.integers(1, max(k, 2), len(rb))
    changed = rb.copy()
    changed[rows[loses], held[loses]] = 0
    changed[rows[gains], free[gains]] = alleles[gains]
    changed[rows[changes], held[changes]] = (rb[rows, held][changes] - 1 + shifts[changes]) % k + 1
    return changed


def _changed_sets(db: Floats, tag: Ints, moved: Any, problem: Problem, rng: np.random.Generator) -> Floats:
    """Gaussian noise of any size on some alleles or on all."""
    mask = variation.gene_mask(problem.db_lengths)[tag]
    scale = 10.0 ** rng.uniform(*_SCALES, (len(db), 1))
    part = np.where(rng.random((len(db), 1)) < 0.5, _FEW, 1.0)
    noise = rng.normal(0.0, 1.0, db.shape) * scale * (rng.random(db.shape) < part)
    return np.where(moved[:, None], variation.gaussian_mutation(db, noise, mask), db)
