"""`mococo evaluate`: its numbers are those of `mococo.evaluate`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mococo as package
from mococo.runs.reading import read_run
from tests.cli.conftest import Run


def test_a_policy(mococo: Run, small_run: Path) -> None:
    policy = next(iter(sorted((small_run / "policies").iterdir())))
    answer = mococo("evaluate", policy, "--env", "MountainCar-v0", "--episodes", 200, "--seed", 5)
    played = package.evaluate(package.load(policy), "MountainCar-v0", episodes=200, seed=5)
    returns = played.returns[0]
    error = returns.std(ddof=1) / np.sqrt(200)
    low, high = returns.mean() - 1.96 * error, returns.mean() + 1.96 * error
    assert answer.out.splitlines() == [
        "MountainCar-v0, 200 episodes from fresh starts (seed 5):",
        f"  mean return       {returns.mean():.2f} ± {error:.2f} (standard error)",
        f"  95 % interval     {low:.2f} to {high:.2f}",
        f"  min, median, max  {returns.min():g}, {np.median(returns):g}, {returns.max():g}",
        f"  mean steps        {played.steps[0].mean():.1f}",
        f"  uncovered         {played.uncovered[0]} episodes ({played.uncovered[0] / 2:.1f} %)",
    ]


def test_a_run(mococo: Run, small_run: Path) -> None:
    """The fresh performances that the run itself has kept come out again."""
    data = json.loads(mococo("evaluate", small_run, "--json").out)
    assert (data["env"], data["episodes"], data["seed"]) == ("MountainCar-v0", 1000, 0)
    kept = [(m.complexity, m.fresh_performance) for m in read_run(small_run).archive]
    assert [(s["complexity"], s["mean"]) for s in data["policies"]] == kept
    rows = mococo("evaluate", small_run, "--threads", 1).out.splitlines()[2:]
    assert [row.split()[:2] for row in rows] == [[str(c), f"{mean:.2f}"] for c, mean in kept]


def test_one_episode_has_no_interval(mococo: Run, small_run: Path) -> None:
    policy = next((small_run / "policies").iterdir())
    words = ["evaluate", policy, "--env", "MountainCar-v0", "--episodes", 1]
    assert "  95 % interval     unknown\n" in mococo(*words).out
    assert json.loads(mococo(*words, "--json").out)["policies"][0]["interval_95"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["POLICY"], "POLICY is a single policy: say with --env in which environment it shall act"),
        (["POLICY", "--env", "MountainCar"], "unknown environment 'MountainCar'. Did you mean MountainCar-v0?"),
        (["RUN", "--episodes", "0"], "--episodes must be between 1 and 1,000,000, got 0"),
        (["RUN", "--seed", "-1"], "seed must be a whole number >= 0, got -1"),
        (["RUN", "--threads", "0"], "threads must be a whole number >= 1, got 0"),
        (["no.json"], "no.json: cannot be read (No such file or directory)"),
    ],
)
def test_what_is_refused(mococo: Run, small_run: Path, words: list[str], message: str) -> None:
    policy = str(next((small_run / "policies").iterdir()))
    places = {"RUN": str(small_run), "POLICY": policy}
    answer = mococo("evaluate", *[places.get(word, word) for word in words])
    assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message.replace('POLICY', policy)}\n")


def test_a_policy_for_another_environment(mococo: Run) -> None:
    policy = package.Policy.from_genotypes((2,), [0.5, 0.5], [1, 2], features=[("angle", -1.0, 1.0)], actions=[0, 2])
    policy.save("p.json")
    answer = mococo("evaluate", "p.json", "--env", "MountainCar-v0")
    assert answer.code == 2
    assert answer.err.startswith("mococo: MountainCar-v0 gives 2 numbers to a policy (position, velocity)")
