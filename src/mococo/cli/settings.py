"""The settings of a run: command line over file over the environment's own over the paper's."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

from mococo.cli.parsing import NUMBER, TEXT, WHOLE, option
from mococo.config import Config, make_config
from mococo.envs.gymnasium_env import proposed
from mococo.envs.proposal import budget, check_budget
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, FileFormatError, shown
from mococo.stops import Stops
from mococo.subspecies import tag_text
from mococo.training import resolve, without_auto

T = TypeVar("T")

MAX_FILE_BYTES = 2**20
TABLE = "environment"
_ELSEWHERE = (
    "env",
    "seed",
    "seeds",
    "threads",
    "config",
    "out",
    "overwrite",
    "quiet",
    "json",
    "tensorboard",
    "wandb",
    *Stops.__struct_fields__,
)


@cache
def with_settings(kind: type[T], *more: type[Any]) -> type[T]:
    """A command's dataclass with the options of `more`, and one for each setting of `Config`: None where not given."""
    fields = _fields(*more)
    for name, text in descriptions().items():
        if name == "subspecies":
            how = option(text, default="the environment's", metavar="2x2,3x3")
            fields.append((name, Annotated[str | None, TEXT, how], None))
        else:
            how = option(text, default=str(getattr(Config(), name)))
            reader = {int: WHOLE, float: NUMBER, str: TEXT}[type(getattr(Config(), name))]
            fields.append((name, Annotated[int | float | str | None, reader, how], None))
    return _extended(kind, fields)


@cache
def with_options(kind: type[T], *more: type[Any]) -> type[T]:
    """A command's dataclass with the options of others."""
    return _extended(kind, _fields(*more))


def _fields(*sources: type[Any]) -> list[tuple[str, Any, Any]]:
    """Names, types and defaults."""
    return [
        (name, annotation, getattr(options, name))
        for options in sources
        for name, annotation in get_type_hints(options, include_extras=True).items()
    ]


def _extended(kind: type[T], fields: list[tuple[str, Any, Any]]) -> type[T]:
    extended = dataclasses.make_dataclass(kind.__name__, fields, bases=(kind,), frozen=True)
    extended.__doc__ = kind.__doc__
    return extended


def given_settings(args: object) -> dict[str, Any]:
    """The settings that were given on the command line."""
    values = {name: getattr(args, name) for name in Config.__struct_fields__}
    return {name: value for name, value in values.items() if value is not None}


def resolved(env: Environment, file: Path | None, given: dict[str, Any]) -> Config:
    """The settings of a run, checked."""
    base = resolve(env, None, {})
    if file is None:
        return resolve(env, base, given)
    settings = {name: value for name, value in read_toml(file).items() if name != TABLE}
    if "subspecies" in given:
        settings.pop("subspecies", None)
    over = _over(base, without_auto(env, settings), file)
    try:
        return resolve(env, over, given)
    except ConfigError as error:
        if str(error) != _fault(env, over):  # then it came with the command line
            raise
        raise ConfigError(f"{file}: {error}") from None


def _fault(env: Environment, config: Config) -> str:
    """Why settings do not fit an environment; empty if they do."""
    try:
        resolve(env, config, {})
    except ConfigError as error:
        return str(error)
    return ""


def chosen_in(file: Path | None) -> dict[str, Any]:
    """What a file says of the environment, in its table `environment`."""
    table = read_toml(file).get(TABLE, {}) if file is not None else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: {TABLE} must be a table, got {table!r}")
    return table


def chosen_subspecies(
    env: Environment, file: Path | None, given: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The given settings with subspecies in the place of `auto`, and why these."""
    asked = given.get("subspecies") or (read_toml(file).get("subspecies") if file is not None else None)
    genes = budget(asked) if isinstance(asked, str) else None
    if genes is None:
        return given, ()
    check_budget(genes, asked)
    proposal = proposed(env, genes)
    return {**given, "subspecies": ",".join(map(tag_text, proposal.tags))}, proposal.why


def read_toml(path: Path) -> dict[str, Any]:
    """A file of settings."""
    try:
        if path.exists() and not path.is_file():
            raise FileFormatError(f"{path}: expected a TOML file of settings, but it is not a file")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise FileFormatError(f"{path}: larger than {MAX_FILE_BYTES} bytes, so it is not a file of settings")
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # of the syntax, the encoding, or a number of thousands of digits
        raise FileFormatError(f"{path}: not valid TOML ({error})") from None


def _over(base: Config, settings: Mapping[str, Any], path: Path) -> Config:
    for name in settings:
        if name in _ELSEWHERE:
            raise ConfigError(f"{path}: {shown(name)} is not a setting of the algorithm; give it on the command line")
    try:
        return make_config(settings, base)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def settings_text(config: Config) -> list[str]:
    """Each setting as `name=value`."""
    values = {name: getattr(config, name) for name in Config.__struct_fields__}
    values["subspecies"] = ",".join(tag_text(tag) for tag in config.subspecies)
    return [f"{name}={value}" for name, value in values.items()]


@cache
def descriptions(kind: type[Any] = Config) -> dict[str, str]:
    """What `Config`, or another such class, says below each setting."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return found
