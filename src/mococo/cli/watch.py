"""`mococo watch`: a page that follows a run as it goes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.errors import UsageError
from mococo.report.live import Live
from mococo.runs.experiment import holds_experiment

MOST_PORT = 65535


@dataclass(frozen=True)
class Watch:
    """Follow a run in a browser: front, throughput, time left. Only this machine can see the page.

    It ends by itself when the run has ended and the page is closed, or with Ctrl-C.
    """

    path: Annotated[str, TEXT, option("Folder of a run that is going on.", metavar="RUN")]
    port: Annotated[int, WHOLE, option("Port.", default="a free one")] = 0
    browser: Annotated[bool, option("Open the page in a browser.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Serve until nobody is left to look."""
    args = parse(Watch, "watch", words)
    path = Path(args.path)
    if not 0 <= args.port <= MOST_PORT:
        raise UsageError(f"--port must be between 0 and {MOST_PORT}, got {args.port}")
    if holds_experiment(path):
        raise UsageError(f"{path} holds many seeds; watch one of them, such as mococo watch {path / 'seed-0'}")
    live = Live(path, args.port)
    print(f"{live.url}  follows {path}; it ends with the run and the page, or with Ctrl-C", flush=True)
    if args.browser:
        import webbrowser

        webbrowser.open(live.url)
    with suppress(KeyboardInterrupt):
        live.follow()
    return OK
