"""What is said to each of the paper's claims, on made-up fronts whose answers are known."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import mococo
from mococo.analysis import gecco21
from mococo.analysis.gecco21 import Claim, Found
from mococo.config import Config
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.report import csv_tables
from mococo.report.reproduction import readme
from mococo.runs.reading import Run
from mococo.runs.records import RUN_FORMAT, RUN_VERSION, RunRecord
from mococo.runs.scores import Scored
from mococo.stops import Stops
from mococo.training import Record

SUBSPECIES = {(2, 2): [1, 0, 0, 2], (3, 3): [1, 0, 0, 0, 0, 0, 0, 0, 2]}
PAPERS = [0, 0, 2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 2, 0]
WITHOUT_C = [0, 0, 2, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0]
AND_ONE = [0, 0, 2, 0, 0, 1, 2, 0, 0, 0, 1, 2, 0, 0, 2, 0]


def found(
    complexity: int, performance: float, seed: int = 0, tag: tuple[int, ...] = (4, 4), rb: list[int] | None = None,
    count: int = 1,
) -> Found:  # fmt: skip
    alleles = rb or SUBSPECIES.get(tag) or [1, 2, *[0] * (tag[0] * tag[1] - 2)]
    policy = mococo.Policy.from_genotypes(
        tag, [0.5] * sum(tag), alleles, features=MOUNTAIN_CAR.features, actions=MOUNTAIN_CAR.actions
    )
    fresh = performance - 1.5
    return Found(seed, Scored(policy, performance, complexity, 49, count, fresh, 0.2, (fresh - 0.4, fresh + 0.4), 0))


LADDER = [found(2, -150, tag=(2, 2)), found(3, -120, tag=(2, 2)), found(4, -100, tag=(3, 3))]
AS_IN_THE_PAPER = [*LADDER, found(5, -96.17, rb=PAPERS), found(9, -96.2, tag=(5, 5))]


def test_the_papers_own_front_is_reproduced() -> None:
    front = [*AS_IN_THE_PAPER, *(found(2, -200.0, seed, (2, 2), count=9) for seed in range(8))]
    answers = [
        gecco21.crowd_at_the_bottom(front, 30),
        gecco21.rise_and_plateau(front),
        gecco21.trade_off(front, 30),
        gecco21.best_performance(front),
        gecco21.approximate_optimum(-96.57, -96.07),
        gecco21.nearness_to_the_optimum(front),
        gecco21.rules_of_the_best(front),
        gecco21.parsimony(front),
    ]
    assert [answer.verdict for answer in answers] == ["reproduced"] * len(answers)
    assert "72 of 77 solutions (93.5 %), and of the 73 of complexity 2, from 8 of 30 runs" in answers[0].found
    assert "2, 3, 4, 5: -150.00, -120.00, -100.00, -96.17; beyond 5: -96.20" in answers[1].found
    assert answers[2].found.startswith("complexity 5, subspecies (4, 4), -96.17 (seed 0); 1 of 30 runs have")
    assert answers[3].found == "-96.17 at complexity 5 (seed 0); from fresh starts -97.67 (-98.07 to -97.27)"
    assert answers[5].found == "0.14 steps from the best possible, -96.03"
    assert answers[6].found.startswith("the best has rules A, B and C and no others; 1 run has all three")


@pytest.mark.parametrize(
    ("answer", "verdict", "words"),
    [
        (gecco21.crowd_at_the_bottom([*LADDER, found(2, -200.0, count=9)], 30), "in part", "from 1 of 30 runs"),
        (gecco21.crowd_at_the_bottom(LADDER, 30), "not reproduced", "0 of 3 solutions (0.0 %)"),
        (gecco21.rise_and_plateau([*LADDER[:2], found(4, -96.2)]), "in part", "-150.00, -120.00, -96.20, -96.20"),
        (gecco21.rise_and_plateau([*LADDER, found(5, -98), found(8, -96.2)]), "not reproduced", "beyond 5: -96.20"),
        (gecco21.trade_off([*LADDER, found(4, -96.2, 7)], 30), "in part", "complexity 4, subspecies (4, 4), -96.20"),
        (gecco21.trade_off([*LADDER, found(5, -96.2, 7, (5, 5))], 30), "not reproduced", "subspecies (5, 5)"),
        (gecco21.best_performance([found(5, -96.2)]), "in part", "-96.20 at complexity 5"),
        (gecco21.best_performance([found(5, -96.7)]), "not reproduced", "-96.70"),
        (gecco21.approximate_optimum(-97.2, -96.07), "in part", "-97 when rounded up"),
        (gecco21.nearness_to_the_optimum([found(5, -96.9)]), "in part", "0.87 steps"),
        (gecco21.nearness_to_the_optimum([found(5, -98)]), "not reproduced", "1.97 steps"),
        (gecco21.rules_of_the_best([found(4, -96.2, rb=WITHOUT_C)]), "in part", "rules A and B and no others"),
        (
            gecco21.rules_of_the_best([found(2, -96.1, tag=(2, 2)), found(6, -96.3, 3, rb=AND_ONE)]),
            "in part",
            "the best has none of them and 2 others; 1 run has all three in one rule base, the simplest with rules "
            "A, B and C and 1 other (seed 3, complexity 6, -96.30)",
        ),
        (gecco21.rules_of_the_best(LADDER[:1]), "not reproduced", "none of them and 2 others"),
    ],
)  # fmt: skip
def test_what_differs_is_told(answer: Claim, verdict: str, words: str) -> None:
    assert answer.verdict == verdict
    assert words in answer.found


def test_the_best_and_the_best_trade_off() -> None:
    front = [*LADDER, found(6, -96.2, 4), found(6, -96.2, 2), found(9, -96.2, 1), found(5, -96.6, 3)]
    assert (gecco21.best_found(front).complexity, gecco21.best_found(front).seed) == (6, 2)
    assert gecco21.best_trade_off(front).seed == 3


def test_individuals_for_each_gene_by_hand() -> None:
    """beta^lambda: DB 4, 6, 8, 10; RB 4, 9, 16, 25."""
    claim = gecco21.allocation(Config())
    weights = [1.125**n for n in (4, 6, 8, 10)]
    db = [300 * w / sum(weights) / n for w, n in zip(weights, (4, 6, 8, 10), strict=True)]
    assert claim.found.startswith(", ".join(f"{x:.1f}" for x in db) + " (DB)")
    assert claim.verdict == "in part"


def run(seed: int, members: list[Found]) -> Run:
    history = (Record(0, 10, 100, {2: -150.0}, 1.0, 2.0, 3, 0.5), Record(1, 10, 90, {}, 1.5, 2.5, 3, 0.4))
    scored = tuple(f.member for f in members)
    record = RunRecord(RUN_FORMAT, RUN_VERSION, "MountainCar-v0", seed, Config(), {}, Stops())
    ended = (1000, True, 2, "", Stops())
    return Run(Path(), "MountainCar-v0", seed, Config(), {}, history, scored, scored, *ended, record)


RUNS = {3: run(3, LADDER), 1: run(1, AS_IN_THE_PAPER)}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_tables_hold_every_solution_and_generation() -> None:
    front = rows(csv_tables.fronts(RUNS))
    assert [(int(r["seed"]), int(r["complexity"])) for r in front] == [(1, c) for c in (2, 3, 4, 5, 9)] + [
        (3, c) for c in (2, 3, 4)
    ]
    best = front[3]
    assert (float(best["performance"]), best["subspecies"], best["rules"]) == (-96.17, "4x4", "3")
    assert best["rule_base"] == "0100|0100|1; 1101|0010|2; 0010|0001|2"
    assert csv_tables.archives(RUNS) == csv_tables.fronts(RUNS)
    told = rows(csv_tables.generations(RUNS))
    assert [(r["seed"], r["generation"], r["env_steps"], r["best_performance"]) for r in told] == [
        ("1", "0", "100", "-150.0"), ("1", "1", "90", ""), ("3", "0", "100", "-150.0"), ("3", "1", "90", ""),
    ]  # fmt: skip
    assert "seconds" not in told[0]
    levels = [(r["complexity"], r["runs"]) for r in rows(csv_tables.complexities(RUNS))]
    assert levels == [("2", "2"), ("3", "2"), ("4", "2"), ("5", "1"), ("9", "1")]


def test_the_page_in_front_of_all_tells_every_claim_and_rule() -> None:
    answers = gecco21.claims(RUNS, Config(), -96.57, -96.07)
    page = readme(answers, gecco21.best_found(gecco21.merged_fronts(RUNS)), [1, 3], Config(), "9.9")
    for answer in answers:
        assert f"| {answer.paper} | {answer.found} | **{answer.verdict}** |" in page
    assert "2 runs with its settings (50 generations; seeds 1, 3), by mococo 9.9." in page
    assert "1. IF position is Left AND velocity is Low THEN push left\n" in page
    tables = [part.splitlines() for part in page.split("\n\n") if part.startswith("|")]
    assert [len({line.count("|") for line in table}) for table in tables] == [1, 1]
