"""What the benchmarks share: solutions from a file of the golden format, best-of-N timing, the C reference."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mococo.envs.registry import find
from mococo.evaluation import RolloutEvaluator
from mococo.population import Population, SolutionSet
from mococo.subspecies import lambda_1, lambda_2


def read_solutions(path: Path, threads: int | None = None) -> tuple[RolloutEvaluator, SolutionSet, dict[str, Any]]:
    """An evaluator and the file's solutions, every one with genotypes of its own: nothing is shared beforehand."""
    data = json.loads(path.read_text(encoding="utf-8"))
    tags = sorted({tuple(s["tag"]) for s in data["solutions"]})
    n = len(data["solutions"])
    db = np.zeros((n, max(lambda_1(tag) for tag in tags)))
    rb = np.zeros((n, max(lambda_2(tag) for tag in tags)), np.int8)
    sigma = np.zeros(n, np.int64)
    for i, solution in enumerate(data["solutions"]):
        sigma[i] = tags.index(tuple(solution["tag"]))
        db[i, : len(solution["db"])] = solution["db"]
        rb[i, : len(solution["rb"])] = solution["rb"]
    rows = np.arange(n)
    solns = SolutionSet.unevaluated(Population.newborn(sigma, db), Population.newborn(sigma, rb), rows, rows)
    env = find("MountainCar-v0")
    starts = np.column_stack([data["starts"], np.zeros(len(data["starts"]))])
    return RolloutEvaluator(env, tags, 0.75, starts, threads), solns, data


def best_of(repeat: int, work: Callable[[], Any]) -> float:
    """Least seconds of several tries: other work on the machine only ever adds."""
    least = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - begin)
    return least
