"""The environment of a worker process, and the episodes that are played on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.envs.simulator import Maker
from mococo.kernels.fuzzy import UNCOVERED
from mococo.kernels.single import NOT_FINITE, decide, scratch_size
from mococo.workers.messages import Answer, Chunk, Failure, PackedPolicy, Ticks, Verdict

_Floats = NDArray[np.float64]


class Stage:
    """The environment of this process, and the episode that is played on it."""

    def __init__(self, maker: Maker, ticks: Ticks) -> None:
        self._maker = maker
        self.ticks = ticks
        self.tick = ticks.step
        self.env = maker()
        self.converter = action_converter(self.env.action_space)
        # An array of numbers with one axis goes to the kernel as it is; everything else is copied into one.
        space = self.env.observation_space
        plain = len(space.shape or ()) == 1 and space.dtype in (np.float32, np.float64)
        self._look: type = np.ndarray if plain else type(None)
        _load_kernel(space.dtype if plain else np.float64)

    def play(self, chunk: Chunk) -> Answer:
        """All episodes of a chunk."""
        begin = time.perf_counter()
        n = sum(len(seeds) for _, seeds in chunk.items)
        returns, steps = np.zeros(n), np.zeros(n, np.int64)
        verdicts = np.full(n, Verdict.NOT_PLAYED, np.int8)
        failures: list[Failure] = []
        at = 0
        for p, (policy, seeds) in enumerate(chunk.items):
            for s, seed in enumerate(seeds):
                self.ticks.begin(chunk.number, p, s)
                try:
                    verdicts[at + s], returns[at + s], steps[at + s] = self._episode(policy, seed, chunk)
                except Exception as error:
                    verdicts[at + s] = Verdict.FAULT
                    failures.append(Failure.of(error, seed))
                    self.renew()
                if chunk.fail_fast and verdicts[at + s] != Verdict.PLAYED:
                    break
            at += len(seeds)
        return Answer(chunk.number, returns, steps, verdicts, tuple(failures), time.perf_counter() - begin)

    def _episode(self, policy: PackedPolicy, seed: int, chunk: Chunk) -> tuple[int, float, int]:
        """Verdict, return and steps of one episode."""
        env, tick, ints, floats = self.env, self.tick, policy.ints, policy.floats
        convert = self.converter(policy)
        scratch = np.zeros(scratch_size(ints))
        out, look = scratch[len(scratch) - policy.n_dims :], self._look
        total, discount, t = 0.0, 1.0, 0
        observation, _ = env.reset(seed=seed)
        while t < chunk.t_max:
            seen = observation if observation.__class__ is look else np.array(observation, np.float64).ravel()
            place = decide(seen, ints, floats, scratch)
            if place < 0:
                if place == UNCOVERED:
                    return Verdict.UNCOVERED, total, t
                raise refused(place, np.asarray(seen), policy.n_observed, t)
            observation, reward, terminated, truncated, _ = env.step(convert(place, out))
            t += 1
            tick(t)
            total += discount * float(reward)
            if terminated or truncated:
                break
            discount *= chunk.gamma
        if not np.isfinite(total):
            raise FloatingPointError(f"a reward in the first {t} steps is not finite")
        return Verdict.PLAYED, total, t

    def renew(self) -> None:
        """After an exception nobody knows in which state an environment is."""
        with suppress(Exception):
            self.env.close()
        self.env = self._maker()


def _load_kernel(kind: Any) -> None:
    """Before the first step, whose time the step timeout looks at."""
    nothing = np.array([1, 0, 0, 0, 1, 0])
    decide(np.zeros(1, kind), nothing, np.zeros(0), np.zeros(scratch_size(nothing)))


def refused(place: int, seen: _Floats, n_observed: int, t: int) -> Exception:
    """Why an observation has no action."""
    if place == NOT_FINITE:
        return FloatingPointError(f"the observation after step {t} is not finite: {seen.tolist()}")
    return ValueError(f"the observation after step {t} has {len(seen)} numbers, its space says {n_observed}")


def action_converter(space: Any) -> Callable[[PackedPolicy], Callable[[int, _Floats], Any]]:
    """For each policy a function from the place of an action, or the mean, to what the environment takes."""
    from gymnasium import spaces

    def discrete(policy: PackedPolicy) -> Callable[[int, _Floats], Any]:
        values = [int(value) for value in policy.values[:, 0]]
        return lambda place, _: values[place]

    def several(policy: PackedPolicy) -> Callable[[int, _Floats], Any]:
        values = [np.array(row, dtype=space.dtype).reshape(space.shape) for row in policy.values]
        return lambda place, _: values[place].copy()

    def box(policy: PackedPolicy) -> Callable[[int, _Floats], Any]:
        if not policy.n_dims:
            return several(policy)
        return lambda _, out: out.astype(space.dtype).reshape(space.shape)

    if isinstance(space, spaces.Discrete):
        return discrete
    return box if isinstance(space, spaces.Box) else several
