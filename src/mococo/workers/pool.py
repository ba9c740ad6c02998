"""Worker processes that live as long as they are needed, and work that is shared out between them.

A worker always has a chunk more than the one that it plays, so that it never waits for us. When one dies, or is ended
because a step takes too long, all that it had not answered is given out again, but for the episode that it died of.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
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
    seen: tuple[int, ...] = ()
    since: float = 0.0

    def hangs(self, timeout: float) -> bool:
        """Whether nothing has moved for so long."""
        now, state = time.monotonic(), (self.worker.ticks.read(), self.given[0])
        if state != self.seen:
            self.seen, self.since = state, now  # type: ignore[assignment]
        return now - self.since > timeout


class Pool:
    """Workers of one environment."""

    def __init__(self, simulator: Simulator, n: int) -> None:
        self.simulator = simulator
        self._lock = threading.Lock()
        workers = [Worker(simulator) for _ in range(n)]  # all start at once
        self._desks = [_Desk(worker) for worker in workers]
        try:
            for worker in workers:
                worker.wait_until_ready(simulator.id)
        except BaseException:
            self.end()
            raise

    def run(self, work: Work) -> None:
        """Until nothing is left."""
        with self._lock:
            try:
                self._run(work)
            except BaseException:  # answers are on their way that nobody will wait for
                self.end()
                raise

    def _run(self, work: Work) -> None:
        timeout = self.simulator.step_timeout
        look = None if timeout is None else min(_SLOWEST_LOOK, timeout / 4)
        for _ in range(_AHEAD):
            for desk in self._desks:
                self._give(desk, work)
        while work.left:
            busy = {desk.worker.connection: desk for desk in self._desks if desk.given}
            for connection in wait(list(busy), look):
                self._hear(busy[connection], work)  # type: ignore[index]
            if timeout is not None:
                for desk in self._desks:
                    if desk.given and desk.hangs(timeout):
                        self._replace(desk, work, hung=True)

    def _give(self, desk: _Desk, work: Work) -> None:
        job = work.take()
        if job is None:
            return
        desk.given.append(job.number)
        try:
            desk.worker.connection.send(job)
        except OSError:  # it has died; reading from it will tell
            pass

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
        while len(desk.given) < _AHEAD and work.left:
            before = len(desk.given)
            self._give(desk, work)
            if len(desk.given) == before:
                break

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
        for idle in self._desks:
            while len(idle.given) < _AHEAD:
                before = len(idle.given)
                self._give(idle, work)
                if len(idle.given) == before:
                    return

    def end(self) -> None:
        """End all processes; a pool that has ended is not used again."""
        for desk in self._desks:
            desk.worker.end()
        self._desks = []

    @property
    def ended(self) -> bool:
        """Whether its processes are gone."""
        return not self._desks


_pools: deque[tuple[int, Pool]] = deque()
_pools_lock = threading.Lock()


def pool_of(simulator: Simulator, n: int) -> Pool:
    """n workers of an environment: those of the last time, if they are still there."""
    with _pools_lock:
        for entry in [entry for entry in _pools if entry[1].ended]:
            _pools.remove(entry)
        for entry in _pools:
            if entry[0] == n and entry[1].simulator == simulator:
                _pools.remove(entry)
                _pools.append(entry)
                return entry[1]
        while len(_pools) >= _MOST_POOLS:
            _pools.popleft()[1].end()
        pool = Pool(simulator, n)
        _pools.append((n, pool))
        return pool


def run(simulator: Simulator, n: int, work: Work) -> None:
    """Do the work with n workers."""
    pool_of(simulator, n).run(work)


Make = Callable[[], Pool]
