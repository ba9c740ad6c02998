"""The episodes of many policies as work for a pool, given out in chunks sized by measured time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Environment
from mococo.workers.messages import Answer, Chunk, Failure, PackedPolicy, Verdict

Span = tuple[int, int, int]
"""A policy's row, its first start, and the one after its last."""

_CHUNK = 0.1  # seconds that a chunk should take; to send one costs less than a hundredth of it
_MOST = 2000  # episodes of a chunk: an answer must fit into the pipe
_SHARES = 8  # near the end, no chunk is more than this part of a worker's share of the rest
_TRIES = 2  # how often an episode may end its process before it is held to be the cause


class Rollouts:
    """`pool.Work`: an episode of each policy from each start. returns, steps, verdicts : (n, n_starts).

    Where `fail_fast`, a policy's starts are played in order by one worker, until one fails: so the steps that are taken
    do not depend on who takes them.
    """

    def __init__(
        self,
        pack: Callable[[int], PackedPolicy],
        n_and_workers: tuple[int, int],
        seeds: Sequence[int],
        env: Environment,
        fail_fast: bool,
        on_fault: Callable[[Failure], None],
    ) -> None:
        n, self._workers = n_and_workers
        self._pack, self._seeds, self._env, self._fail_fast, self._on_fault = pack, seeds, env, fail_fast, on_fault
        shape = (n, len(seeds))
        self.returns, self.steps = np.zeros(shape), np.zeros(shape, np.int64)
        self.verdicts: NDArray[np.int8] = np.full(shape, Verdict.NOT_PLAYED, np.int8)
        self._rest: deque[Span] = deque((p, 0, len(seeds)) for p in range(n) if seeds)
        self._episodes = n * len(seeds)  # of the rest
        self._given: dict[int, list[Span]] = {}
        self._tries: Counter[tuple[int, int]] = Counter()
        self._number = 0
        self._pace = 0.0  # seconds for an episode

    @property
    def left(self) -> bool:
        """Whether an answer is missing."""
        return bool(self._rest or self._given)

    def take(self) -> Chunk | None:
        """As many episodes as should take the time of a chunk."""
        if not self._rest:
            return None
        wanted = self._size()
        spans: list[Span] = []
        while self._rest and wanted > 0:
            p, first, last = self._rest.popleft()
            if not self._fail_fast and last - first > wanted:
                self._rest.appendleft((p, first + wanted, last))
                last = first + wanted
            spans.append((p, first, last))
            wanted -= last - first
            self._episodes -= last - first
        self._number += 1
        self._given[self._number] = spans
        items = [(self._pack(p), self._seeds[first:last]) for p, first, last in spans]
        return Chunk(self._number, items, self._env.t_max, self._env.gamma, self._fail_fast)

    def _size(self) -> int:
        if not self._pace:
            return 1
        fair = self._episodes // (_SHARES * self._workers)
        return max(1, min(int(_CHUNK / self._pace), fair, _MOST))

    def done(self, answer: Answer) -> None:
        """Write down how the episodes of a chunk ended."""
        at = 0
        for p, first, last in self._given.pop(answer.number):
            n = last - first
            for mine, theirs in (
                (self.returns, answer.returns),
                (self.steps, answer.steps),
                (self.verdicts, answer.verdicts),
            ):
                mine[p, first:last] = theirs[at : at + n]
            at += n
        pace = answer.seconds / at
        self._pace = pace if not self._pace else 0.8 * self._pace + 0.2 * pace
        for failure in answer.failures:
            self._on_fault(failure)

    def died(self, number: int, place: tuple[int, int], ending: str, *, hung: bool) -> None:
        """Give out again what the worker had, but for an episode that ends every process that plays it."""
        spans = self._given.pop(number)
        i, s = place
        p, first, last = spans[i]
        guilty = first + s
        self._tries[p, guilty] += 1
        if not hung and self._tries[p, guilty] < _TRIES:
            self._return(spans)
            return
        rest = [] if self._fail_fast else [(p, guilty + 1, last)]
        self._return([*spans[:i], (p, first, guilty), *rest, *spans[i + 1 :]])
        self.verdicts[p, guilty] = Verdict.FAULT
        self._on_fault(Failure("hung" if hung else "died", ending, self._seeds[guilty]))

    def back(self, number: int) -> None:
        """Give out again what was not begun."""
        self._return(self._given.pop(number))

    def _return(self, spans: Sequence[Span]) -> None:
        kept = [span for span in spans if span[2] > span[1]]
        self._rest.extendleft(reversed(kept))
        self._episodes += sum(last - first for _, first, last in kept)
