"""Rollouts of decoded policies on a real environment, in worker processes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Environment
from mococo.errors import SimulationError
from mococo.playing.packing import Packer
from mococo.playing.rollouts import Rollouts
from mococo.rollout import Batch, Episodes
from mococo.workers import pool
from mococo.workers.messages import Failure, Verdict

Floats = NDArray[np.float64]


@dataclass
class Faults:
    """What went wrong, by kind, with one example of each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Failure] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many episodes failed."""
        return self.counts.total()

    def __str__(self) -> str:
        """How many of each kind, with an example."""
        return "; ".join(f"{n} times {self.examples[kind].text}" for kind, n in self.counts.most_common())

    def add(self, failure: Failure) -> None:
        """Count it."""
        self.counts[failure.kind] += 1
        self.examples.setdefault(failure.kind, failure)


class WorkerEngine:
    """An environment with its workers; the counterpart of `rollout.Engine`."""

    def __init__(self, env: Environment, workers: int) -> None:
        assert env.simulator is not None
        self._env = env
        self._simulator = env.simulator
        self._workers = workers
        self.faults = Faults()

    def roll_out(self, batch: Batch, starts: Floats, *, fail_fast: bool) -> Episodes:
        """returns, steps, uncovered, faulted : (n, n_starts); an episode without a return has the lower bound."""
        env = self._env
        packer = Packer(batch, env.features, continuous=env.continuous)
        seeds = [int(seed) for seed in starts[:, 0]]
        work = Rollouts(packer.policy, (len(batch.pairs), self._workers), seeds, env, fail_fast, self.fault)
        if work.left:
            pool.run(self._simulator, work, self._workers)
        failed = work.verdicts >= Verdict.UNCOVERED
        returns = np.where(failed, env.performance_bounds[0], work.returns)
        return Episodes(returns, work.steps, work.verdicts == Verdict.UNCOVERED, work.verdicts == Verdict.FAULT)

    def fault(self, failure: Failure) -> None:
        """Count a fault, or stop because of it."""
        if self._simulator.on_fault == "stop":
            where = "" if failure.seed is None else f" in the episode from seed {failure.seed}"
            raise SimulationError(
                f"{self._env.id} failed{where}: {failure.text}. To give such policies the lowest performance and go "
                f"on: --on-fault worst"
            )
        self.faults.add(failure)
