"""`mococo play`: watch a policy act, as Gymnasium draws it, in a window or as a film."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mococo.cli import text
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.sources import chosen, open_source
from mococo.errors import UsageError
from mococo.policy import Policy
from mococo.report import film
from mococo.report.motion import Shot, shots

MOST_EPISODES = 100


@dataclass(frozen=True)
class Play:
    """Watch a policy act in its environment, the rule that drives written under the picture.

    Without a screen, or with --save, it becomes a film.
    """

    policy: Annotated[str, TEXT, option("File of a policy, or folder of a run.", metavar="POLICY")]
    env: Annotated[str | None, TEXT, option("Environment of Gymnasium's.", default="the run's", metavar="ID")] = None
    complexity: Annotated[
        int | None, WHOLE, option("Play the run's policy of this complexity.", default="the best policy")
    ] = None
    episodes: Annotated[int, WHOLE, option("Episodes.")] = 1
    seed: Annotated[int, WHOLE, option("Seed of the first episode's reset; the next one has the next.")] = 0
    save: Annotated[
        str | None, TEXT, option("Write a film, .gif or .mp4.", default="a window, where there is a screen")
    ] = None


def run(words: Sequence[str]) -> int:
    """Read, play, show or save, tell how it went."""
    args = parse(Play, "play", words)
    if not 1 <= args.episodes <= MOST_EPISODES:
        raise UsageError(f"--episodes must be between 1 and {MOST_EPISODES}, got {args.episodes}")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    policy, env_id = _subject(args)
    path = Path(args.save) if args.save is not None else None if film.has_display() else Path(f"{env_id}.gif")
    if path is not None:
        film.check_format(path)
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # pictures need no screen, which pygame would look for
    ends: list[Shot] = []
    pictures = _noted(shots(policy, env_id, args.episodes, args.seed), ends)
    if path is None:
        film.show(pictures, f"{env_id}, complexity {policy.complexity}")
    else:
        try:
            film.save(pictures, path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written ({error.strerror}); name another file with --save") from None
    for shot in ends:
        print(_told(shot))
    if path is not None:
        print(f"{path}  {'there is no screen here, so it is a film' if args.save is None else 'saved'}")
    return OK


def _subject(args: Play) -> tuple[Policy, str]:
    source = open_source(Path(args.policy))
    if isinstance(source, Policy):
        if args.complexity is not None:
            raise UsageError(f"--complexity picks a policy of a run, but {args.policy} is a single policy")
        if args.env is None:
            raise UsageError(f"{args.policy} is a single policy: say with --env in which environment it shall act")
        return source, args.env
    return chosen(source, args.complexity).policy, args.env or source.env


def _noted(pictures: Iterator[Shot], ends: list[Shot]) -> Iterator[Shot]:
    """The same pictures; the last of each episode is kept."""
    for shot in pictures:
        if shot.moment.last:
            ends.append(shot)
        yield shot


def _told(shot: Shot) -> str:
    moment = shot.moment
    how = "no rule fires there" if moment.uncovered else "ended" if moment.ended else "stopped by the step limit"
    steps = text.counted(moment.step, "step")
    return f"Episode {shot.episode + 1}: return {text.number(moment.total)} after {steps}, {how}"
