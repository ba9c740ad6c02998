"""Starting and ending a worker process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import warnings
import weakref
from contextlib import suppress
from multiprocessing.connection import Connection

from mococo.envs.simulator import Maker, Simulator
from mococo.errors import EnvironmentSpecError, SimulationError
from mococo.workers.loop import serve
from mococo.workers.messages import Failure, Ticks

_START = "import sys; from mococo.workers.loop import main; main(int(sys.argv[1]), int(sys.argv[2]))"
_ours: weakref.WeakSet[Worker] = weakref.WeakSet()


class Worker:
    """A process with one environment.

    It is a new Python process, which knows nothing of this one: threads and locks cannot be copied into it in the
    middle of their work, and the user's script is not run again, as multiprocessing's spawn would. What makes the
    environment is sent. A lambda, or what is defined in the script itself, cannot be sent: only a fork has it.
    """

    def __init__(self, simulator: Simulator) -> None:
        maker = simulator.maker()
        travels = maker.travels
        ours, theirs = socket.socketpair()
        self.ticks, file = Ticks.make()
        self.connection: Connection = Connection(ours.detach())
        self._process: subprocess.Popen[bytes] | multiprocessing.process.BaseProcess
        with file, theirs:
            if travels:
                self._process = _spawned(theirs, file.fileno())
            else:
                self._process = _forked(simulator, self.connection, theirs, self.ticks, maker)
        _ours.add(self)
        self._end = weakref.finalize(self, _end, self._process, self.connection)
        if travels:
            with suppress(OSError):  # it has died; `wait_until_ready` will tell
                self.connection.send(sys.path)
                self.connection.send(maker)

    def wait_until_ready(self, name: str) -> None:
        """Return when the environment is made; its complaint where it is not."""
        try:
            failure = self.connection.recv()
        except (EOFError, OSError):
            failure = Failure("", f"its process ended ({self.ending()})")
        if failure is not None:
            raise SimulationError(f"{name} cannot be made in a worker process: {failure.text}")

    def ending(self) -> str:
        """How the process ended."""
        process = self._process
        code = process.wait() if isinstance(process, subprocess.Popen) else _joined(process)
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"

    def end(self) -> None:
        """End the process at once."""
        self._end()


def _spawned(theirs: socket.socket, ticks: int) -> subprocess.Popen[bytes]:
    # In a session of its own, so that Ctrl-C in the terminal leaves it at work until its generation is done.
    return subprocess.Popen(
        [sys.executable, "-c", _START, str(theirs.fileno()), str(ticks)],
        pass_fds=(theirs.fileno(), ticks),
        stdin=subprocess.DEVNULL,
        stdout=2,  # what an environment prints must not get between our results
        start_new_session=True,
    )


def _forked(
    simulator: Simulator, ours: Connection, theirs: socket.socket, ticks: Ticks, maker: Maker
) -> multiprocessing.process.BaseProcess:
    if sys.platform != "linux":
        raise EnvironmentSpecError(
            f"{simulator.id}: its factory is a lambda, or is defined in the script itself, and cannot be sent to "
            f"worker processes on this system; define it in a module, so that they can import it"
        )
    with warnings.catch_warnings():
        # Since Python 3.12, of threads in this process. Ours sleep, and the worker uses none of what they hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = multiprocessing.get_context("fork").Process(
            target=_in_fork, args=(ours, theirs, ticks, maker), daemon=True
        )
        process.start()
    return process


def _in_fork(ours: Connection, theirs: socket.socket, ticks: Ticks, maker: Maker) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(2, 1)
    # As long as we hold the others' ends, they do not see when this process's parent is gone.
    ours.close()
    for other in list(_ours):
        other.connection.close()
    serve(Connection(theirs.detach()), ticks, maker)


def _joined(process: multiprocessing.process.BaseProcess) -> int | None:
    process.join()
    return process.exitcode


def _end(process: subprocess.Popen[bytes] | multiprocessing.process.BaseProcess, connection: Connection) -> None:
    connection.close()
    process.kill()
    process.wait() if isinstance(process, subprocess.Popen) else process.join()
