"""Rollouts of decoded policies on a compiled environment, in threads of this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mococo.decoding import Partitions, RuleBases
from mococo.envs.spec import Environment
from mococo.envs.trial import try_out
from mococo.errors import ConfigError, EnvironmentSpecError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KNOTS = (5, 8, 16)  # sizes for which kernels are compiled: the least that holds the largest partition
_SMALLEST_PART = 16  # the least part of the work that is given to a thread at a time, as a fraction of its share


@dataclass(frozen=True)
class Batch:
    """n pairs of decoded genotypes. pairs : (n, 2) rows of both; values : (k,) the environment's actions."""

    pairs: Ints
    partitions: Partitions
    rules: RuleBases
    values: Floats


class Episodes(NamedTuple):
    """What a batch's episodes were: each (n, n_starts)."""

    returns: Floats
    steps: Ints
    uncovered: NDArray[np.bool_]
    faulted: NDArray[np.bool_]
    """Where a real environment failed; a compiled one does not."""


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

    step, observe = env.functions
    observed = [feature.name for feature in env.observed]
    slots = Slots(
        name=env.id,
        step=step,
        observe=observe,
        n_state=env.n_state,
        n_observed=len(observed),
        derived=tuple(
            tuple((observed.index(name), weight) for name, weight in f.terms) for f in env.features if f.terms
        ),
        continuous=env.continuous,
        knots=knots,
        float32=env.float32,
        libm=libm or env.libm,
    )
    try:
        return specialised(slots)
    except NotCompilable as error:
        raise EnvironmentSpecError(f"{env.id} cannot be compiled: {error}") from None


def not_compiled(env: Environment, error: Exception) -> Exception:
    """The error itself, or what it means to the environment's author where numba cannot compile his functions."""
    from mococo.kernels.jit import why_not_compiled

    why = why_not_compiled(error)
    return (
        error
        if why is None
        else EnvironmentSpecError(
            f"{env.id} cannot be compiled: {why}. A compiled step may use numbers, tuples of numbers, plain functions, "
            f"math and numpy; `mococo check-env` tells more"
        )
    )


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads are kept, because starting them takes as long as a hundred rollouts. They sleep when idle."""
    return ThreadPoolExecutor(max(1, threads - 1), thread_name_prefix="mococo")


class Engine:
    """An environment with its compiled kernels."""

    def __init__(self, env: Environment, knots: int, threads: int, *, libm: bool = False) -> None:
        try_out(env)
        self._env = env
        self._module = compiled(env, knots, libm)
        self._threads = threads

    def roll_out(self, batch: Batch, starts: Floats, *, fail_fast: bool) -> Episodes:
        """The episodes of a batch that was decoded with as many knots."""
        env, p, r = self._env, batch.partitions, batch.rules
        n, n_starts = len(batch.pairs), len(starts)
        returns, steps = np.zeros((n, n_starts)), np.zeros((n, n_starts), np.int64)
        uncovered = np.zeros((n, n_starts), bool)
        used = np.count_nonzero(p.sets > 1, axis=1)[batch.pairs[:, 0]]
        is_flat = (used <= 2) & (not env.continuous)
        flat = np.flatnonzero(is_flat)
        order = np.concatenate([flat, np.flatnonzero(~is_flat)])
        pairs = np.ascontiguousarray(batch.pairs[order])

        def work(first: int, last: int, start_first: int, start_last: int) -> None:
            kernel: Callable[..., None] = self._module.planar if last <= len(flat) else self._module.general
            kernel(
                first, last, start_first, start_last, pairs, p.sets, p.refs, p.slopes, r.begin, r.count, r.masks,
                r.actions, batch.values, starts, env.t_max, env.gamma, fail_fast, env.performance_bounds[0], returns,
                steps, uncovered,
            )  # fmt: skip

        jobs = _tiles(len(flat), n_starts, self._threads, whole_rows=fail_fast)
        for first, last, *columns in _tiles(n - len(flat), n_starts, self._threads, whole_rows=fail_fast):
            jobs.append((first + len(flat), last + len(flat), *columns))
        try:
            share_out(work, jobs, self._threads)
        except Exception as error:
            raise not_compiled(env, error) from error
        back = np.argsort(order)
        faulted = np.zeros((n, n_starts), bool)
        if len(flat) == n:
            return Episodes(returns, steps, uncovered, faulted)
        return Episodes(returns[back], steps[back], uncovered[back], faulted)


def share_out(work: Callable[..., None], jobs: Iterable[tuple[int, ...]], threads: int) -> None:
    """Call work(*job) for every job, on this thread and `threads` - 1 others."""
    shared = iter(jobs)

    def drain() -> None:
        for job in shared:  # taking the next of a shared list iterator is atomic, and cheaper than a future for each
            work(*job)

    helpers = [_pool(threads).submit(drain) for _ in range(threads - 1)]
    try:
        drain()
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


def _tiles(n: int, n_starts: int, threads: int, *, whole_rows: bool) -> list[tuple[int, ...]]:
    """Parts of the (n, n_starts) episodes: large ones first and small ones last, so that threads end together.

    Only if policies are few are their starts divided too.
    """
    rows, least = [0], max(1, n // (threads * _SMALLEST_PART))
    while rows[-1] < n:
        rows.append(min(n, rows[-1] + max(least, (n - rows[-1]) // (4 * threads))))
    columns = [0, n_starts]
    if not whole_rows and n < threads * _SMALLEST_PART:
        parts = min(n_starts, threads * _SMALLEST_PART // max(n, 1))
        columns = np.linspace(0, n_starts, parts + 1).astype(int).tolist()
    return [(a, b, c, e) for a, b in pairwise(rows) for c, e in pairwise(columns)]
