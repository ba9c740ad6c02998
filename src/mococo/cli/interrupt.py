"""Ctrl-C: the first time the generation is finished and saved, the second time the process ends at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from mococo.cli.main import INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # a cluster's scheduler sends the second before it kills
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def gently(*, quiet: bool, at_once: Callable[[], object] = lambda: None) -> Iterator[Callable[[], bool]]:
    """Tells whether the run shall end after this generation. `at_once` is called before the process ends at once."""
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False  # Python lets only the main thread listen
        return

    def hear(number: int) -> None:
        if asked:
            # Threads may be in the middle of a long evaluation, for which an orderly exit would wait. Nothing is lost
            # but the generations since the last checkpoint.
            at_once()
            os.write(2, (_SHOW_CURSOR if sys.stderr.isatty() else "").encode() + b"mococo: left at once\n")
            os._exit(INTERRUPTED)
        asked.append(number)
        if not quiet:
            os.write(2, b"mococo: finishing this generation; once more to leave at once\n")

    def listen() -> None:
        while numbers := os.read(ours, 1):
            if numbers[0] in heard:
                hear(numbers[0])

    # Python calls a handler only when compiled code has returned, which may take minutes, and once for all signals of
    # that time. So the numbers are read from a pipe, by a thread that the compiled code does not keep waiting.
    ours, its = os.pipe()
    os.set_blocking(its, False)
    # What a parent let us ignore, as a shell does for jobs in the background, stays ignored.
    heard = {n: signal.signal(n, _pass) for n in _SIGNALS if signal.getsignal(n) is not signal.SIG_IGN}
    fd_before = signal.set_wakeup_fd(its, warn_on_full_buffer=False)
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield lambda: bool(asked)
    finally:
        signal.set_wakeup_fd(fd_before)
        for number, before in heard.items():
            signal.signal(number, before)
        os.close(its)
        listener.join()
        os.close(ours)


def _pass(number: int, frame: FrameType | None) -> None:
    """Only so that the signal is not the end."""
