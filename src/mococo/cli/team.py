"""Processes that work through many command lines of `mococo`, each one after the other in a process that stays.

A process is started once for each core, because starting one takes as long as a third of a short run. What happens to
one command does not touch the others: a process that dies is replaced.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

import msgspec

from mococo.cli.main import INTERRUPTED, OK, main

FAULT = 70  # exit code of a command that raised what it should not have: sysexits.h calls it EX_SOFTWARE


class Line(msgspec.Struct, frozen=True):
    """A line of `--json`, or the end of a command; other fields are passed over."""

    event: str
    code: int = OK
    complaint: str = ""


@dataclass
class Team:
    """Runs one command for each seed, several at a time."""

    commands: Mapping[int, Sequence[str]]
    told: Callable[[], object]
    """Called after every generation of any of them."""
    failed: dict[int, str] = field(default_factory=dict)
    """Why a command did not end well; a fault of ours with its traceback."""
    stopping: bool = False
    start: str = "from mococo.cli.team import serve; serve()"
    """What each process is."""
    _running: list[subprocess.Popen[str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, processes: int) -> Iterator[int | None]:
        """Seeds as they end; None now and then, so that the caller can look after other things."""
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        ended: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        for seed in self.commands:
            waiting.put(seed)
        workers = [threading.Thread(target=self._drain, args=(waiting, ended)) for _ in range(processes)]
        for worker in workers:
            worker.start()
        try:
            left = len(workers)
            while left:
                try:
                    done = ended.get(timeout=0.2)
                except queue.Empty:
                    yield None
                    continue
                left -= done is None
                if done is not None:
                    yield done
        finally:
            for worker in workers:
                worker.join()

    def stop(self) -> None:
        """Let all finish their generation and save, and start no more."""
        with self._lock:
            self.stopping = True
            for process in self._running:
                process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End all at once."""
        for process in list(self._running):
            process.kill()

    def _drain(self, waiting: queue.SimpleQueue[int], ended: queue.SimpleQueue[int | None]) -> None:
        """One process after the other, until nothing is waiting."""
        try:
            while not waiting.empty() and not self.stopping:
                self._one_process(waiting, ended)
        finally:
            ended.put(None)

    def _one_process(self, waiting: queue.SimpleQueue[int], ended: queue.SimpleQueue[int | None]) -> None:
        """A process for as many commands as it lives to do."""
        with tempfile.TemporaryFile("w+", errors="replace") as complaints, self._started(complaints) as process:
            while not self.stopping:
                try:
                    seed = waiting.get_nowait()
                except queue.Empty:
                    return
                alive = self._command(process, seed, complaints)
                ended.put(seed)
                if not alive:
                    return

    def _command(self, process: subprocess.Popen[str], seed: int, complaints: IO[str]) -> bool:
        """Have a process do one command. Whether it can do another."""
        assert process.stdin
        assert process.stdout
        with contextlib.suppress(BrokenPipeError):  # then there is no answer either
            process.stdin.write(json.dumps(list(self.commands[seed])) + "\n")
            process.stdin.flush()
        for text in process.stdout:
            line = msgspec.json.decode(text, type=Line)
            if line.event == "generation":
                self.told()
            elif line.event == "exit":
                if line.code not in (OK, INTERRUPTED):
                    self.failed[seed] = line.complaint.strip().removeprefix("mococo: ")
                return True
        code = process.wait()
        if not self.stopping:
            complaints.seek(0)
            last = complaints.read().strip().splitlines()[-1:]
            self.failed[seed] = ": ".join([_ending(code), *last])
        return False

    @contextlib.contextmanager
    def _started(self, complaints: IO[str]) -> Iterator[subprocess.Popen[str]]:
        # In a session of its own, so that Ctrl-C in the terminal reaches it only through us, and once.
        process = subprocess.Popen(
            [sys.executable, "-c", self.start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            start_new_session=True,
        )
        with self._lock:
            self._running.append(process)
            if self.stopping:
                process.terminate()
        try:
            with contextlib.suppress(BrokenPipeError), process:  # closes its stdin, at which it ends
                yield process
        finally:
            with self._lock:
                self._running.remove(process)


def _ending(code: int) -> str:
    """How a process died."""
    if code >= 0:
        return f"its process ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"its process was killed by signal {name}"


def serve() -> None:
    """Do the commands that stdin gives, a line of JSON each, and tell the end of each on stdout."""
    told = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    for line in sys.stdin:
        complaint = io.StringIO()
        with contextlib.redirect_stderr(complaint):
            try:
                code = main(json.loads(line))  # folders may have names that are no text, which this keeps
            except Exception:
                code = FAULT
                traceback.print_exc()
        sys.stdout.flush()
        said = complaint.getvalue().encode(errors="replace").decode()
        print(msgspec.json.encode(Line("exit", code, said)).decode(), file=told, flush=True)
