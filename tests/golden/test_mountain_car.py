"""Mean returns that were checked against Gymnasium's MountainCar-v0: equal to the last bit, by every way to them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo import Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR, training_starts
from mococo.evaluation import RolloutEvaluator
from mococo.population import Population, SolutionSet

HERE = Path(__file__).parent
FEW: dict[str, Any] = json.loads((HERE / "mountain_car.json").read_text())
GENERATION: dict[str, Any] = json.loads(gzip.decompress((HERE / "generation.json.gz").read_bytes()))
FILES = pytest.mark.parametrize("golden", [FEW, GENERATION], ids=["mountain_car", "generation"])


def starts_of(golden: dict[str, Any]) -> NDArray[np.float64]:
    return np.column_stack([golden["starts"], np.zeros(len(golden["starts"]))])


def policies_of(golden: dict[str, Any]) -> list[Policy]:
    return [
        Policy.from_genotypes(s["tag"], s["db"], s["rb"], MOUNTAIN_CAR.features, MOUNTAIN_CAR.actions)
        for s in golden["solutions"]
    ]


def perfs_of(golden: dict[str, Any]) -> list[float]:
    return [s["perf"] for s in golden["solutions"]]


def solution_set(golden: dict[str, Any], subspecies: list[tuple[int, ...]]) -> SolutionSet:
    """All solutions as the training path meets them: padded genotypes with tags."""
    solutions = golden["solutions"]
    tag = np.array([subspecies.index(tuple(s["tag"])) for s in solutions])
    db = np.zeros((len(solutions), max(len(s["db"]) for s in solutions)))
    rb = np.zeros((len(solutions), max(len(s["rb"]) for s in solutions)), dtype=np.int8)
    for i, s in enumerate(solutions):
        db[i, : len(s["db"])], rb[i, : len(s["rb"])] = s["db"], s["rb"]
    rows = np.arange(len(solutions))
    return SolutionSet.unevaluated(Population.newborn(tag, db), Population.newborn(tag, rb), rows, rows)


def test_the_files_are_about_the_environment_as_it_is_built_in() -> None:
    for golden in (FEW, GENERATION):
        assert golden["starts"] == training_starts(30)[:, 0].tolist()
        assert [list(domain) for domain in golden["domains"]] == [[f.low, f.high] for f in MOUNTAIN_CAR.features]
        assert golden["actions"] == [action.value for action in MOUNTAIN_CAR.actions]
        assert golden["t_max"] == MOUNTAIN_CAR.t_max
    assert len(GENERATION["solutions"]) == 1800


@FILES
def test_mococo_evaluate_gives_these_returns_exactly(golden: dict[str, Any]) -> None:
    """A policy with an uncovered state fails as a whole only in training; its file says -200 then."""
    evaluation = mococo.evaluate(policies_of(golden), "MountainCar-v0", starts=starts_of(golden))
    perf = np.where(evaluation.uncovered > 0, MOUNTAIN_CAR.performance_bounds[0], evaluation.performance)
    assert perf.tolist() == perfs_of(golden)


@FILES
@pytest.mark.parametrize("threads", [1, 2])
def test_training_gives_these_returns_exactly(golden: dict[str, Any], threads: int) -> None:
    subspecies = sorted({tuple(s["tag"]) for s in golden["solutions"]})
    evaluate = RolloutEvaluator(MOUNTAIN_CAR, subspecies, 0.75, starts_of(golden), threads)
    assert evaluate(solution_set(golden, subspecies)).tolist() == perfs_of(golden)


@FILES
def test_complexities_and_numbers_of_rules_are_the_same(golden: dict[str, Any]) -> None:
    for policy, solution in zip(policies_of(golden), golden["solutions"], strict=True):
        assert policy.complexity == solution["complexity"]
        assert len(policy.rules) == solution.get("n_rules", len(policy.rules))


def test_the_generation_holds_failing_rule_bases_and_good_ones() -> None:
    perfs = perfs_of(GENERATION)
    assert min(perfs) == -200.0
    assert max(perfs) > -100.0
    evaluation = mococo.evaluate(policies_of(GENERATION), "MountainCar-v0", starts=starts_of(GENERATION))
    assert evaluation.uncovered.max() > 0
