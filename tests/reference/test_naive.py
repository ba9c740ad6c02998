"""The oracle checked against golden data of another implementation, and against the paper's worked examples."""

import json
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from . import naive

GOLDEN = Path(__file__).parent.parent / "golden"
INFERENCE: list[dict[str, Any]] = json.loads((GOLDEN / "inference.json").read_text())
MOUNTAIN_CAR: dict[str, Any] = json.loads((GOLDEN / "mountain_car.json").read_text())
SIGMA = [(2, 2), (3, 3), (4, 4), (5, 5)]  # the paper's subspecies


# ---------------------------------------------------------------- golden data


@pytest.mark.parametrize("case", INFERENCE)
def test_inference_equals_golden(case: dict[str, Any]) -> None:
    """Rules, votes, actions and uncovered states of one random system."""
    k = case["n_actions"]
    rules = naive.decode_rules(case["tag"], case["rb"], k)
    refs = naive.decode_db(case["tag"], case["db"], case["domains"])

    assert [naive.gabil(rule) for rule in rules] == case["rules"]
    assert naive.complexity_from_rules(rules) == case["complexity"]
    assert naive.complexity_from_genotype(case["rb"]) == case["complexity"]
    for x, golden_votes, golden_action in zip(case["x"], case["votes"], case["action"], strict=True):
        truths = naive.fuzzify(x, refs, case["domains"])
        g = naive.votes(rules, truths, k)
        assert g == pytest.approx(golden_votes, rel=0, abs=1e-12)
        assert naive.action(g) == golden_action
        assert naive.action(naive.strengths(rules, truths, k)) == golden_action
        assert (sum(g) == 0.0) == (golden_action == 0)


def test_golden_inference_holds_covered_and_uncovered_states() -> None:
    """The comparison above would say little if one of them were missing."""
    actions = [a for case in INFERENCE for a in case["action"]]
    assert 0 in actions
    assert set(actions) >= {1, 2, 3}


@pytest.mark.parametrize("solution", MOUNTAIN_CAR["solutions"])
def test_mountain_car_equals_golden(solution: dict[str, Any]) -> None:
    """The mean return to the last bit, the complexity, and the number of rules."""
    perf = naive.mountain_car_performance(
        solution["tag"],
        solution["db"],
        solution["rb"],
        MOUNTAIN_CAR["starts"],
        MOUNTAIN_CAR["domains"],
        MOUNTAIN_CAR["t_max"],
    )
    rules = naive.decode_rules(solution["tag"], solution["rb"], len(MOUNTAIN_CAR["actions"]))
    assert perf == solution["perf"]
    assert naive.complexity_from_genotype(solution["rb"]) == solution["complexity"]
    assert naive.complexity_from_rules(rules) == solution["complexity"]
    assert len(rules) == solution["n_rules"]


def test_golden_mountain_car_uses_the_default_task() -> None:
    """Start positions, domains and actions are those of semantics.md."""
    assert MOUNTAIN_CAR["starts"] == np.random.RandomState(0).uniform(-0.6, -0.4, 30).tolist()
    assert tuple(map(tuple, MOUNTAIN_CAR["domains"])) == naive.MC_DOMAINS
    assert tuple(MOUNTAIN_CAR["actions"]) == naive.MC_ACTIONS


@pytest.mark.parametrize("start", [-0.6, -0.5, -0.41])
def test_mountain_car_step_equals_gymnasium(start: float) -> None:
    """State for state over 300 steps: first swinging up to the goal, and once against the left wall."""
    env = gymnasium.make("MountainCar-v0").unwrapped
    env.reset(seed=0)
    env.state = np.array([start, 0.0])  # type: ignore[attr-defined]
    x, v = start, 0.0
    walls = goals = 0
    for t in range(300):
        action_value = (0 if v < 0 else 2) if t % 7 else 1
        x, v, done = naive.mountain_car_step(x, v, action_value)
        observation, _, terminated, _, _ = env.step(action_value)
        assert (x, v) == tuple(map(float, env.state))  # type: ignore[attr-defined]
        assert (np.float32(x), np.float32(v)) == tuple(observation)
        assert done == terminated
        walls += x == -1.2
        goals += done
    assert walls > 0
    assert goals > 0


# Starts found by bisection at which golden solution 0 returns otherwise when its policy sees the float64 state.
FLOAT32_STARTS = [-0.506871375305414, -0.49826476841163486, -0.4630820130157604, -0.4299636974663851]


def test_policy_sees_float32_as_in_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole episodes in Gymnasium, where rounding the observation matters; the golden returns do not show it."""
    solution = MOUNTAIN_CAR["solutions"][0]
    rules = naive.decode_rules(solution["tag"], solution["rb"], 2)
    refs = naive.decode_db(solution["tag"], solution["db"], naive.MC_DOMAINS)
    env = gymnasium.make("MountainCar-v0").unwrapped
    expected = []
    for start in FLOAT32_STARTS:
        env.reset(seed=0)
        env.state = np.array([start, 0.0])  # type: ignore[attr-defined]
        observation, total, terminated = np.array([start, 0.0], dtype=np.float32), 0.0, False
        for _ in range(200):
            truths = naive.fuzzify([float(x) for x in observation], refs, naive.MC_DOMAINS)
            chosen = naive.action(naive.votes(rules, truths, 2))
            observation, reward, terminated, _, _ = env.step(naive.MC_ACTIONS[chosen - 1])
            total += float(reward)
            if terminated:
                break
        expected.append(total)

    def returns() -> list[float | None]:
        return [naive.mountain_car_return(rules, refs, naive.MC_DOMAINS, start) for start in FLOAT32_STARTS]

    assert returns() == expected
    monkeypatch.setattr(naive, "_float32", float)  # the mistake this test is here to catch
    assert returns() != expected


# ---------------------------------------------------------------- the paper's worked examples


def test_gabil_example() -> None:
    """Section 2.2.1: IF x1 is {L11 or L12} and x2 is # THEN a is 2."""
    assert naive.gabil((((1, 1, 0), (1, 1, 1)), 2)) == "110|111|2"


def test_rule_decoding_example() -> None:
    """Section 5.2's genotype: (M,#) -> 1, (H,H) -> 1, ({L or H},L) -> 2, complexity 5 both ways."""
    rb = [2, 0, 1, 1, 2, 1]
    rules = naive.decode_rules((3, 2), rb, 2)
    assert [naive.gabil(rule) for rule in rules] == ["010|11|1", "001|01|1", "101|10|2"]
    assert naive.complexity_from_rules(rules) == naive.complexity_from_genotype(rb) == 2 + 1 + 2


def test_reference_coordinates_example() -> None:
    """Section 5.1's alleles (3/4, 1/2, 2/3) on [0, 1], and the fuzzy sets drawn from them."""
    refs = naive.reference_coordinates([3 / 4, 1 / 2, 2 / 3], 0.0, 1.0)
    third, eighth_of_third, valid = Fraction(1, 3), Fraction(1, 24), Fraction(1, 4)
    expected = [
        eighth_of_third + Fraction(3, 4) * valid,
        third + eighth_of_third + Fraction(1, 2) * valid,
        2 * third + eighth_of_third + Fraction(2, 3) * valid,
    ]
    assert expected == [Fraction(11, 48), Fraction(1, 2), Fraction(7, 8)]
    assert refs == pytest.approx([float(r) for r in expected], rel=0, abs=1e-15)

    assert naive.memberships(0.0, refs) == [1.0, 0.0, 0.0]
    assert naive.memberships(1.0, refs) == [0.0, 0.0, 1.0]
    for j, r in enumerate(refs):
        assert naive.memberships(r, refs) == [1.0 if i == j else 0.0 for i in range(3)]
    halfway = (refs[1] + refs[2]) / 2
    assert naive.memberships(halfway, refs) == pytest.approx([0.0, 0.5, 0.5])
    for i in range(101):
        truths = naive.memberships(i / 100, refs)
        assert sum(truths) == pytest.approx(1.0)
        assert sum(t > 0 for t in truths) <= 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_input_that_is_not_finite_is_an_error(bad: float) -> None:
    """NaN or infinity is never an action, and clamping does not hide it."""
    with pytest.raises(ValueError, match="finite"):
        naive.memberships(bad, [0.2, 0.8])
    with pytest.raises(ValueError, match="finite"):
        naive.fuzzify([bad], [[0.2, 0.8]], [(0.0, 1.0)])


def test_dont_care_clause_is_the_max_not_one() -> None:
    """semantics.md: "#" prints as "any", but its truth is the max over the sets."""
    assert naive.truth((((1, 1), (1, 0)), 1), [[0.6, 0.4], [0.9, 0.1]]) == 0.6


def test_ties_go_to_the_lowest_action_and_zeros_are_uncovered() -> None:
    """Action numbers are 1..k; 0 says that no rule fires."""
    assert naive.action([0.2, 0.4, 0.4]) == 2
    assert naive.action([0.0, 0.0]) == 0


def test_genotype_lengths_example() -> None:
    """Eqs. 3 and 4 for the tag (3, 2)."""
    assert naive.lambda_1((3, 2)) == 5
    assert naive.lambda_2((3, 2)) == 6


def test_subspecies_dists_of_the_papers_experiment() -> None:
    """delta sums to 1 and gives "approximately ten times as many individuals as" genes (section 7)."""
    delta1, delta2 = naive.make_subspecies_dists(SIGMA, 1.125)
    for delta, pop_size, length in ((delta1, 300, naive.lambda_1), (delta2, 600, naive.lambda_2)):
        assert list(delta) == SIGMA
        assert sum(delta.values()) == pytest.approx(1.0, abs=1e-15)
        per_gene = [delta[tag] * pop_size / length(tag) for tag in SIGMA]
        assert all(6 < ratio < 16 for ratio in per_gene)  # RBs: 8.0, 6.4, 8.2, 15.2; DBs: 12.7 ... 10.2
        assert pop_size / sum(length(tag) for tag in SIGMA) == pytest.approx(11, abs=0.5)
    assert delta1[(5, 5)] / delta1[(2, 2)] == pytest.approx(1.125**6)
    assert delta2[(3, 3)] / delta2[(2, 2)] == pytest.approx(1.125**5)


# ---------------------------------------------------------------- ranks, crowding, hypervolume by hand


def test_ranks_peel_off_fronts_and_equal_points_share_one() -> None:
    """Performance is maximised, complexity minimised."""
    points = [(-100.0, 5.0), (-100.0, 5.0), (-200.0, 2.0), (-150.0, 5.0), (-200.0, 5.0), (-100.0, 6.0)]
    assert naive.assign_pareto_front_ranks(points) == [1, 1, 1, 2, 3, 2]
    assert naive.assign_pareto_front_ranks([]) == []


def test_crowding_divides_by_the_fixed_bounds() -> None:
    """Ends are infinite, the middle adds both objectives, and coinciding bounds add nothing."""
    points = [(-200.0, 2.0), (-150.0, 3.0), (-100.0, 6.0)]
    dists = naive.assign_crowding_dists(points, [1, 1, 1], (-200.0, 0.0), (2.0, 10.0))
    assert dists == [math.inf, 100 / 200 + 4 / 8, math.inf]
    dists = naive.assign_crowding_dists(points, [1, 1, 1], (-200.0, 0.0), (4.0, 4.0))
    assert dists == [math.inf, 0.5, math.inf]


def test_crowding_of_equal_points_follows_index_order() -> None:
    """Both sorts are stable, so the first and the last of equals are the ends."""
    dists = naive.assign_crowding_dists([(1.0, 1.0)] * 4, [1] * 4, (0.0, 1.0), (0.0, 1.0))
    assert dists == [math.inf, 0.0, 0.0, math.inf]


def test_hypervolume_by_hand() -> None:
    """Two boxes and their overlap; points beyond the reference add nothing."""
    points = [(3.0, 4.0), (1.0, 2.0), (1.0, 2.0), (0.5, 5.0), (-1.0, 0.0), (9.0, 6.0)]
    assert naive.hypervolume(points, 0.0, 6.0) == 3 * 2 + 1 * 4 - 1 * 2
    assert naive.hypervolume([], 0.0, 6.0) == 0.0


# ---------------------------------------------------------------- listings 2 to 7 by hand


def first_ones(candidates: list[naive.Individual], how_many: int) -> list[naive.Individual]:
    """A "random" pick: the first ones."""
    return candidates[:how_many]


def individuals(tags: Sequence[naive.Tag], first_uid: int) -> list[naive.Individual]:
    """One individual for each tag given; earlier ones are better."""
    return [
        naive.Individual(tag, (1.0,), rank=place, crowd=1.0, uid=first_uid + place)
        for place, tag in enumerate(tags, start=1)
    ]


def test_collaborators_and_solutions_in_loop_order() -> None:
    """An empty subpopulation gives no collaborator, a single one only itself; duplicates stay in S."""
    a, b = (2, 2), (3, 3)
    dbs, rbs = individuals([a, b, a, a], 10), individuals([a, a], 20)
    chi = naive.build_collabr_map(dbs, rbs, [a, b], 0, first_ones)
    assert {key: [idv.uid for idv in chosen] for key, chosen in chi.items()} == {
        (1, a): [11, 13],
        (1, b): [12],
        (2, a): [21, 22],
        (2, b): [],
    }
    pairs = [(s.first.uid, s.second.uid) for s in naive.build_soln_set(dbs, rbs, [a, b], chi)]
    assert pairs == [(11, 21), (11, 22), (13, 21), (13, 22), (14, 21), (14, 22), (11, 21), (13, 21), (11, 22), (13, 22)]

    dbs[0].rank = 9  # now uid 13 is the best of its subspecies, and 11 heads the remainder
    later = naive.build_collabr_map(dbs, rbs, [a, b], 1, first_ones)
    assert [idv.uid for idv in later[(1, a)]] == [13, 11]
    assert [idv.uid for idv in later[(1, b)]] == [12]


def test_credit_is_that_of_the_best_solution_or_missing() -> None:
    """Best by crowded comparison in S, not by performance alone."""
    dbs, rbs = individuals([(2, 2), (3, 3)], 10), individuals([(2, 2), (2, 2)], 20)
    solns = [
        naive.Solution(dbs[0], rbs[0], -100.0, 9.0, rank=2, crowd=math.inf),
        naive.Solution(dbs[0], rbs[1], -150.0, 4.0, rank=1, crowd=0.1),
    ]
    naive.assign_indivs_credit(dbs, solns, (-200.0, 25.0))
    naive.assign_indivs_credit(rbs, solns, (-200.0, 25.0))
    assert [(i.perf, i.comp) for i in dbs + rbs] == [(-150.0, 4.0), (-200.0, 25.0), (-100.0, 9.0), (-150.0, 4.0)]


def test_evaluation_ranks_the_solutions() -> None:
    """Listing 4 with performances given by hand; complexity counts the specified alleles."""
    db = naive.Individual((2, 2), (0.5,) * 4, uid=1)
    rbs = [
        naive.Individual((2, 2), rb, uid=uid) for uid, rb in enumerate([(1, 2, 0, 0), (1, 2, 1, 0), (1, 2, 1, 1)], 2)
    ]
    solns = [naive.Solution(db, rb) for rb in rbs]
    naive.eval_soln_set(solns, lambda s: {2: -200.0, 3: -100.0, 4: -150.0}[s.second.uid], (-200.0, -96.0), (2.0, 4.0))
    assert [(s.perf, s.comp, s.rank) for s in solns] == [(-200.0, 2, 1), (-100.0, 3, 1), (-150.0, 4, 2)]


def test_archive_takes_the_best_and_draws_again_when_a_tag_ran_empty() -> None:
    """Every pick leaves the candidates; draws of an exhausted tag are spent."""
    a, b = (2, 2), (3, 3)
    r = individuals([a, b, b, b], 0)
    draws = iter([a, a, a, b, b])
    assert [idv.uid for idv in naive.archive_parent_pop(r, lambda: next(draws), 3)] == [1, 2, 3]
    assert next(draws, None) is None
    with pytest.raises(ValueError, match="never end"):
        naive.archive_parent_pop(r, lambda: a, 5)


def test_breeding_draws_a_tag_for_two_children() -> None:
    """Both parents come from the drawn subspecies; a tag without parents is drawn again."""
    a, b = (2, 2), (3, 3)
    p = individuals([a, a, a, a], 0)
    draws = iter([b, a, b, b, a])
    chosen = iter(range(4))
    q = naive.breed_children(p, lambda: next(draws), lambda subpop: subpop[next(chosen)], lambda x, y: (y, x))
    assert [idv.uid for idv in q] == [2, 1, 4, 3]
    assert next(draws, None) is None


def test_tournament() -> None:
    """Rank first, then crowding; a on a tie."""
    near, far = naive.Individual((2, 2), (), rank=1, crowd=0.1), naive.Individual((2, 2), (), rank=1, crowd=0.2)
    worse = naive.Individual((2, 2), (), rank=2, crowd=math.inf)
    assert naive.tournament(near, far) is far
    assert naive.tournament(worse, near) is near
    twin = naive.Individual((2, 2), (), rank=1, crowd=0.1)
    assert naive.tournament(near, twin) is near
    assert naive.tournament(twin, near) is twin


# ---------------------------------------------------------------- variation by hand


def test_db_variation() -> None:
    """Line recombination and mirrored Gaussian noise."""
    assert naive.line_recombination([0.0, 1.0], [1.0, 0.5], 0.25, 1.0) == ([0.75, 0.625], [1.0, 0.5])
    mutant = naive.gaussian_mutation([0.5, 0.75, 0.25, 0.5, 0.5], [0.25, 0.5, -0.5, 2.0, -2.0])
    assert mutant == [0.75, 0.25, 0.75, 1.0, 0.0]


def test_rb_variation() -> None:
    """Uniform crossover and the flip to each other allele."""
    assert naive.uniform_crossover([1, 2, 0], [2, 1, 1], [True, False, True]) == ([2, 2, 1], [1, 1, 0])
    assert naive.flip_mutation([0, 1, 2, 2], [True, True, True, False], [1, 2, 1, 1], 2) == [1, 0, 0, 2]
    for old in range(4):
        others = {naive.flip_mutation([old], [True], [shift], 3)[0] for shift in (1, 2, 3)}
        assert others == set(range(4)) - {old}


def test_repair_reaches_exactly_the_minimum() -> None:
    """Specified genes stay, and a genotype that is complex enough is left alone."""
    assert naive.repair([0, 0, 3, 0], 3, [2, 3, 0, 1], [1, 1, 1, 2]) == [1, 0, 3, 2]
    assert naive.repair([1, 2, 3, 0], 3, [3, 2, 1, 0], [1, 1, 1, 1]) == [1, 2, 3, 0]


def test_merging_keeps_the_complexity_and_the_covered_subspaces() -> None:
    """Any genotype: both complexities agree, and the rules cover each specified subspace once, with its action."""
    rng = random.Random(0)
    for _ in range(200):
        tag = tuple(rng.randint(2, 4) for _ in range(rng.randint(1, 3)))
        rb = [rng.randint(0, 3) for _ in range(naive.lambda_2(tag))]
        rules = naive.decode_rules(tag, rb, 3)
        assert naive.complexity_from_rules(rules) == naive.complexity_from_genotype(rb)
        for gene, sets in zip(rb, np.ndindex(*tag), strict=True):
            covering = [a for masks, a in rules if all(mask[s] for mask, s in zip(masks, sets, strict=True))]
            assert covering == ([gene] if gene else [])
