"""What a worker process does: make one environment, then play what it is sent until nobody is there."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from multiprocessing.connection import Connection

from mococo.envs.simulator import Maker
from mococo.workers.messages import Failure, Ticks

_LOOK = 2.0  # seconds between two looks whether the process that we work for is there


def serve(connection: Connection, ticks: Ticks, maker: Maker) -> None:
    """Make the environment, say so, play."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    warnings.simplefilter("ignore")  # the process that started us has seen them when it made an environment
    try:
        from mococo.workers.stage import Stage

        stage = Stage(maker, ticks)
    except Exception as error:
        connection.send(Failure.of(error))
        return
    connection.send(None)
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = job(stage)
        except Exception as error:
            answer = Failure.of(error)
        try:
            connection.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return


def _end_with(parent: int) -> None:
    """A worker whose environment hangs would outlive the process that it works for."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def main(handle: int, ticks_handle: int) -> None:
    """A worker that was started as a new Python process, with a socket and the file of its ticks."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    connection: Connection = Connection(handle)
    sys.path[:] = connection.recv()  # first, because the maker may be of a module that only it leads to
    serve(connection, Ticks.of_file(ticks_handle), connection.recv())
