"""The options that tell of an environment what its spaces do not: `--feature`, `--domains`, `--on-fault` and so on."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

import msgspec
import tyro

from mococo.cli.parsing import NUMBER, TEXT, WHOLE, option
from mococo.envs.choices import Choices, make_choices
from mococo.errors import UsageError


@dataclass(frozen=True)
class Careful:
    """What is done about environments that fail."""

    on_fault: Annotated[
        str | None,
        TEXT,
        option("When a real environment fails: stop, or count the policy as worst.", default="stop", metavar="WHAT"),
    ] = None
    step_timeout: Annotated[
        float | None, NUMBER, option("Seconds that one of its steps may take.", default="no limit")
    ] = None


@dataclass(frozen=True)
class Described(Careful):
    """What an environment is made with, and what policies see and do."""

    env_kwargs: Annotated[
        str | None, TEXT, option("Arguments for gymnasium.make: gravity=-5.0.", default="", metavar="K=V,...")
    ] = None
    feature: Annotated[
        tuple[str, ...],
        tyro.conf.UseAppendAction,
        option('A derived feature, as often as you like: "lean = angle + 0.5*spin".', default="", metavar="TEXT"),
    ] = ()
    names: Annotated[
        str | None, TEXT, option("Names for the observed numbers, in their order.", default="", metavar="A,B,...")
    ] = None
    domains: Annotated[
        str | None, TEXT, option("Domains of features: x=[-1,1], y=[0,2].", default="", metavar="X=[A,B],...")
    ] = None
    actions: Annotated[
        str | None, TEXT, option("Actions, or output values, that rules choose from.", default="", metavar="LIST")
    ] = None
    gamma: Annotated[float | None, NUMBER, option("Discount factor.", default="the environment's")] = None
    t_max: Annotated[int | None, WHOLE, option("Longest episode in steps.", default="the environment's")] = None
    bounds: Annotated[
        str | None, TEXT, option("Lowest and highest performance: --bounds=-200,0.", default="", metavar="A,B")
    ] = None


OPTIONS = tuple(field.name for field in fields(Described))
_CHOICES = {"env_kwargs": "kwargs", "feature": "features", "bounds": "performance_bounds"}


def given_choices(args: object, file: Mapping[str, Any] | None = None) -> Choices:
    """What was said on the command line, over the table `environment` of a file."""
    found = dict(file or {})
    for name in OPTIONS:
        word = getattr(args, name, None)
        if word not in (None, ()):
            read = _READERS.get(name, lambda _, value: value)
            found[_CHOICES.get(name, name)] = read(name, word)
    return make_choices(found)


def said(args: object) -> dict[str, Any]:
    """What was said of an environment, for `registry.named`."""
    told: dict[str, Any] = msgspec.to_builtins(given_choices(args))
    return told


def given_care(args: object) -> dict[str, Any]:
    """What is to be done about faults, where it was said."""
    names = [field.name for field in fields(Careful)]
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def choice_words(choices: Choices) -> list[str]:
    """The options that say the same."""
    back = {name: option for option, name in _CHOICES.items()}
    words: list[str] = []
    for name, value in msgspec.to_builtins(choices).items():
        option = f"--{back.get(name, name).replace('_', '-')}"
        if name == "features":
            words += [f"{option}={text}" for text in value]
        elif isinstance(value, dict):
            words.append(f"{option}={', '.join(f'{toml(key)} = {toml(item)}' for key, item in value.items())}")
        else:
            words.append(f"{option}={', '.join(map(_toml_or_name(name), value)) if isinstance(value, list) else value}")
    return words


def _toml_or_name(name: str) -> Any:
    return str if name == "names" else toml


def toml(value: Any) -> str:
    """A value as TOML; JSON is, but for tables."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml(key)} = {toml(item)}' for key, item in value.items())}}}"
    return msgspec.json.encode(value).decode()


def _table(name: str, text: str) -> Any:
    return _read(name, f"x = {{ {text} }}", "name=value, name=value")


def _list(name: str, text: str) -> Any:
    return _read(name, f"x = [{text}]", "numbers between commas")


def _read(name: str, text: str, expected: str) -> Any:
    try:
        return tomllib.loads(text)["x"]
    except tomllib.TOMLDecodeError:
        raise UsageError(f"--{name.replace('_', '-')} must be {expected}, got {text[4:].strip('[]{} ')!r}") from None


def _names(_: str, text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


_READERS: dict[str, Any] = {
    "env_kwargs": _table,
    "domains": _table,
    "actions": _list,
    "bounds": _list,
    "names": _names,
}
