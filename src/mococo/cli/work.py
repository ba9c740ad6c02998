"""What `mococo train` and `mococo resume` have in common: run a session, show how it goes, tell what was found."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from mococo.cli import text
from mococo.cli.interrupt import gently
from mococo.cli.main import INTERRUPTED as INTERRUPTED_CODE
from mococo.cli.main import OK
from mococo.cli.progress import display
from mococo.kernels.notice import compile_notice
from mococo.runs.scores import FRESH_STARTS, Scored, best
from mococo.runs.session import INTERRUPTED, Session


@dataclass(frozen=True)
class View:
    """How much is printed, and for whom."""

    quiet: bool
    json: bool


def work(session: Session, threads: int, view: View) -> int:
    """Run to the end, or to the first Ctrl-C; save and tell. The exit code."""
    config, path = session.folder.config, session.folder.path
    faults = ""
    with gently(quiet=view.quiet) as asked:
        with display(config.num_gens, quiet=view.quiet) as shown, compile_notice(shown.compiling):
            for progress in session.generations(threads, asked):
                faults = progress.faults
                shown.update(progress)
                if view.json:
                    _line({"event": "generation", **asdict(progress.record)})
        front, archive = session.finish(threads)
    _tell(session, front, archive, view)
    count = sum(record.faults for record in session.history)
    if count and not view.json:
        print(text.wrapped(f"{text.counted(count, 'episode')} failed, and counted as worst: {faults}"), file=sys.stderr)
    if session.ended == INTERRUPTED:
        reached = f"stopped after generation {len(session.history)} of {config.num_gens}"
        print(f"mococo: {reached}; to go on: {text.command('mococo resume', path)}", file=sys.stderr)
        return INTERRUPTED_CODE
    return OK


def _tell(session: Session, front: Sequence[Scored], archive: Sequence[Scored], view: View) -> None:
    path = session.folder.path
    if view.json:
        members = [_member(member) for member in archive]
        faults = sum(record.faults for record in session.history)
        reached = {"generations": len(session.history), "ended": session.ended, "faults": faults}
        name = os.fsencode(path).decode(errors="replace")  # a folder's name need not be text; JSON is
        _line({"event": "end", "run": name, "seed": session.seed, **reached, "archive": members})
        return
    if view.quiet:
        print(path)
        return
    print(text.archive_text(archive, session.folder.config.eta, FRESH_STARTS))
    print()
    print(text.last_front_text(front))
    if archive:
        top = best(archive)
        print(f"\nThe best policy, complexity {top.complexity}:")
        print(text.rules(top.policy))
    if session.ended and session.ended != INTERRUPTED:
        print(f"\nEnded after generation {len(session.history)}: {session.ended}")
    print(f"\nSaved in {path}")
    print(f"To see more: {text.command('mococo show', path)}")


def _member(member: Scored) -> dict[str, Any]:
    return {
        "complexity": member.complexity,
        "performance": member.performance,
        "fresh_performance": member.fresh_performance,
        "fresh_interval": member.fresh_interval,
        "fresh_uncovered": member.fresh_uncovered,
        "gen": member.gen,
    }


def _line(data: dict[str, Any]) -> None:
    print(msgspec.json.encode(data).decode(), flush=True)
