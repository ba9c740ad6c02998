"""Rollouts of decoded policies on a compiled environment, in threads of this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from mococo.decoding import Partitions, RuleBases
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, EnvironmentSpecError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KNOTS = (5, 8, 16)  # sizes for which kernels are compiled: the least that holds the largest partition
_CHUNKS_PER_THREAD = 16  # so that no thread waits long for the last


@dataclass(frozen=True)
class Batch:
    """n pairs of decoded genotypes. pairs : (n, 2) rows of both; values : (k,) the environment's actions."""

    pairs: Ints
    partitions: Partitions
    rules: RuleBases
    values: Floats


def check_threads(threads: int | None) -> int:
    """The number of threads, by default one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ConfigError(f"threads must be a whole number >= 1, got {threads!r}")
    return threads


def knots_for(most_sets: int) -> int:
    """Size of the compiled partitions."""
    return next(size for size in _KNOTS if size >= most_sets)


def compiled(env: Environment, knots: int, libm: bool = False) -> ModuleType:
    """The rollout kernels of an environment."""
    from mococo.specialise import NotCompilable, Slots, specialised

    slots = Slots(
        name=env.id,
        step=env.step,
        observe=env.observe,
        n_state=env.n_state,
        n_observed=len(env.features),
        knots=knots,
        float32=env.float32,
        libm=libm,
    )
    try:
        return specialised(slots)
    except NotCompilable as error:
        raise EnvironmentSpecError(f"{env.id} cannot be compiled: {error}") from None


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads are kept, because starting them takes as long as a hundred rollouts. They sleep when idle."""
    return ThreadPoolExecutor(threads, thread_name_prefix="mococo")


def roll_out(
    env: Environment, batch: Batch, starts: Floats, *, fail_fast: bool, threads: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """returns, steps, uncovered : (n, n_starts)."""
    n, n_starts = len(batch.pairs), len(starts)
    returns, steps = np.zeros((n, n_starts)), np.zeros((n, n_starts), np.int64)
    uncovered = np.zeros((n, n_starts), bool)
    if n == 0:
        return returns, steps, uncovered
    knots = batch.partitions.refs.shape[2]
    module = compiled(env, knots)
    kernel: Callable[..., None] = module.planar if batch.partitions.sets.shape[1] <= 2 else module.general
    p, r = batch.partitions, batch.rules

    def work(first: int, last: int, start_first: int, start_last: int) -> None:
        kernel(
            first, last, start_first, start_last, batch.pairs, p.sets, p.refs, p.slopes, r.begin, r.count, r.masks,
            r.actions, batch.values, starts, env.t_max, env.gamma, fail_fast, env.performance_bounds[0], returns,
            steps, uncovered,
        )  # fmt: skip

    jobs = _tiles(n, n_starts, threads, whole_rows=fail_fast)
    if threads == 1 or len(jobs) == 1:
        for job in jobs:
            work(*job)
    else:
        for future in [_pool(threads).submit(work, *job) for job in jobs]:
            future.result()
    return returns, steps, uncovered


def _tiles(n: int, n_starts: int, threads: int, *, whole_rows: bool) -> list[tuple[int, int, int, int]]:
    """Parts of the (n, n_starts) episodes, about equal; split along the starts only if policies are too few."""
    parts = min(n, threads * _CHUNKS_PER_THREAD)
    edges = np.linspace(0, n, parts + 1).astype(int).tolist()
    if whole_rows or n >= threads * _CHUNKS_PER_THREAD:
        columns = [0, n_starts]
    else:
        columns = np.linspace(0, n_starts, min(n_starts, threads * _CHUNKS_PER_THREAD // n) + 1).astype(int).tolist()
    return [(a, b, c, e) for a, b in pairwise(edges) for c, e in pairwise(columns)]
