"""Time `mococo reproduce gecco21`: python benchmarks/reproduce.py [--seeds N]. Prints JSON.

`one_run` is the search of one run with the paper's settings on one thread: no process to start, nothing scored or
saved; the mean over some seeds, half of them before and half after. `ratio` is how many such runs a core could have
done in the time of the whole command, from its start to its end with everything written:
seconds * cores / one_run. It must stay at or under 40 for the thirty runs, on a machine that does nothing else.
`processor_ratio` is the same of the seconds that the processors worked, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

import mococo

COMMAND = str(Path(sysconfig.get_path("scripts")) / "mococo")
SAMPLE = 4


def one_run(seeds: range) -> tuple[float, float]:
    """Mean seconds and processor seconds of a run."""
    begin, worked = time.perf_counter(), time.process_time()
    for seed in seeds:
        mococo.train("MountainCar-v0", seed=seed, threads=1)
    return (time.perf_counter() - begin) / len(seeds), (time.process_time() - worked) / len(seeds)


def whole(seeds: int) -> tuple[float, float]:
    """Seconds of the command, and processor seconds of it and its processes."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        words = [COMMAND, "reproduce", "gecco21", "-o", f"{folder}/gecco21", "--seeds", str(seeds), "--quiet"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=30)
    args = parser.parse_args()
    mococo.train("MountainCar-v0", num_gens=2, threads=1)  # compiles
    cores = len(os.sched_getaffinity(0))
    first = one_run(range(SAMPLE))
    seconds, processor = whole(args.seeds)
    second = one_run(range(SAMPLE, 2 * SAMPLE))
    run, work = ((a + b) / 2 for a, b in zip(first, second, strict=True))
    print(
        json.dumps(
            {
                "cores": cores,
                "runs": args.seeds,
                "one_run": run,
                "seconds": seconds,
                "processor_seconds": processor,
                "ratio": seconds * cores / run,
                "processor_ratio": processor / work,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
