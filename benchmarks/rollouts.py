"""Time the evaluation of a file of solutions: python benchmarks/rollouts.py --data FILE [--repeat N] [--threads N].

FILE has the format of tests/golden/mountain_car.json. The time is that of everything between genotypes and
performances: finding equal pairs, decoding and merging, rollouts. Prints JSON: `seconds` (best of N) and of them
`seconds_of_rollouts`; `env_steps` of all solutions, and `simulated_steps` without those of equal pairs; `returns` (mean
return of each solution), and `all_equal`, whether they are those of the file.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from common import best_of, read_solutions

from mococo.rollout import Engine, check_threads


def seconds_of_rollouts(repeat: int, evaluator: Any, solns: Any) -> float:
    """Least seconds within the engine alone."""
    roll_out, spent = Engine.roll_out, []

    def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        answer = roll_out(*args, **kwargs)
        spent.append(time.perf_counter() - begin)
        return answer

    with patch.object(Engine, "roll_out", timed):
        for _ in range(repeat):
            evaluator(solns)
    return min(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    evaluator, solns, data = read_solutions(args.data, args.threads)
    returns = evaluator(solns)  # compiles
    env_steps, simulated_steps = evaluator.env_steps, evaluator.simulated_steps
    seconds = best_of(args.repeat, lambda: evaluator(solns))
    alone = seconds_of_rollouts(args.repeat, evaluator, solns)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "seconds_of_rollouts": alone,
                "env_steps": env_steps,
                "simulated_steps": simulated_steps,
                "ns_per_step": seconds / env_steps * 1e9,
                "threads": check_threads(args.threads),
                "all_equal": returns.tolist() == [s["perf"] for s in data["solutions"]],
                "returns": returns.tolist(),
            }
        )
    )


if __name__ == "__main__":
    main()
