"""Time worker processes beside bare loops: python benchmarks/workers.py [--workers N] [--rounds N] [--env ID].

A few random policies and starts give episodes, whose actions are written down. Then, in turns and several times:

bare     N processes, each with one environment, do nothing but `reset(seed=...)` and `step` with those actions
mococo   N workers play the same episodes, and find the actions themselves

Prints JSON: steps a second of both (best of all rounds) and their ratio; the median of the ratios of neighbouring
rounds; and the same by CPU time, that of this process included, which other work on the machine shifts least.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import mococo
from mococo.envs.here import made
from mococo.envs.spec import Environment
from mococo.errors import UncoveredState
from mococo.workers import pool

Episode = tuple[int, list[Any]]


def random_policies(env: Environment, n: int) -> list[mococo.Policy]:
    rng = np.random.default_rng(0)
    tags: Any = mococo.Config(subspecies=env.settings["subspecies"]).subspecies
    found = []
    for i in range(n):
        tag = tags[i % len(tags)]
        rb = rng.integers(1, len(env.actions) + 1, int(np.prod(tag)))
        found.append(mococo.Policy.from_genotypes(tag, rng.random(sum(tag)), rb, env.features, env.actions))
    return found


def write_down(env: Environment, policies: list[mococo.Policy], seeds: list[int]) -> list[Episode]:
    assert env.simulator
    real = made(env.simulator)
    episodes = []
    for policy in policies:
        for seed in seeds:
            actions, ended = [], False
            observation, _ = real.reset(seed=seed)
            while not ended:
                try:
                    actions.append(policy.act(observation))
                except UncoveredState:
                    break
                observation, _, terminated, truncated, _ = real.step(actions[-1])
                ended = terminated or truncated
            episodes.append((seed, actions))
    return episodes


def bare(env_id: str, checker: bool, episodes: list[Episode], barrier: Any, answers: Any) -> None:
    env = gymnasium.make(env_id, disable_env_checker=not checker)
    env.reset(seed=0)
    barrier.wait()
    begin, cpu = time.perf_counter(), time.process_time()
    for seed, actions in episodes:
        env.reset(seed=seed)
        for action in actions:
            env.step(action)
    answers.put((begin, time.perf_counter(), time.process_time() - cpu))


def bare_seconds(env_id: str, checker: bool, episodes: list[Episode], n: int) -> tuple[float, float]:
    """Wall time from the first start to the last end of n processes that share the steps evenly; their CPU time."""
    shares: list[list[Episode]] = [[] for _ in range(n)]
    for episode in sorted(episodes, key=lambda e: -len(e[1])):
        min(shares, key=lambda share: sum(len(actions) for _, actions in share)).append(episode)
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(n), context.SimpleQueue()
    processes = [context.Process(target=bare, args=(env_id, checker, share, barrier, answers)) for share in shares]
    for process in processes:
        process.start()
    times = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    return max(t[1] for t in times) - min(t[0] for t in times), sum(t[2] for t in times)


def cpu_seconds(env: Environment) -> float:
    """CPU time of this process and of its workers so far."""
    assert env.simulator
    total = time.process_time()
    for desk in pool.pool_of(env.simulator)._desks:
        fields = Path(f"/proc/{desk.worker._process.pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="LunarLander-v3")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--policies", type=int, default=100)
    parser.add_argument("--starts", type=int, default=8)
    args = parser.parse_args()
    env = mococo.environment(args.env)
    policies, starts = random_policies(env, args.policies), env.draw_starts(args.starts, 0)
    episodes = write_down(env, policies, [int(seed) for seed in starts[:, 0]])
    steps = sum(len(actions) for _, actions in episodes)
    mococo.evaluate(policies[:2], env, starts=starts, threads=args.workers)  # starts the workers
    seconds: dict[str, list[tuple[float, float]]] = {"bare": [], "bare, with Gymnasium's checker": [], "mococo": []}
    for _ in range(args.rounds):
        seconds["bare"].append(bare_seconds(args.env, False, episodes, args.workers))
        seconds["bare, with Gymnasium's checker"].append(bare_seconds(args.env, True, episodes, args.workers))
        begin, cpu = time.perf_counter(), cpu_seconds(env)
        played = mococo.evaluate(policies, env, starts=starts, threads=args.workers)
        seconds["mococo"].append((time.perf_counter() - begin, cpu_seconds(env) - cpu))
        assert int(played.steps.sum()) == steps, "the same actions take the same steps"
    pairs = list(zip(seconds["bare"], seconds["mococo"], strict=True))
    found = {
        "env": args.env,
        "workers": args.workers,
        "steps": steps,
        "steps_per_second": {name: round(steps / min(t[0] for t in times)) for name, times in seconds.items()},
        "ratio_of_best": round(min(seconds["bare"])[0] / min(seconds["mococo"])[0], 3),
        "median_ratio": round(statistics.median(bare[0] / ours[0] for bare, ours in pairs), 3),
        "median_ratio_by_cpu_time": round(statistics.median(bare[1] / ours[1] for bare, ours in pairs), 3),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
