"""What goes between this process and its workers."""

from __future__ import annotations

import mmap
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mococo.workers.stage import Stage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Verdict(IntEnum):
    """How an episode ended."""

    NOT_PLAYED = 0
    PLAYED = 1
    UNCOVERED = 2
    FAULT = 3


@dataclass(frozen=True)
class PackedPolicy:
    """A policy as `kernels.single` reads it; values : (k, dims of an action)."""

    ints: Ints
    floats: Floats
    values: Floats

    @property
    def n_observed(self) -> int:
        """Numbers in an observation."""
        return int(self.ints[0])

    @property
    def n_dims(self) -> int:
        """Numbers in a continuous action; 0 where one of the actions is chosen."""
        return int(self.ints[5])


@dataclass(frozen=True)
class Failure:
    """What an environment raised, as text: the error itself may not be made to travel."""

    kind: str
    text: str
    seed: int | None = None

    @staticmethod
    def of(error: BaseException, seed: int | None = None) -> Failure:
        """The error's name, text and place."""
        name, told = type(error).__name__, " ".join(str(error).split())
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
        return Failure(name, f"{name}: {told}{place}" if told else f"{name}{place}", seed)


@dataclass(frozen=True)
class Chunk:
    """Work for one worker: policies, each with the seeds of its episodes."""

    number: int
    items: Sequence[tuple[PackedPolicy, Sequence[int]]]
    t_max: int
    gamma: float
    fail_fast: bool

    def __call__(self, stage: Stage) -> Answer:
        """Play it."""
        return stage.play(self)


@dataclass(frozen=True)
class Answer:
    """returns, steps, verdicts : (episodes,) of a chunk, in its order."""

    number: int
    returns: Floats
    steps: Ints
    verdicts: NDArray[np.int8]
    failures: tuple[Failure, ...]
    seconds: float


class Ticks:
    """Which episode a worker is at, and how far: memory that both processes see, even when one of them has died."""

    SIZE = 32

    def __init__(self, memory: mmap.mmap) -> None:
        self._cells = memoryview(memory).cast("q")

    @staticmethod
    def make() -> tuple[Ticks, Any]:
        """New ones, with the open file that a worker is to inherit."""
        file = tempfile.TemporaryFile()  # noqa: SIM115 - its owner closes it
        file.truncate(Ticks.SIZE)
        return Ticks(mmap.mmap(file.fileno(), Ticks.SIZE)), file

    @staticmethod
    def of_file(handle: int) -> Ticks:
        """Those of an inherited file."""
        return Ticks(mmap.mmap(handle, Ticks.SIZE))

    def begin(self, chunk: int, policy: int, start: int) -> None:
        """An episode begins."""
        self._cells[0], self._cells[1], self._cells[2] = chunk, policy, start
        self._cells[3] = -1

    def step(self, t: int) -> None:
        """A step was taken."""
        self._cells[3] = t

    def read(self) -> tuple[int, int, int, int]:
        """Chunk, policy, start, step."""
        chunk, policy, start, step = self._cells.tolist()
        return chunk, policy, start, step
