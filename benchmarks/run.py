"""Time a whole paper run: python benchmarks/run.py [--runs N] [--threads N] [--seed N].

Prints JSON: seconds of each run, the share of rollouts, decoding (with the search for equal pairs), selection,
breeding and the rest, environment steps per second, and the peak memory after the first and after the last run.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import mococo
from mococo import algorithm, evaluation, rollout
from mococo.rollout import check_threads

PARTS = {
    "rollouts": [(rollout.Engine, "roll_out")],
    "decoding": [(evaluation, "decode_db"), (evaluation, "decode_rb"), (evaluation.RolloutEvaluator, "_distinct")],
    "selection": [
        (algorithm, name)
        for name in ("rank_and_crowd", "assign_indivs_credit", "best_of_drawn", "build_collabr_map", "build_soln_set")
    ],
    "breeding": [(algorithm, "breed_children")],
}


def count_time(part: str, owner: Any, name: str, spent: Counter[str]) -> None:
    """Let a function add the time it takes to its part."""
    function: Callable[..., Any] = getattr(owner, name)

    @functools.wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[part] += time.perf_counter() - begin

    is_static = isinstance(owner, type) and isinstance(owner.__dict__[name], staticmethod)
    setattr(owner, name, staticmethod(timed) if is_static else timed)


def peak_mib() -> float:
    """Most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    spent: Counter[str] = Counter()
    for part, functions in PARTS.items():
        for owner, name in functions:
            count_time(part, owner, name, spent)
    mococo.train("MountainCar-v0", num_gens=2, threads=args.threads)  # compiles
    runs, steps, peaks = [], 0, []
    spent.clear()
    for seed in range(args.seed, args.seed + args.runs):
        begin = time.perf_counter()
        result = mococo.train("MountainCar-v0", seed, mococo.Config(), threads=args.threads)
        runs.append(time.perf_counter() - begin)
        steps += sum(record.env_steps for record in result.history)
        peaks.append(peak_mib())
    total = sum(runs)
    shares = {part: spent[part] / total for part in PARTS}
    shares["rest"] = 1 - sum(shares.values())
    print(
        json.dumps(
            {
                "threads": check_threads(args.threads),
                "runs": len(runs),
                "seconds": total,
                "seconds_of_a_run": {"best": min(runs), "mean": total / len(runs)},
                "shares": shares,
                "env_steps": steps,
                "env_steps_per_second": steps / total,
                "times_faster_than_70_us": 70e-6 * steps / total,
                "peak_mib": {"first_run": peaks[0], "last_run": peaks[-1]},
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
