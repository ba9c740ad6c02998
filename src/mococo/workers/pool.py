"""Worker processes that live as long as they are needed, and work that is shared out between them.

A worker always has a chunk more than the one that it plays, so that it never waits for us. When one dies, or is ended
because a step takes too long, all that it had not answered is given out again, but for the episode that it died of.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any, Protocol

from mococo.envs.simulator import Simulator
from mococo.errors import SimulationError
from mococo.workers.messages import Failure
from mococo.workers.process import Worker

_AHEAD = 2  # chunks that a worker has at a time
_MOST_POOLS = 2  # of different environments, kept for the next evaluation
_SLOWEST_LOOK = 1.0  # seconds between two looks for workers that hang


class Work(Protocol):
    """What a pool is to do."""

    def take(self) -> Any:
        """The next job, with a `number` of its own; None where nothing is left to be given out."""

    def done(self, answer: Any) -> None:
        """An answer to a job, with its number."""

    def died(self, number: int, place: tuple[int, int], ending: str, *, hung: bool) -> None:
        """The worker ended in this job, at this policy and start."""

    def back(self, number: int) -> None:
        """A job was not begun, and has to be given out again."""

    @property
    def left(self) -> bool:
        """Whether anything has not been answered yet."""


@dataclass
class _Desk:
    """A worker with what it was given."""

    worker: Worker
    given: deque[int] = field(default_factory=deque)
    seen: tuple[int, ...] = ()  # what it was at when we last looked
    since: float = 0.0

    def hangs(self, timeout: float) -> bool:
        """Whether nothing has moved for so long."""
        now, state = time.monotonic(), (*self.worker.ticks.read(), self.given[0])
        if state != self.seen:
            self.seen, self.since = state, now
        return now - self.since > timeout


class Pool:
    """Workers of one environment."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.ended = False
        self._lock = threading.Lock()
        self._desks: list[_Desk] = []

    def run(self, work: Work, n: int) -> None:
        """Until nothing is left, with n workers."""
        with self._lock:
            try:
                self._staff(n)
                self._run(work, self._desks[:n])
            except BaseException:  # answers are on their way that nobody will wait for
                self.end()
                raise

    def _staff(self, n: int) -> None:
        """Start what is missing of n workers, all at once."""
        new = [Worker(self.simulator) for _ in range(n - len(self._desks))]
        self._desks += [_Desk(worker) for worker in new]
        for worker in new:
            worker.wait_until_ready(self.simulator.id)

    def _run(self, work: Work, desks: Sequence[_Desk]) -> None:
        timeout = self.simulator.step_timeout
        look = None if timeout is None else min(_SLOWEST_LOOK, timeout / 4)
        while work.left:
            for ahead in range(1, _AHEAD + 1):
                for desk in desks:
                    if len(desk.given) < ahead:
                        self._give(desk, work)
            busy: dict[object, _Desk] = {desk.worker.connection: desk for desk in desks if desk.given}
            for connection in wait([desk.worker.connection for desk in busy.values()], look):
                self._hear(busy[connection], work)
            for desk in desks:
                if timeout is not None and desk.given and desk.hangs(timeout):
                    self._replace(desk, work, hung=True)

    def _give(self, desk: _Desk, work: Work) -> None:
        job = work.take()
        if job is None:
            return
        desk.given.append(job.number)
        with suppress(OSError):  # it has died; reading from it will tell
            desk.worker.connection.send(job)

    def _hear(self, desk: _Desk, work: Work) -> None:
        try:
            answer = desk.worker.connection.recv()
        except (EOFError, OSError):
            self._replace(desk, work, hung=False)
            return
        if isinstance(answer, Failure):
            raise SimulationError(f"{self.simulator.id} cannot be made again after a fault: {answer.text}")
        desk.given.popleft()
        work.done(answer)

    def _replace(self, desk: _Desk, work: Work, *, hung: bool) -> None:
        """Give back what a dead worker had, and start another in its place."""
        number, *place, _ = desk.worker.ticks.read()
        if hung:
            desk.worker.end()
            ending = f"took longer than {self.simulator.step_timeout:g} s for a step"
        else:
            ending = f"ended its process ({desk.worker.ending()})"
        first = desk.given.popleft()
        if number == first:
            work.died(first, (place[0], place[1]), ending, hung=hung)
        else:
            work.back(first)
        for other in desk.given:
            work.back(other)
        desk.worker.end()
        desk.given.clear()
        desk.worker = Worker(self.simulator)
        desk.worker.wait_until_ready(self.simulator.id)

    def end(self) -> None:
        """End all processes; a pool that has ended is not used again."""
        self.ended = True
        for desk in self._desks:
            desk.worker.end()


_pools: deque[Pool] = deque()
_pools_lock = threading.Lock()


def pool_of(simulator: Simulator) -> Pool:
    """The workers of an environment: those of the last time, if they are still there."""
    with _pools_lock:
        kept = [pool for pool in _pools if not pool.ended]
        pool = next((pool for pool in kept if pool.simulator == simulator), None) or Pool(simulator)
        others = [other for other in kept if other is not pool]
        for old in others[: -(_MOST_POOLS - 1)]:
            old.end()
        _pools.clear()
        _pools.extend([*others[-(_MOST_POOLS - 1) :], pool])
        return pool


def run(simulator: Simulator, work: Work, n: int) -> None:
    """Do the work with n workers."""
    pool_of(simulator).run(work, n)
