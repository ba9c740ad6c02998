"""Time what a user waits for: python benchmarks/startup.py [--repeat N]. Prints JSON, best of N.

`python` is an interpreter that does nothing, `help` is `mococo --help`, and `first_generation` is the time from the
command to the end of the first generation of `mococo train MountainCar-v0 --num-gens 1`, with a warm cache.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from common import best_of

COMMAND = str(Path(sysconfig.get_path("scripts")) / "mococo")


def run(*words: str) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def first_generation() -> float:
    """Seconds until the line of the first generation is printed."""
    with tempfile.TemporaryDirectory() as folder:
        words = [COMMAND, "train", "MountainCar-v0", "--num-gens", "1", "--json", "--quiet", "-o", f"{folder}/run"]
        begin = time.perf_counter()
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()
    first_generation()  # compiles
    python = best_of(args.repeat, lambda: run(sys.executable, "-c", "pass"))
    help_ = best_of(args.repeat, lambda: run(COMMAND, "--help"))
    first = min(first_generation() for _ in range(args.repeat))
    print(
        json.dumps(
            {
                "python": python,
                "help": help_,
                "help_allowed": 3 * python + 0.25,
                "first_generation": first,
                "first_generation_allowed": 1.5,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
