"""The files of a run as typed records. Nothing here tells the time, so that a seed always gives the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import ConfigError
from mococo.policy_json import PolicyRecord
from mococo.runs.environments import COMPILED, EnvironmentRecord, environment_of
from mococo.stops import Stops

RUN_FORMAT, RUN_VERSION = "mococo-run", 1
FRONT_FORMAT, FRONT_VERSION = "mococo-front", 1
MAX_FRONT_BYTES = 32 * 2**20  # rule bases of thousands of genes, a hundred times
MAX_EVENTS_BYTES = 2**30  # a million generations
MAX_EVENT_BYTES = 2**20  # a generation; tens of thousands of complexities


class RunRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`config.json`: all that a run depends on."""

    format: str
    version: int
    env: str
    seed: int
    settings: Config
    versions: dict[str, str]
    """Of Python and of the libraries that the results may depend on."""
    stops: Stops
    environment: EnvironmentRecord | msgspec.UnsetType = msgspec.UNSET
    """The environment as it was resolved; runs of before it was kept have none."""
    checksum: str = ""
    """Of all the rest: a digit that changed unnoticed would make another run of it when it is resumed."""

    def open_environment(self, path: Path) -> Environment:
        """The environment of the run in this folder."""
        kept = None if isinstance(self.environment, msgspec.UnsetType) else self.environment
        return environment_of(self.env, kept, where=path / "config.json")

    def with_care(self, care: Mapping[str, Any]) -> RunRecord:
        """The same with another answer to faults of a real environment."""
        if not care:
            return self
        if isinstance(self.environment, msgspec.UnsetType) or self.environment.made == COMPILED:
            raise ConfigError(f"{self.env} is compiled, and does not fail: no on_fault and no step_timeout")
        return msgspec.structs.replace(self, environment=msgspec.structs.replace(self.environment, **care))

    def sealed(self) -> RunRecord:
        """The same with its checksum."""
        plain = msgspec.structs.replace(self, checksum="")
        return msgspec.structs.replace(self, checksum=hashlib.sha256(msgspec.json.encode(plain)).hexdigest())


class MemberRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy of a front."""

    performance: float
    """Mean return over the training starts, Eq. (1)."""
    fresh_performance: float
    """Mean return over fresh starts, which the search has not seen."""
    fresh_standard_error: float
    fresh_interval: tuple[float, float]
    """Where the mean over all starts lies with 95 %: bootstrap, percentiles."""
    fresh_uncovered: int
    """Fresh episodes that ended in a state without a rule."""
    complexity: int
    gen: int
    """The generation in which it was found."""
    count: int
    """Solutions with this performance and complexity; the policy is the first of them."""
    policy: PolicyRecord


class FrontRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`archive.json` and `front.json`."""

    format: str
    version: int
    env: str
    generations: int
    """How many were evaluated when this was written."""
    ended: str
    """Why there were no more: empty after the last one, "interrupted", or the limit that was reached."""
    training_starts: int
    fresh_starts: int
    fresh_seed: int
    members: list[MemberRecord]
