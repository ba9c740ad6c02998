"""`mococo config`: every setting as a TOML file that explains itself."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, option, parse
from mococo.cli.settings import descriptions, given_settings, resolved, with_settings
from mococo.config import Config
from mococo.envs.registry import find, named
from mococo.errors import UsageError
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
    args = parse(with_settings(Settings), "config", words)
    if (args.env is None) == (args.run is None):
        raise UsageError("give --env ID for an environment's settings, or --run RUN for those of a run")
    given = given_settings(args)
    if args.run is not None:
        if args.config is not None:
            raise UsageError("--config belongs to --env; a run has its settings")
        record = read_config(Path(args.run))
        env = find(record.env)
        config, source = resolve(env, record.settings, given), f"the run in {args.run}"
    else:
        env = named(str(args.env))
        config, source = resolved(env, Path(args.config) if args.config else None, given), env.id
    print(toml_text(config, f"Settings of Fuzzy MoCoCo for {source!a}.", env.id), end="")
    return OK


def toml_text(config: Config, head: str, env_id: str) -> str:
    """A file that `--config` reads."""
    parts = [f"# {head}\n# mococo train {env_id} --config THIS_FILE\n"]
    for name, description in descriptions().items():
        comment = textwrap.fill(description, _WIDTH, initial_indent="# ", subsequent_indent="# ")
        parts.append(f"{comment}\n{name} = {_value(config, name)}\n")
    return "\n".join(parts)


def _value(config: Config, name: str) -> str:
    if name == "subspecies":
        return f'"{",".join(tag_text(tag) for tag in config.subspecies)}"'
    value = getattr(config, name)
    return f'"{value}"' if isinstance(value, str) else repr(value)
