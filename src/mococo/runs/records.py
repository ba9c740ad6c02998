"""The files of a run as typed records. Nothing here tells the time, so that a seed always gives the same bytes."""

from __future__ import annotations

import hashlib

import msgspec

from mococo.config import Config
from mococo.policy_json import PolicyRecord
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
    checksum: str = ""
    """Of all the rest: a digit that changed unnoticed would make another run of it when it is resumed."""

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
