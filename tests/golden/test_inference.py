"""Random systems computed by another implementation: same rules, votes, actions and uncovered states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mococo import Policy
from mococo.errors import UncoveredState

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "inference.json").read_text())


def policy_of(case: dict[str, Any]) -> Policy:
    features = [(f"x{i}", low, high) for i, (low, high) in enumerate(case["domains"], 1)]
    return Policy.from_genotypes(case["tag"], case["db"], case["rb"], features, list(range(1, case["n_actions"] + 1)))


@pytest.mark.parametrize("case", CASES)
def test_rules_are_the_same_and_in_the_same_order(case: dict[str, Any]) -> None:
    assert [rule.gabil for rule in policy_of(case).rules] == case["rules"]


@pytest.mark.parametrize("case", CASES)
def test_complexity_is_the_same(case: dict[str, Any]) -> None:
    policy = policy_of(case)
    assert policy.complexity == case["complexity"]
    assert sum(rule.decision_points for rule in policy.rules) == case["complexity"]


@pytest.mark.parametrize("case", CASES)
def test_votes_are_the_same_within_1e_12(case: dict[str, Any]) -> None:
    policy = policy_of(case)
    for x, votes in zip(case["x"], case["votes"], strict=True):
        assert policy.votes(x) == pytest.approx(votes, rel=0, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_actions_are_the_same_and_so_are_the_uncovered_states(case: dict[str, Any]) -> None:
    policy = policy_of(case)
    for x, action in zip(case["x"], case["action"], strict=True):
        if action == 0:
            with pytest.raises(UncoveredState, match="no rule fires"):
                policy.act(x)
        else:
            assert policy.act(x) == action


@pytest.mark.parametrize("case", CASES)
def test_predict_gives_the_same_actions_for_all_covered_inputs_at_once(case: dict[str, Any]) -> None:
    covered = [(x, a) for x, a in zip(case["x"], case["action"], strict=True) if a]
    if covered:
        actions, _ = policy_of(case).predict([x for x, _ in covered])
        assert actions.tolist() == [a for _, a in covered]


def test_the_file_holds_covered_and_uncovered_states_and_every_action() -> None:
    actions = {a for case in CASES for a in case["action"]}
    assert actions >= {0, 1, 2, 3}
    assert {len(case["tag"]) for case in CASES} >= {2, 3}
