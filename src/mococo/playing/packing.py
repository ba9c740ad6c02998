"""Decoded genotypes to what `kernels.single` reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Feature
from mococo.rollout import Batch
from mococo.workers.messages import PackedPolicy


class Packer:
    """Packs the policies of a batch for one environment."""

    def __init__(self, batch: Batch, features: Sequence[Feature], *, continuous: bool) -> None:
        self._batch = batch
        self._values = batch.values.reshape(len(batch.values), -1)
        self._n_dims = self._values.shape[1] if continuous else 0
        observed = [feature.name for feature in features if not feature.terms]
        derived = [feature.terms for feature in features if feature.terms]
        self._counts = [len(observed), len(derived)]
        self._terms = [n for terms in derived for n in (len(terms), *(observed.index(name) for name, _ in terms))]
        self._weights = [weight for terms in derived for _, weight in terms]

    def policy(self, row: int) -> PackedPolicy:
        """One row of the batch's pairs."""
        batch, (b, r) = self._batch, self._batch.pairs[row]
        sets = batch.partitions.sets[b]
        used = np.flatnonzero(sets > 1)
        first, n = batch.rules.begin[r], int(batch.rules.count[r])
        rules = np.column_stack([batch.rules.actions[first : first + n], batch.rules.masks[first : first + n][:, used]])
        head = [*self._counts, len(used), n, len(self._values), self._n_dims]
        knots: list[NDArray[np.float64]] = []
        for f in used:
            knots += [batch.partitions.refs[b, f, : sets[f]], batch.partitions.slopes[b, f, : sets[f]]]
        features = np.column_stack([used, sets[used]])
        ints = [np.array([*head, *self._terms], np.int64), features.ravel(), rules.ravel(), np.zeros_like(used)]
        floats = [np.array(self._weights, np.float64), *knots, self._values.ravel()]
        return PackedPolicy(np.concatenate(ints), np.concatenate(floats), self._values)
