"""What durability costs in a paper run: python benchmarks/checkpoints.py [--runs N] [--threads N] [--folder DIR].

Prints JSON: for each run its seconds, how many checkpoints it wrote, and which share of the seconds they took, those of
the lines of events.jsonl and those of the files at the end. All are measured in the same run, so the machine's speed
cancels out. The folder decides which disk is meant.
"""

from __future__ import annotations

import argparse
import functools
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mococo
from mococo.envs.registry import find
from mococo.rollout import check_threads
from mococo.runs import lock
from mococo.runs.folder import RunFolder, create
from mococo.runs.session import Session
from mococo.stops import Stops
from mococo.training import resolve

PARTS = {"checkpoints": "checkpoint", "events": "record", "files_at_the_end": "finish"}


def count_time(part: str, name: str, spent: Counter[str], calls: Counter[str]) -> None:
    """Let a method of the folder add the time it takes to its part."""
    method: Callable[..., Any] = getattr(RunFolder, name)

    @functools.wraps(method)
    def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        try:
            return method(*args, **kwargs)
        finally:
            spent[part] += time.perf_counter() - begin
            calls[part] += 1

    setattr(RunFolder, name, timed)


def run(path: Path, seed: int, threads: int, spent: Counter[str], calls: Counter[str]) -> dict[str, Any]:
    """One run in its folder, as `mococo train` does it."""
    env = find("MountainCar-v0")
    config = resolve(env, None, {})
    spent.clear()
    calls.clear()
    begin = time.perf_counter()
    with lock.locked(path):
        session = Session(create(path, env, config, seed), seed, Stops())
        for _ in session.generations(threads):
            pass
        session.finish(threads)
    seconds = time.perf_counter() - begin
    shares = {part: spent[part] / seconds for part in PARTS}
    return {"seed": seed, "seconds": seconds, "checkpoints": calls["checkpoints"], "shares": shares}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--folder", type=Path, default=None)
    args = parser.parse_args()
    threads = check_threads(args.threads)
    spent: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for part, name in PARTS.items():
        count_time(part, name, spent, calls)
    mococo.train("MountainCar-v0", num_gens=2, threads=threads)  # compiles
    top = Path(tempfile.mkdtemp(prefix="mococo-", dir=args.folder))
    try:
        runs = [run(top / f"{seed}", seed, threads, spent, calls) for seed in range(args.runs)]
    finally:
        shutil.rmtree(top)
    worst = {part: max(r["shares"][part] for r in runs) for part in PARTS}
    print(json.dumps({"threads": threads, "runs": runs, "largest_shares": worst}, indent=2))


if __name__ == "__main__":
    main()
