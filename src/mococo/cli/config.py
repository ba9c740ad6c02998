"""`mococo config`: every setting as a TOML file that explains itself."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from mococo.cli.environment import Described, given_choices, toml
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, option, parse
from mococo.cli.settings import TABLE, chosen_in, descriptions, given_settings, resolved, with_settings
from mococo.config import Config
from mococo.envs.choices import Choices
from mococo.envs.registry import known, named
from mococo.envs.spec import Environment
from mococo.errors import UsageError
from mococo.runs.environments import choices_of
from mococo.runs.reading import read_config
from mococo.subspecies import tag_text
from mococo.training import resolve

_WIDTH = 100


@dataclass(frozen=True)
class Settings:
    """Print every setting as a TOML file that explains itself, for --config.

    The values are those of an environment, or of a run; settings that are given are put over them.
    """

    env: Annotated[str | None, TEXT, option("Environment.", default="", metavar="ID")] = None
    run: Annotated[str | None, TEXT, option("Folder of a run.", default="", metavar="RUN")] = None
    config: Annotated[str | None, TEXT, option("TOML file of settings.", default="", metavar="FILE")] = None


def run(words: Sequence[str]) -> int:
    """Resolve, print."""
    args = parse(with_settings(Settings, Described), "config", words)
    if (args.env is None) == (args.run is None):
        raise UsageError("give --env ID for an environment's settings, or --run RUN for those of a run")
    given = given_settings(args)
    if args.run is not None:
        if args.config is not None:
            raise UsageError("--config belongs to --env; a run has its settings")
        if given_choices(args) != Choices():
            raise UsageError("what is said of an environment belongs to --env; a run has its environment")
        record = read_config(Path(args.run))
        env = record.open_environment(Path(args.run))
        config, source = resolve(env, record.settings, given), f"the run in {args.run}"
        choices = choices_of(env, known(env.id))
    else:
        file = Path(args.config) if args.config else None
        choices = given_choices(args, chosen_in(file))
        env = named(str(args.env), **msgspec.to_builtins(choices))
        config, source = resolved(env, file, given), env.id
    text = toml_text(config, f"Settings of Fuzzy MoCoCo for {source!a}.", args.env or env.id)
    print(f"{text}\n{_environment(env, choices)}", end="")
    return OK


def _environment(env: Environment, choices: Choices) -> str:
    """What is said of the environment as a table; in comments, what might be said."""
    said = msgspec.to_builtins(choices)
    values = [action.value for action in env.actions]
    told = {"actions": values, "performance_bounds": env.performance_bounds}
    able = {**told, **msgspec.to_builtins(choices_of(env, None)), "features": []}
    if env.simulator:
        able = {"kwargs": {}, "on_fault": "stop", "step_timeout": 10.0, **able}
    parts = [f"# What is known of the environment. Take a # away to have it otherwise.\n[{TABLE}]\n"]
    for name, description in descriptions(Choices).items():
        if name in said or name in able:
            value = toml(said.get(name, able.get(name)))
            parts.append(f"{_comment(description)}\n{'' if name in said else '# '}{name} = {value}\n")
    return "\n".join(parts)


def _comment(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def toml_text(config: Config, head: str, env_id: str) -> str:
    """A file that `--config` reads."""
    parts = [f"# {head}\n# mococo train {env_id} --config THIS_FILE\n"]
    for name, description in descriptions().items():
        parts.append(f"{_comment(description)}\n{name} = {_value(config, name)}\n")
    return "\n".join(parts)


def _value(config: Config, name: str) -> str:
    if name == "subspecies":
        return f'"{",".join(tag_text(tag) for tag in config.subspecies)}"'
    value = getattr(config, name)
    return f'"{value}"' if isinstance(value, str) else repr(value)
