"""When a run ends before its last generation: time, evaluations, stagnation, a target."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

import msgspec

from mococo.errors import ConfigError, shown
from mococo.front import Front
from mococo.training import Progress, Record, Result


class Stops(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of a run, each checked after every generation. None does not limit.

    They are no settings of the algorithm: they cut a run short and leave its course as it is.
    """

    max_time: float | None = None
    """Seconds of work, those before a resume included."""
    max_evaluations: int | None = None
    """Evaluations of solutions."""
    patience: int | None = None
    """Generations in a row without a larger hypervolume of the archive."""
    target: float | None = None
    """A performance that a policy must reach on the training starts."""
    at_complexity: int | None = None
    """The largest complexity that the policy of the target may have."""

    def __post_init__(self) -> None:
        for name in ("max_evaluations", "patience", "at_complexity"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ConfigError(f"{name} must be a whole number >= 1, got {shown(value)}")
            if value is not None and value >= 2**63:
                raise ConfigError(f"{name} must be below 2**63, because files keep no larger numbers")
        if self.max_time is not None and not (_finite(self.max_time) and self.max_time > 0):
            raise ConfigError(f"max_time must be a number of seconds > 0, got {shown(self.max_time)}")
        if self.target is not None and not _finite(self.target):
            raise ConfigError(f"target must be a finite performance, got {shown(self.target)}")
        if self.at_complexity is not None and self.target is None:
            raise ConfigError("at_complexity belongs to a target; give a target too")


class StopWhen:
    """A callback that ends a run at the first limit that is reached.

    >>> import mococo
    >>> stop = StopWhen(Stops(max_evaluations=1))
    >>> result = mococo.train("MountainCar-v0", num_gens=9, db_pop_size=20, rb_pop_size=20, callbacks=[stop])
    >>> len(result.history), result.ended
    (1, 'max_evaluations: 72 of 1')
    """

    def __init__(self, stops: Stops, before: Iterable[Record] = ()) -> None:
        self._stops = stops
        self._seconds = 0.0
        self._evaluations = 0
        self._largest = -math.inf
        self._stagnant = 0
        for record in before:
            self._count(record)

    def on_generation(self, progress: Progress) -> str | None:
        """The limit that is reached."""
        self._count(progress.record)
        return self.reached(progress.archive)

    def on_end(self, result: Result) -> None:
        """Nothing is left to do."""

    def reached(self, archive: Front) -> str | None:
        """The first limit that the generations so far have reached."""
        stops = self._stops
        if stops.target is not None and _meets(archive, stops.target, stops.at_complexity):
            where = "" if stops.at_complexity is None else f" at complexity {stops.at_complexity}"
            return f"target: {stops.target:g}{where}"
        if stops.patience is not None and self._stagnant >= stops.patience:
            return f"patience: {self._stagnant} generations without a larger hypervolume"
        if stops.max_evaluations is not None and self._evaluations >= stops.max_evaluations:
            return f"max_evaluations: {self._evaluations} of {stops.max_evaluations}"
        if stops.max_time is not None and self._seconds >= stops.max_time:
            return f"max_time: {stops.max_time:g} s"
        return None

    def _count(self, record: Record) -> None:
        self._seconds += record.seconds
        self._evaluations += record.evaluations
        better = record.archive_hypervolume > self._largest
        self._stagnant = 0 if better else self._stagnant + 1
        self._largest = max(self._largest, record.archive_hypervolume)


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _meets(archive: Front, target: float, at_complexity: int | None) -> bool:
    low_enough = archive.comp <= (math.inf if at_complexity is None else at_complexity)
    return bool((archive.perf[low_enough] >= target).any())
