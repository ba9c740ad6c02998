"""How good the policies are that the shipped defaults find: python benchmarks/results.py [--env ID] [--write].

Trains each environment with its defaults, seeds 0 to 4 (LunarLander-v3: 0 and 1, half an hour each on two cores),
into --runs; what is there already is not trained again. Of each run it takes, for each bar, the policy of the archive
that is simple enough and has the best fresh performance in the run's table, as a user would, and plays it from 1000
other starts, which nothing has seen: neither the search, nor the run's scores. Prints a table; --write replaces
docs/results.md.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mococo
from mococo.policy import Policy
from mococo.runs.experiment import seed_folder
from mococo.runs.reading import Run, read_run

COMMAND = str(Path(sysconfig.get_path("scripts")) / "mococo")
PAGE = Path(__file__).parents[1] / "docs" / "results.md"
EPISODES = 1000
JUDGE = 20_261_119  # the seed of the starts; no run's folder uses it


@dataclass(frozen=True)
class Bar:
    """What the best policy of a run should reach from fresh starts, in at least `least` of the seeds."""

    env: str
    performance: float
    complexity: int
    seeds: int = 5
    least: int = 3


@dataclass(frozen=True)
class Published:
    """What others have: best readable policy, a trivial rule by hand, deep reinforcement learning."""

    readable: str
    by_hand: str
    deep: str


BARS = (
    Bar("CartPole-v1", 500, 4),
    Bar("Acrobot-v1", -80, 4),
    Bar("Acrobot-v1", -76, 14),
    Bar("MountainCar-v0", -98.5, 6),
    Bar("MountainCarContinuous-v0", 98.5, 4),
    Bar("Pendulum-v1", -200, 20),
    Bar("LunarLander-v3", 200, 26, seeds=2, least=1),
)

# Measured on fresh seeds with current versions of Gymnasium, or from the projects' own tables.
PUBLISHED = {
    "MountainCar-v0": Published(
        "-99.07 (tree, 15 leaves), -100.9 (4 leaves)", "-119.4 (2 rules)", "-100.8 (DQN); best possible -97.64"
    ),
    "CartPole-v1": Published("500 (tree, 5 nodes)", "500 (2 terms)", "500; best possible 500"),
    "Acrobot-v1": Published("-85.5 (2 rules)", "-85.5", "-69.1 (QR-DQN), -73.5 (PPO)"),
    "LunarLander-v3": Published(
        "256 (tree, 63 nodes), 248.6 (3 oblique splits)", "242.6 (PD controller)", "242.1 (PPO)"
    ),
    "MountainCarContinuous-v0": Published("97.7 (2 rules)", "97.7", "96.7 (ARS)"),
    "Pendulum-v1": Published("-186 (tree, 256 leaves), -357 (16)", "", "-151 (TQC)"),
}


@dataclass(frozen=True)
class Judged:
    """A run's policy for a bar, and its mean return from the fresh starts."""

    seed: int
    policy: Policy
    chosen_by: float
    """Its fresh performance in the run's table."""
    fresh: float

    def __str__(self) -> str:
        return f"{self.fresh:.2f} ({self.policy.complexity})"


def train(env: str, seeds: int, folder: Path) -> list[Run]:
    """The finished runs of an environment, trained where they are missing."""
    subprocess.run([COMMAND, "train", env, "--seeds", str(seeds), "-o", str(folder), "--quiet"], check=True)
    return [read_run(seed_folder(folder, seed)) for seed in range(seeds)]


def judge(bar: Bar, runs: Sequence[Run]) -> list[Judged]:
    """Each run's best policy within the bar's complexity; none for a run that has no such policy."""
    chosen = []
    for run in runs:
        simple = [member for member in run.archive if member.complexity <= bar.complexity]
        if simple:
            chosen.append((run.seed, max(simple, key=lambda member: (member.fresh_performance, -member.complexity))))
    played = mococo.evaluate([member.policy for _, member in chosen], bar.env, episodes=EPISODES, seed=JUDGE)
    return [
        Judged(seed, member.policy, member.fresh_performance, float(fresh))
        for (seed, member), fresh in zip(chosen, played.performance, strict=True)
    ]


def row(bar: Bar, judged: Sequence[Judged]) -> str:
    """A line of the table."""
    reached = [one for one in judged if one.fresh >= bar.performance]
    verdict = "yes" if len(reached) >= bar.least else "**no**"
    cells = (
        bar.env,
        f"{bar.performance:g} with <= {bar.complexity}",
        f"{len(reached)} of {bar.seeds} (wanted {bar.least})",
        verdict,
        ", ".join(map(str, judged)),
        f"{statistics.median(one.fresh for one in judged):.2f}" if judged else "none",
    )
    return f"| {' | '.join(cells)} |"


def best(judged: Sequence[Judged]) -> Judged:
    """Chosen as each run's was, so that the judge's starts stay fresh."""
    return max(judged, key=lambda one: (one.chosen_by, -one.policy.complexity))


def page(table: Sequence[str], found: dict[str, dict[int, Sequence[Judged]]], times: Sequence[str]) -> str:
    """docs/results.md."""
    beside = [
        f"| {env} | {'; '.join(str(best(judged)) for judged in found[env].values())} | {other.readable} | "
        f"{other.by_hand or 'none known'} | {other.deep} |"
        for env, other in PUBLISHED.items()
        if env in found
    ]
    rules = []
    for env, by_limit in found.items():
        one = best(by_limit[min(by_limit)])
        lines = [f"{number}. {rule.text}" for number, rule in enumerate(one.policy.rules, 1)]
        rules.append(f"**{env}**, complexity {one.policy.complexity}, {one.fresh:.2f} from fresh starts:\n")
        rules.append("\n".join(["```", *lines, "```\n"]))
    return "\n".join(
        [
            "# What the shipped defaults find",
            "",
            "Written by `python benchmarks/results.py --write`; do not edit by hand.",
            "",
            f"Every environment was trained with nothing but its id and a seed: `mococo train ID --seeds N`. Of each "
            f"run's archive the table takes the policy that is simple enough and does best from the run's 1000 fresh "
            f"starts, and gives its mean return from {EPISODES} **others**, which neither the search nor the choice "
            f"has seen. Its complexity, the number of decision points, stands in parentheses.",
            "",
            "| environment | bar | seeds that reach it | reached | each seed | median |",
            "|---|---|---|---|---|---|",
            *table,
            "",
            "## Beside what is published",
            "",
            "Ours: the run whose policy is the best by its table, from other starts, once for each bar above. "
            "The others are figures of the projects' own tables, or were measured again on fresh seeds.",
            "",
            "| environment | Mococo (complexity) | best readable policy | rule by hand | deep reinforcement learning |",
            "|---|---|---|---|---|",
            *beside,
            "",
            "## What it took",
            "",
            "| environment | generations | evaluations a run | environment steps a run | seconds a run |",
            "|---|---|---|---|---|",
            *times,
            "",
            "Seconds are those of the search on one core, with another run beside it, on a shared machine.",
            "",
            "## The simplest of them, in words",
            "",
            *rules,
        ]
    )


def effort(env: str, runs: Sequence[Run]) -> str:
    """What a run took, as a line of its table."""

    def mean(name: str) -> float:
        return statistics.mean(sum(getattr(record, name) for record in run.history) for run in runs)

    gens = runs[0].config.num_gens
    return f"| {env} | {gens} | {mean('evaluations'):,.0f} | {mean('env_steps'):,.0f} | {mean('seconds'):,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", action="append", help="only this one, as often as you like")
    parser.add_argument("--runs", type=Path, default=Path("runs/results"))
    parser.add_argument("--write", action="store_true", help="replace docs/results.md")
    args = parser.parse_args()
    bars = [bar for bar in BARS if args.env is None or bar.env in args.env]
    runs = {bar.env: train(bar.env, bar.seeds, args.runs / bar.env) for bar in bars}
    table, found = [], {env: {} for env in runs}
    for bar in bars:
        judged = judge(bar, runs[bar.env])
        table.append(row(bar, judged))
        print(table[-1], flush=True)
        if judged:
            found[bar.env][bar.complexity] = judged
    times = [effort(env, several) for env, several in runs.items()]
    print(*times, sep="\n")
    if args.write:
        PAGE.write_text(page(table, {env: held for env, held in found.items() if held}, times), encoding="utf-8")


if __name__ == "__main__":
    main()
