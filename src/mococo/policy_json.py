"""Policies as JSON files that a person can read; nothing in a file is ever executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from mococo.envs.spec import Action, Feature
from mococo.errors import FileFormatError, MococoError
from mococo.files import write_atomic
from mococo.policy import Policy

FORMAT = "mococo-policy"
VERSION = 1
MAX_BYTES = 16 * 2**20  # a policy takes a few kilobytes


class FeatureRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature, and for the reader its sets with their coordinates."""

    name: str
    low: float
    high: float
    ends: tuple[str, str]
    crisp: bool
    terms: list[tuple[str, float]]
    sets: dict[str, float]


class ActionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action's value and words."""

    value: int | float | str | list[float]
    words: str


class PolicyRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file. `rules` and `sets` are for the reader and must agree with the genotypes, which count."""

    format: str
    version: int
    rules: list[str]
    gabil: list[str]
    complexity: int
    tag: list[int]
    features: list[FeatureRecord]
    actions: list[ActionRecord]
    omega: float
    continuous: bool
    db: list[float]
    rb: list[int]


def to_record(policy: Policy) -> PolicyRecord:
    """The policy as plain data."""
    features = [
        FeatureRecord(f.name, f.low, f.high, f.ends, f.crisp, list(f.terms), dict(zip(names, refs, strict=True)))
        for f, names, refs in zip(policy.features, policy.set_names, policy.reference_coordinates, strict=True)
    ]
    return PolicyRecord(
        format=FORMAT,
        version=VERSION,
        rules=[rule.text for rule in policy.rules],
        gabil=[rule.gabil for rule in policy.rules],
        complexity=policy.complexity,
        tag=list(policy.tag),
        features=features,
        actions=[
            ActionRecord(list(a.value) if isinstance(a.value, tuple) else a.value, a.words) for a in policy.actions
        ],
        omega=policy.omega,
        continuous=policy.continuous,
        db=list(policy.db),
        rb=list(policy.rb),
    )


def from_record(record: PolicyRecord) -> Policy:
    """The policy of plain data; refused where the rules shown to the reader are not those of the genotypes."""
    policy = Policy.from_genotypes(
        record.tag,
        record.db,
        record.rb,
        features=[Feature(f.name, f.low, f.high, f.ends, f.crisp, tuple(f.terms)) for f in record.features],
        actions=[Action(tuple(a.value) if isinstance(a.value, list) else a.value, a.words) for a in record.actions],
        omega=record.omega,
        continuous=record.continuous,
    )
    true = to_record(policy)
    for name in ("gabil", "rules", "complexity", "features"):
        if getattr(true, name) != getattr(record, name):
            what = {
                "features": "coordinates in `sets`",
                "complexity": "decision points in `complexity`",
                "rules": "sentences in `rules`",
            }
            raise FileFormatError(
                f"the {what.get(name, f'rules in `{name}`')} are not those of the genotypes `db` and `rb`, which are "
                f"what counts; edit the genotypes, or take the file as it was saved"
            )
    return policy


def save_policy(policy: Policy, path: Path) -> None:
    """Write the file, replacing it whole."""
    if path.is_dir():
        raise FileFormatError(f"{path} is a folder, but a policy is saved in a file; name one in it")
    write_atomic(path, policy_bytes(policy))


def policy_bytes(policy: Policy) -> bytes:
    """What is in the file."""
    return msgspec.json.format(msgspec.json.encode(to_record(policy)), indent=2) + b"\n"


def load_policy(path: Path) -> Policy:
    """Read the file; every way in which it can be broken gives one `FileFormatError`."""
    record = read_json(path, PolicyRecord, FORMAT, VERSION)
    try:
        return from_record(record)
    except MococoError as error:
        raise FileFormatError(f"{path}: {error}") from None


class _Head(msgspec.Struct, frozen=True):
    """What is looked at first. Other fields are passed over without being built."""

    format: object = None
    version: object = None


def read_json(path: Path, kind: type[Any], format_name: str, version: int, max_bytes: int = MAX_BYTES) -> Any:
    """A JSON file of one of our formats, checked for size, format name, version and types, in this order."""
    try:
        if path.stat().st_size > max_bytes:
            raise FileFormatError(f"{path}: larger than {max_bytes} bytes, so it is not a {format_name} file")
        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileFormatError(f"{path}: expected a {format_name} file, got a pipe or a device")
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        head = msgspec.json.decode(data, type=_Head)
    except msgspec.ValidationError as error:
        raise FileFormatError(f"{path}: expected a {format_name} file, but: {error}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: expected JSON as Mococo writes it, but the text is damaged ({error})") from None
    if head.format != format_name:
        got = "JSON that does not say what it is" if head.format is None else repr(str(head.format)[:40])
        raise FileFormatError(f"{path}: expected a {format_name} file, got {got}")
    if head.version != version:
        raise FileFormatError(
            f"{path}: this release reads {format_name} version {version}, the file has version "
            f"{str(head.version)[:20]}; use the release of Mococo that wrote it, or a newer one"
        )
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: not a valid {format_name} file: {error}") from None
