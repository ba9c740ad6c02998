"""The two rollout kernels, the oracle and `Policy` itself: the same returns, steps and uncovered states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo.envs.mountain_car import MOUNTAIN_CAR, training_starts
from mococo.envs.spec import Environment
from mococo.evaluation import RolloutEvaluator
from mococo.population import Population, SolutionSet
from mococo.rollout import knots_for
from tests.parity import kernels
from tests.reference import naive
from tests.reference.test_naive import FLOAT32_STARTS
from tests.reference.test_naive import MOUNTAIN_CAR as GOLDEN

ALL_TAGS = [(m0, m1) for m0 in range(2, 9) for m1 in range(2, 9)]


def anywhere(n: int, seed: int) -> NDArray[np.float64]:
    """Starts on the whole state space, with velocity."""
    return np.random.default_rng(seed).uniform((-1.2, -0.07), (0.5, 0.07), (n, 2))


def batches() -> dict[str, list[mococo.Policy]]:
    rng = np.random.default_rng(5)
    return {
        "evolved": kernels.evolved(120),
        "random": kernels.random(rng, 90, 2, 0.1),
        "no push too": kernels.random(rng, 90, 3, 0.2),
        "four actions": kernels.random(rng, 90, 4, 0.0),
        "many holes": kernels.random(rng, 90, 3, 0.7),
        "no rules at all": kernels.random(rng, 9, 2, 1.0),
        "symmetric": kernels.symmetric(ALL_TAGS),
        "symmetric, three actions": kernels.symmetric(ALL_TAGS, 3),
        "symmetric, four actions": kernels.symmetric(ALL_TAGS, 4),
    }


BATCHES = batches()
EACH = pytest.mark.parametrize("name", BATCHES)


@EACH
@pytest.mark.parametrize("gamma", [1.0, 0.99])
def test_planar_is_general(name: str, gamma: float) -> None:
    env = replace(MOUNTAIN_CAR, gamma=gamma)
    starts = np.concatenate([training_starts(20), anywhere(20, 6)])
    planar, general = (kernels.run(kernel, BATCHES[name], starts, env) for kernel in ("planar", "general"))
    assert kernels.differences(planar, general) == []
    assert kernels.same(planar, general)


@EACH
def test_planar_is_the_policy_itself(name: str) -> None:
    """`Policy.strengths` in every step, and the step function in plain Python."""
    policies = BATCHES[name][:: max(1, len(BATCHES[name]) // 45)]
    starts = np.concatenate([training_starts(2), anywhere(2, 7)])
    assert kernels.differences(kernels.run("planar", policies, starts), kernels.interpreted(policies, starts)) == []


# A policy whose alleles are all 1/2 is full of ties, which the oracle's formula and ours may round differently, by far
# less than 1e-12; for these numbers of sets the coordinates are exact enough for equal roundings.
EXACT = [(2, 2), (2, 4), (4, 2), (4, 4), (2, 8), (8, 4)]


@pytest.mark.parametrize("name", [name for name in BATCHES if not name.startswith("symmetric")])
def test_planar_is_the_oracle(name: str) -> None:
    policies = BATCHES[name][:: max(1, len(BATCHES[name]) // 18)]
    starts = np.concatenate([training_starts(3), anywhere(3, 8)])
    assert kernels.differences(kernels.run("planar", policies, starts), kernels.oracle(policies, starts)) == []


@pytest.mark.parametrize("n_actions", [2, 3])
def test_ties_exactly_on_the_lines_between_triangles_are_decided_as_by_the_oracle(n_actions: int) -> None:
    policies = kernels.symmetric(EXACT, n_actions)
    starts = training_starts(3)
    assert kernels.differences(kernels.run("planar", policies, starts), kernels.oracle(policies, starts)) == []


def test_velocity_zero_lies_exactly_between_two_sets_of_a_symmetric_policy() -> None:
    """So the tests above really are about ties."""
    for policy in kernels.symmetric([(2, 2), (4, 4), (3, 8)])[:1]:
        assert policy.strengths([0.5, 0.0]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("kernel", ["planar", "general"])
@EACH
def test_failing_fast_finds_the_same_failures_and_leaves_the_other_policies_alone(kernel: str, name: str) -> None:
    starts = training_starts(40)
    slow = kernels.run(kernel, BATCHES[name], starts)
    fast = kernels.run(kernel, BATCHES[name], starts, fail_fast=True)
    failed = slow[2].any(axis=1)
    assert fast[2].any(axis=1).tolist() == failed.tolist()
    for a, b in zip(slow, fast, strict=True):
        assert a[~failed].tobytes() == b[~failed].tobytes()
    assert fast[1].sum() <= slow[1].sum()


@pytest.mark.parametrize("kernel", ["planar", "general"])
@pytest.mark.parametrize("n_starts", [1, 30, 31, 32, 33, 64, 65])
def test_an_episode_does_not_depend_on_how_many_others_there_are(kernel: str, n_starts: int) -> None:
    starts = np.concatenate([training_starts(40), anywhere(30, 9)])
    policies = [*BATCHES["evolved"][:25], *BATCHES["random"][:25], *BATCHES["symmetric"][:25]]
    whole = kernels.run(kernel, policies, starts)
    part = kernels.run(kernel, policies, starts[:n_starts])
    assert kernels.same(part, (whole[0][:, :n_starts], whole[1][:, :n_starts], whole[2][:, :n_starts]))
    alone = kernels.run(kernel, policies[:1], starts[:n_starts])
    assert kernels.same(alone, (part[0][:1], part[1][:1], part[2][:1]))


@pytest.mark.parametrize("knots", [8, 16])
def test_an_episode_does_not_depend_on_the_size_the_kernels_were_compiled_for(knots: int) -> None:
    policies = [p for p in BATCHES["evolved"] + BATCHES["random"] + BATCHES["symmetric"] if max(p.tag) <= 5]
    assert knots_for(5) == 5
    for kernel in ("planar", "general"):
        assert kernels.same(
            kernels.run(kernel, policies, training_starts(10)),
            kernels.run(kernel, policies, training_starts(10), knots=knots),
        )


@pytest.mark.parametrize("gamma", [0.99, 0.5, 0.0])
def test_discounted_returns_are_the_oracles(gamma: float) -> None:
    env = replace(MOUNTAIN_CAR, gamma=gamma)
    policies, starts = [*BATCHES["evolved"][::12], *BATCHES["random"][::12]], training_starts(2)
    assert (
        kernels.differences(kernels.run("planar", policies, starts, env), kernels.oracle(policies, starts, env)) == []
    )


@pytest.mark.parametrize("t_max", [1, 2, 77])
def test_episodes_end_at_the_step_limit(t_max: int) -> None:
    env = replace(MOUNTAIN_CAR, t_max=t_max)
    for kernel in ("planar", "general"):
        returns, steps, uncovered = kernels.run(kernel, BATCHES["evolved"], training_starts(5), env)
        assert (steps <= t_max).all()
        assert (steps[~uncovered] == -returns[~uncovered]).all()
        assert steps.max() == t_max


@pytest.mark.parametrize("name", ["evolved", "random", "symmetric"])
def test_returns_are_the_same_with_libms_cosine(name: str) -> None:
    policies = kernels.evolved(600) if name == "evolved" else BATCHES[name]
    starts = training_starts(30)
    ours, libms = (kernels.run("planar", policies, starts, libm=libm) for libm in (False, True))
    assert kernels.differences(ours, libms) == []


# ---------------------------------------------------------------- float32


def test_policies_see_float32_at_starts_where_that_changes_the_return() -> None:
    """Found by bisection for golden solution 0; a policy that saw the float64 state would return otherwise."""
    solution = GOLDEN["solutions"][0]
    policy = kernels.policy(solution["tag"], solution["db"], solution["rb"])
    starts = np.array([[start, 0.0] for start in FLOAT32_STARTS])
    rules = naive.decode_rules(solution["tag"], solution["rb"], 2)
    refs = naive.decode_db(solution["tag"], solution["db"], naive.MC_DOMAINS)
    expected = [naive.mountain_car_return(rules, refs, naive.MC_DOMAINS, start) for start in FLOAT32_STARTS]
    assert mococo.evaluate(policy, "MountainCar-v0", starts=starts).returns.tolist() == [expected]
    assert kernels.run("general", [policy], starts)[0].tolist() == [expected]
    exact = replace(MOUNTAIN_CAR, float32=False)
    assert kernels.run("planar", [policy], starts, exact)[0].tolist() != [expected]
    libms = kernels.run("planar", [policy], starts, exact, libm=True)  # one bit of the cosine matters here too
    assert kernels.same(libms, kernels.oracle([policy], starts, exact))


# ---------------------------------------------------------------- threads


@pytest.mark.parametrize("n_policies", [1, 2, 3, 40, 200])
@pytest.mark.parametrize("n_starts", [1, 31, 65])
def test_evaluate_gives_the_same_bytes_with_any_number_of_threads(n_policies: int, n_starts: int) -> None:
    policies = [*BATCHES["symmetric"], *BATCHES["evolved"], *BATCHES["no push too"], *BATCHES["many holes"]]
    policies = policies[:: max(1, len(policies) // n_policies)][:n_policies]
    starts = np.concatenate([training_starts(33), anywhere(33, 10)])[:n_starts]
    one, two, five = (mococo.evaluate(policies, MOUNTAIN_CAR, starts=starts, threads=t) for t in (1, 2, 5))
    for other in (two, five):
        assert one.returns.tobytes() == other.returns.tobytes()
        assert one.steps.tobytes() == other.steps.tobytes()
        assert one.uncovered.tobytes() == other.uncovered.tobytes()


def solution_set(policies: list[mococo.Policy], rng: np.random.Generator, m: int) -> SolutionSet:
    """m solutions of these policies' parts; the same tag for all."""
    tag = np.zeros(len(policies), dtype=np.int64)
    p1 = Population.newborn(tag, np.array([p.db for p in policies]))
    p2 = Population.newborn(tag, np.array([p.rb for p in policies], dtype=np.int8))
    first, second = rng.integers(0, len(policies), (2, m))
    return SolutionSet.unevaluated(p1, p2, first, second)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_training_evaluates_each_pair_of_parts_as_evaluate_does_its_policy(threads: int) -> None:
    """Pairs come up many times; the failing ones get the lower bound as a whole."""
    policies = [p for p in [*BATCHES["evolved"], *BATCHES["random"]] if p.tag == (5, 5)][:20]
    solns = solution_set(policies, np.random.default_rng(11), 300)
    starts = training_starts(30)
    evaluate = RolloutEvaluator(MOUNTAIN_CAR, [(5, 5)], 0.75, starts, threads)
    found = evaluate(solns)
    made = [
        kernels.policy((5, 5), solns.r1.genotype[i], solns.r2.genotype[j])
        for i, j in zip(solns.first, solns.second, strict=True)
    ]
    expected = mococo.evaluate(made, MOUNTAIN_CAR, starts=starts)
    assert found.tolist() == np.where(expected.uncovered > 0, -200.0, expected.performance).tolist()
    assert evaluate.env_steps > 0


def test_equal_genotypes_of_different_subspecies_are_different_solutions() -> None:
    """2x3 and 3x2 have as many genes; so does each pair of its parts."""
    db, rb = np.full((2, 5), 0.5), np.tile(np.array([1, 2, 1, 2, 1, 2], dtype=np.int8), (2, 1))
    tag = np.array([0, 1])
    rows = np.array([0, 1, 0, 1])
    solns = SolutionSet.unevaluated(Population.newborn(tag, db), Population.newborn(tag, rb), rows, rows)
    found = RolloutEvaluator(MOUNTAIN_CAR, [(2, 3), (3, 2)], 0.75, training_starts(30), 1)(solns)
    policies = [kernels.policy(t, db[0], rb[0]) for t in ((2, 3), (3, 2))] * 2
    assert found.tolist() == mococo.evaluate(policies, MOUNTAIN_CAR, starts=training_starts(30)).performance.tolist()
    assert found[0] != found[1]


def test_the_environments_own_choice_of_kernel_is_that_of_its_number_of_features() -> None:
    assert isinstance(MOUNTAIN_CAR, Environment)
    policies, starts = BATCHES["evolved"][:10], training_starts(30)
    evaluation = mococo.evaluate(policies, MOUNTAIN_CAR, starts=starts)
    returns, steps, uncovered = kernels.run("planar", policies, starts)
    assert evaluation.returns.tobytes() == returns.tobytes()
    assert evaluation.steps.tobytes() == steps.tobytes()
    assert evaluation.uncovered.tolist() == uncovered.sum(axis=1).tolist()
