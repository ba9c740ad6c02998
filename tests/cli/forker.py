"""Run as a process: starts `mococo` many times, as processes of their own, without loading the library each time.

Reads lines of JSON, each a list of jobs {"words": [...], "kill": [run, generations, seconds] or "step": n} that start
together; answers each line with a list of {"code": exit code or minus the signal, "err": stderr}. A job is killed when
its run has so many generations (0: has begun, -1: at once) and the seconds after it have passed, or before the nth
step in which it changes a disk.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mococo.cli.main import main
from mococo.runs import session

CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")
MANY_CHECKPOINTS = 5  # times what one costs, instead of 100: so that more kills strike in the middle of one


def start(words: list[str], err: str, step: int | None = None) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        if step is not None:
            die_before(step)
        for number, name in ((1, os.devnull), (2, err)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
        code = main([*words, "--threads", "1"])
    finally:
        os._exit(code)


def die_before(step: int) -> None:
    """Kill this process in the nth change of a disk, or sync, that it makes from now on."""
    left, fsync = step, os.fsync

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in (*CHANGES, "sync"):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def synced(handle: int) -> None:
        count("sync", ())
        fsync(handle)

    os.fsync = synced
    sys.addaudithook(count)


def finish(job: dict[str, Any], pid: int) -> int:
    """Kill the process when it is time, or wait for it; its code."""
    if job.get("kill"):
        run, generations, seconds = job["kill"]
        while not ended(pid) and reached(Path(run)) < generations:
            time.sleep(0.0005)
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def reached(run: Path) -> int:
    events = run / "events.jsonl"
    return events.read_bytes().count(b"\n") if (run / "config.json").exists() and events.exists() else -1


def run(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        errs = [str(Path(folder) / f"{n}") for n in range(len(jobs))]
        pids = [start(job["words"], err, job.get("step")) for job, err in zip(jobs, errs, strict=True)]
        codes = [finish(job, pid) for job, pid in zip(jobs, pids, strict=True)]
        texts = [Path(err).read_text() if Path(err).exists() else "" for err in errs]
    return [{"code": code, "err": text} for code, text in zip(codes, texts, strict=True)]


if __name__ == "__main__":
    session._SHARE, session._FIRST_COST = MANY_CHECKPOINTS, 0.0
    with tempfile.TemporaryDirectory() as folder:  # so that everything is loaded when the first process starts
        words = ["--num-gens", "2", "--db-pop-size", "4", "--rb-pop-size", "4", "--threads", "1", "--quiet"]
        sys.stdout, kept = sys.stderr, sys.stdout
        main(["train", "MountainCar-v0", "-o", f"{folder}/run", *words])
        main(["resume", f"{folder}/run", "--num-gens", "3", "--threads", "1", "--quiet"])
        sys.stdout = kept
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
