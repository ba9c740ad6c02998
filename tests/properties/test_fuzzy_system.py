"""Section 2.2 and 5 for any system: decoding, rules, truths, votes and actions are the oracle's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mococo import Policy
from mococo.decoding import decode_db, decode_rb
from mococo.errors import UncoveredState
from mococo.subspecies import lambda_1, lambda_2
from tests.properties.strategies import DOMAINS, ROUND_ALLELES, System, systems, vectors
from tests.reference import naive

CLOSE = 1e-12


def padded(rows: list[list[float]], dtype: type) -> NDArray[np.generic]:
    """Rows of different length, zero beyond their own."""
    array = np.zeros((len(rows), max(map(len, rows))), dtype=dtype)
    for i, row in enumerate(rows):
        array[i, : len(row)] = row
    return array


@given(st.data())
def test_a_batch_of_genotypes_decodes_to_the_oracles_partitions_and_rules(data: st.DataObject) -> None:
    d, k = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    batch: list[System] = data.draw(st.lists(systems(d, k), min_size=1, max_size=4))
    domains, omega = batch[0].domains, batch[0].omega
    sets = np.array([s.tag for s in batch], dtype=np.int64)
    most = data.draw(st.integers(int(sets.max()), 8))

    partitions = decode_db(padded([s.db for s in batch], np.float64), sets, batch[0].policy.features, omega, most)
    rules = decode_rb(padded([s.rb for s in batch], np.int8), sets, k)

    for i, system in enumerate(batch):
        refs = naive.decode_db(system.tag, system.db, domains, omega)
        for f, m in enumerate(system.tag):
            assert partitions.refs[i, f, :m].tolist() == refs[f]
            assert (partitions.refs[i, f, m:] >= 1e300).all()
            slopes = [1 / (b - a) for a, b in itertools.pairwise(refs[f])]
            assert partitions.slopes[i, f].tolist() == slopes + [0.0] * (most - m + 1)
        rows = range(rules.begin[i], rules.begin[i] + rules.count[i])
        decoded = [
            (tuple(tuple(int(rules.masks[r, f]) >> j & 1 for j in range(m)) for f, m in enumerate(system.tag)), a + 1)
            for r, a in zip(rows, rules.actions[rows.start : rows.stop].tolist(), strict=True)
        ]
        assert decoded == system.rules


@given(systems())
def test_a_policy_has_the_oracles_rules_and_coordinates(system: System) -> None:
    policy = system.policy
    assert [rule.gabil for rule in policy.rules] == [naive.gabil(rule) for rule in system.rules]
    assert [list(refs) for refs in policy.reference_coordinates] == system.refs


@given(systems())
def test_complexity_is_the_same_from_the_genotype_and_from_the_rules(system: System) -> None:
    policy = system.policy
    assert policy.complexity == naive.complexity_from_genotype(system.rb)
    assert sum(rule.decision_points for rule in policy.rules) == policy.complexity
    assert naive.complexity_from_rules(system.rules) == policy.complexity


@given(systems())
def test_each_subspace_belongs_to_the_one_rule_with_its_action_or_to_none(system: System) -> None:
    rules = system.policy.rules
    for gene, subspace in zip(system.rb, itertools.product(*map(range, system.tag)), strict=True):
        covering = [r.action for r in rules if all(c[j] for c, j in zip(r.clauses, subspace, strict=True))]
        assert covering == ([gene] if gene else [])


@given(systems())
def test_coordinates_rise_and_lie_in_the_valid_part_of_their_subdomains(system: System) -> None:
    for own, (low, high) in zip(system.policy.reference_coordinates, system.domains, strict=True):
        w = (high - low) / len(own)
        tolerance = 1e-12 * max(abs(low), abs(high))
        for j, r in enumerate(own):
            margin = w * (1 - system.omega) / 2
            assert low + w * j + margin - tolerance <= r <= low + w * (j + 1) - margin + tolerance
        assert all(a < b for a, b in itertools.pairwise(own))


@given(systems())
def test_truths_strengths_and_votes_are_the_oracles(system: System) -> None:
    policy, k = system.policy, system.n_actions
    for x in system.inputs:
        memberships = naive.fuzzify(x, system.refs, system.domains)
        truths = [naive.truth(rule, memberships) for rule in system.rules]
        assert policy.truths(x) == pytest.approx(truths, rel=0, abs=CLOSE)
        strengths = naive.strengths(system.rules, memberships, k)
        assert policy.strengths(x) == pytest.approx(strengths, rel=0, abs=CLOSE * max(1, len(truths)))
        if sum(strengths) > 1e-3:  # else both are ratios of roundings
            assert policy.votes(x) == pytest.approx(naive.votes(system.rules, memberships, k), rel=0, abs=CLOSE)
            assert policy.votes(x).sum() == pytest.approx(1.0, abs=CLOSE)


@given(systems())
def test_the_action_is_the_oracles(system: System) -> None:
    policy, k = system.policy, system.n_actions
    for x in system.inputs:
        strengths = naive.strengths(system.rules, naive.fuzzify(x, system.refs, system.domains), k)
        best, *others = sorted(strengths, reverse=True)
        if best == 0.0:
            with pytest.raises(UncoveredState):
                policy.act(x)
            assert policy.votes(x).tolist() == [0.0] * k
        elif best > CLOSE and (not others or best - others[0] > CLOSE):  # no tie that a rounding could decide
            assert policy.act(x) == 10 + naive.action(strengths) - 1


@given(systems())
def test_the_action_is_the_lowest_of_the_strongest(system: System) -> None:
    policy = system.policy
    for x in system.inputs:
        strengths = policy.strengths(x)
        if strengths.max() > 0:
            assert policy.act(x) == 10 + int(np.flatnonzero(strengths == strengths.max())[0])


@given(systems())
def test_predict_on_many_observations_is_act_on_each(system: System) -> None:
    policy = system.policy
    covered = [x for x in system.inputs if policy.strengths(x).max() > 0]
    assume(covered)
    actions, _ = policy.predict(covered)
    assert actions.tolist() == [policy.act(x) for x in covered] == [int(policy.predict(x)[0]) for x in covered]


@given(
    st.integers(2, 16).flatmap(lambda m: vectors(st.one_of(st.sampled_from(ROUND_ALLELES), st.floats(0, 1)), m)),
    st.sampled_from(DOMAINS),
    st.floats(-0.2, 1.2),
    st.integers(-1, 20),
)
def test_memberships_are_the_oracles_sum_to_one_and_at_most_two_neighbours_are_true(
    db: list[float], domain: tuple[float, float], place: float, peak: int
) -> None:
    """One action for each set, so the strengths are the memberships."""
    m = len(db)
    policy = Policy.from_genotypes((m,), db, list(range(1, m + 1)), [("x", *domain)], list(range(m)))
    refs = policy.reference_coordinates[0]
    x = refs[peak] if 0 <= peak < m else domain[0] + place * (domain[1] - domain[0])
    memberships = policy.strengths([x])
    assert memberships == pytest.approx(naive.memberships(x, list(refs)), rel=0, abs=CLOSE)
    assert memberships.sum() == pytest.approx(1.0, rel=0, abs=CLOSE)
    true = np.flatnonzero(memberships)
    assert len(true) <= 2
    assert true[-1] - true[0] <= 1
    if 0 <= peak < m:
        assert memberships.tolist() == [float(j == peak) for j in range(m)]


@given(systems(), st.sampled_from([math.nan, math.inf, -math.inf]), st.data())
def test_an_input_that_is_not_finite_is_never_an_action(system: System, bad: float, data: st.DataObject) -> None:
    x = list(system.inputs[0])
    x[data.draw(st.integers(0, len(x) - 1))] = bad
    for call in (system.policy.act, system.policy.votes, system.policy.predict, system.policy.truths):
        with pytest.raises(ValueError, match="finite"):
            call(x)


@given(systems())
def test_inputs_beyond_a_domain_act_as_its_end_does(system: System) -> None:
    policy = system.policy
    for x in system.inputs:
        clamped = [min(max(v, low), high) for v, (low, high) in zip(x, system.domains, strict=True)]
        assert policy.strengths(x).tolist() == policy.strengths(clamped).tolist()


def test_the_strategies_reach_every_kind_of_system() -> None:
    """1 to 5 features, 1 to 6 sets, 1 to 5 actions, covered and uncovered inputs: else the tests above say little."""
    seen: dict[str, set[object]] = {"d": set(), "m": set(), "k": set(), "covered": set()}

    @given(systems())
    def look(system: System) -> None:
        assert lambda_1(system.tag) == len(system.db)
        assert lambda_2(system.tag) == len(system.rb)
        seen["d"].add(len(system.tag))
        seen["m"].update(system.tag)
        seen["k"].add(system.n_actions)
        for x in system.inputs:
            truths = naive.fuzzify(x, system.refs, system.domains)
            seen["covered"].add(max(naive.strengths(system.rules, truths, system.n_actions)) > 0)

    look()
    assert seen == {"d": {1, 2, 3, 4, 5}, "m": {1, 2, 3, 4, 5, 6}, "k": {1, 2, 3, 4, 5}, "covered": {True, False}}
