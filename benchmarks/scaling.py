"""How cost grows: python benchmarks/scaling.py [--repeat N] [--figure FILE]. Prints JSON and draws a figure.

Mountain Car for policies, starts, sets and threads; an environment of eight integrators, made here, for rules over
four, six and eight features. Every point is the time of one evaluation, best of N.
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


def random_policies(env: Environment, tag: tuple[int, ...], n: int) -> Any:
    """Policies with a random action in every cell."""
    rng = np.random.default_rng(0)
    genes = int(np.prod(tag))
    return [
        Policy.from_genotypes(tag, rng.random(sum(tag)), rng.integers(1, 3, genes), env.features, env.actions)
        for _ in range(n)
    ]


def broken_policies(d: int, flips: int, n: int) -> Any:
    """Policies of d features that decide by the first, but for some cells: the more of these, the more rules.

    Every cell has a rule, so all episodes are equally long.
    """
    rng = np.random.default_rng(flips)
    tag = (2,) * d + (1,) * (FEATURES - d)
    made = []
    for _ in range(n):
        rb = np.repeat([1, 2], 2 ** (d - 1))
        chosen = rng.permutation(2**d)[:flips]
        rb[chosen] = 3 - rb[chosen]
        made.append(Policy.from_genotypes(tag, rng.random(sum(tag)), rb, DRIFT.features, DRIFT.actions))
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
    for d in (4, 6, 8):
        for flips in (0, 1, 2, 4, 8, 16, 32, 64, 128):
            if flips <= 2 ** (d - 1):
                broken = broken_policies(d, flips, 20)
                add(f"{d} features", float(np.mean([len(policy.rules) for policy in broken])), DRIFT, broken)
    return series


LABELS = {
    "policies": "policies (32 starts)",
    "starts": "starts (100 policies)",
    "sets": "sets on each of 2 features",
    "threads": "threads",
}
COLOURS = ("#0072B2", "#E69F00", "#009E73")


def draw(series: dict[str, list[dict[str, float]]], path: Path) -> None:
    """Four panels of time with a line for cost in proportion; a wide one of a step's cost against the rules."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    places = [["policies", "starts", "rules"], ["sets", "threads", "rules"]]
    axes = figure.subplot_mosaic(places, width_ratios=[1, 1, 1.4])
    for name, label in LABELS.items():
        ax, points = axes[name], series[name]
        x = np.array([point["x"] for point in points])
        y = np.array([point["seconds"] for point in points]) * 1e3
        expected = y[0] * x[0] / x if name == "threads" else y[-1] * x / x[-1]
        ax.plot(x, expected, color="0.6", lw=1, ls="--", label="in proportion")
        ax.plot(x, y, "o-", color=COLOURS[0], ms=4, label="measured")
        if name in {"policies", "starts"}:
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
        ax.set_xticks(x, [f"{v:g}" for v in x])
        ax.minorticks_off()
        ax.set_xlabel(label)
        ax.set_ylabel("milliseconds")
    axes["policies"].legend(frameon=False)
    for colour, d in zip(COLOURS, (4, 6, 8), strict=True):
        points = series[f"{d} features"]
        axes["rules"].plot(
            [point["x"] for point in points],
            [point["ns_per_step"] for point in points],
            "o-", color=colour, ms=4, label=f"{d} features, {2**d} cells",
        )  # fmt: skip
    axes["rules"].set(xlabel="rules of a policy", ylabel="nanoseconds for one step", xlim=(0, None), ylim=(0, None))
    axes["rules"].legend(frameon=False)
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
