"""Runs made up of random policies: as many as are wanted, for the explorer's benchmark and its test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mococo.envs.registry import find
from mococo.policy import Policy
from mococo.runs.reading import Run
from mococo.runs.scores import Scored
from mococo.subspecies import lambda_1, lambda_2


def many_runs(run: Run, runs: int, policies: int) -> list[Run]:
    """Copies of a run under other names and seeds, each with so many random policies."""
    rng = np.random.default_rng(0)
    return [
        replace(
            run,
            path=run.path.parent / f"seed-{seed}",
            seed=seed,
            archive=tuple(_random(run, rng) for _ in range(policies)),
        )
        for seed in range(runs)
    ]


def _random(run: Run, rng: np.random.Generator) -> Scored:
    env = find(run.env)
    tag = run.config.subspecies[rng.integers(len(run.config.subspecies))]
    rb = rng.integers(0, len(env.actions) + 1, lambda_2(tag))
    rb[0] = 1
    policy = Policy.from_genotypes(tag, rng.random(lambda_1(tag)), rb, env.features, env.actions)
    performance = float(np.round(rng.uniform(*env.performance_bounds), 1))
    fresh = performance - float(rng.random())
    return Scored(policy, performance, policy.complexity, 0, 1, fresh, 0.1, (fresh - 0.2, fresh + 0.2), 0)
