"""How cost grows: python benchmarks/scaling.py [--repeat N] [--figure FILE]. Prints JSON and draws a figure.

Mountain Car for policies, starts, sets and threads; an environment of eight integrators, made here, for features and
rules. Every series is the seconds of one evaluation, best of N.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from common import best_of

from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.spec import Action, Environment, Feature, State
from mococo.evaluation import _batch_of, action_values
from mococo.policy import Policy
from mococo.rollout import Engine

FEATURES = 8


def drift(state: State, action: float) -> tuple[State, float, bool]:
    """Eight numbers that turn slowly in pairs, pushed by the action; it never ends."""
    a, b, c, d, e, f, g, h = state
    push = 0.01 * (action - 0.5)
    first = (a - 0.05 * b + push, b + 0.05 * a, c - 0.07 * d + push, d + 0.07 * c)
    second = (e - 0.09 * f + push, f + 0.09 * e, g - 0.11 * h + push, h + 0.11 * g)
    return (*first, *second), a * a, False


def whole(state: State) -> State:
    """The state itself."""
    return state


def drift_starts(n: int, seed: int = 0) -> Any:
    """Start states around zero."""
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (n, FEATURES))


DRIFT = Environment(
    id="EightIntegrators",
    features=tuple(Feature(f"x{i}", -1.0, 1.0) for i in range(FEATURES)),
    actions=(Action(0, "left"), Action(1, "right")),
    performance_bounds=(-1.0, 1e6),
    t_max=200,
    n_state=FEATURES,
    step=drift,
    observe=whole,
    draw_starts=drift_starts,
    training_starts=drift_starts,
)


def random_policies(env: Environment, tag: tuple[int, ...], n: int, rules: int | None = None, seed: int = 0) -> Any:
    """Policies with every gene specified, or with `rules` specified ones far apart, so that they do not merge."""
    rng = np.random.default_rng(seed)
    genes = int(np.prod(tag))
    made = []
    for _ in range(n):
        rb = rng.integers(1, 3, genes)
        if rules is not None:
            even = [g for g in range(genes) if sum(np.unravel_index(g, tag)) % 2 == 0]
            kept = np.zeros(genes, bool)
            kept[rng.permutation(even)[:rules]] = True
            rb = np.where(kept, rb, 0)
        made.append(Policy.from_genotypes(tag, rng.random(sum(tag)), rb, env.features, env.actions))
    return made


def seconds(env: Environment, policies: Any, starts: int, threads: int, repeat: int) -> tuple[float, int]:
    """Best time of an evaluation, and the environment steps in it."""
    batch = _batch_of(policies, action_values(policies[0]))
    engine = Engine(env, batch.partitions.refs.shape[2], threads)
    states = env.draw_starts(starts, 1)
    steps = int(engine.roll_out(batch, states, fail_fast=False)[1].sum())
    return best_of(repeat, lambda: engine.roll_out(batch, states, fail_fast=False)), steps


def measure(repeat: int) -> dict[str, list[dict[str, float]]]:
    """All series: x, seconds and nanoseconds per environment step."""
    series: dict[str, list[dict[str, float]]] = {}

    def add(name: str, x: float, env: Environment, policies: Any, starts: int = 32, threads: int = 1) -> None:
        took, steps = seconds(env, policies, starts, threads, repeat)
        series.setdefault(name, []).append({"x": x, "seconds": took, "ns_per_step": took / steps * 1e9})

    car = random_policies(MOUNTAIN_CAR, (4, 4), 1600)
    for n in (100, 200, 400, 800, 1600):
        add("policies", n, MOUNTAIN_CAR, car[:n])
    for n in (32, 64, 128, 256, 512, 1024):
        add("starts", n, MOUNTAIN_CAR, car[:100], starts=n)
    for m in (2, 3, 4, 5, 8, 12, 16):
        add("sets", m, MOUNTAIN_CAR, random_policies(MOUNTAIN_CAR, (m, m), 200))
    for n in (1, 2):
        add("threads", n, MOUNTAIN_CAR, car, threads=n)
    for d in range(1, FEATURES + 1):
        tag = (2,) * d + (1,) * (FEATURES - d)
        add("features", d, DRIFT, random_policies(DRIFT, tag, 50, rules=2 if d > 1 else None))
    for rules in (4, 8, 16, 32, 64, 128):
        add("rules", rules, DRIFT, random_policies(DRIFT, (2,) * FEATURES, 50, rules=rules))
    return series


def draw(series: dict[str, list[dict[str, float]]], path: Path) -> None:
    """One panel for each series, with a line for cost in proportion."""
    from matplotlib.figure import Figure

    labels = {
        "policies": "policies (32 starts)",
        "starts": "starts (100 policies)",
        "sets": "sets on each of 2 features",
        "threads": "threads",
        "features": "features used, of 8 (2 rules)",
        "rules": "rules (8 features, 256 cells)",
    }
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    for place, (name, points) in enumerate(series.items(), 1):
        ax = figure.add_subplot(2, 3, place)
        x = np.array([point["x"] for point in points])
        y = np.array([point["seconds"] for point in points]) * 1e3
        expected = y[0] * x[0] / x if name == "threads" else y[-1] * x / x[-1]
        ax.plot(x, expected, color="0.6", lw=1, ls="--", label="in proportion")
        ax.plot(x, y, "o-", color="#0072B2", ms=4, label="measured")
        if name in {"policies", "starts", "rules"}:
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
        ax.set_xticks(x, [f"{v:g}" for v in x])
        ax.minorticks_off()
        ax.set_xlabel(labels[name])
        ax.set_ylabel("milliseconds")
        if place == 1:
            ax.legend(frameon=False)
    figure.suptitle("What an evaluation of policies costs")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--figure", type=Path, default=Path("docs/images/scaling.png"))
    args = parser.parse_args()
    series = measure(args.repeat)
    draw(series, args.figure)
    print(json.dumps(series, indent=2))


if __name__ == "__main__":
    main()
