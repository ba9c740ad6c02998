"""Neighbours of the archive: valid genotypes near their origins, and a search that does not notice them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mococo
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.front import Decoder, Front
from mococo.population import Problem
from mococo.refinement import generator, neighbours
from mococo.subspecies import lambda_1, lambda_2
from mococo.training import evolve

SMALL = {"num_gens": 6, "db_pop_size": 20, "rb_pop_size": 40}


@st.composite
def archives(draw: st.DrawFn) -> tuple[Front, Problem]:
    """Archives of a few members of any subspecies, some at the lower bound."""
    d, k = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    tags = tuple(
        draw(
            st.lists(
                st.tuples(*[st.integers(1, 4)] * d).filter(lambda t: max(t) > 1), min_size=1, max_size=3, unique=True
            )
        )
    )
    least = draw(st.integers(1, min(k, *map(lambda_2, tags))))
    problem = Problem(tags, k, (-10.0, 0.0), least)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(0, 5))
    sigma = rng.integers(0, len(tags), n)
    db, rb = np.zeros((n, max(map(lambda_1, tags)))), np.zeros((n, max(map(lambda_2, tags))), np.int8)
    for row, s in enumerate(sigma):
        db[row, : lambda_1(tags[s])] = rng.random(lambda_1(tags[s]))
        genes = rng.permutation(lambda_2(tags[s]))[: rng.integers(least, lambda_2(tags[s]), endpoint=True)]
        rb[row, genes] = rng.integers(1, k, len(genes), endpoint=True)
    perf = np.where(rng.random(n) < 0.3, -10.0, rng.uniform(-9, 0, n))
    decoder = Decoder(tags, MOUNTAIN_CAR.features, MOUNTAIN_CAR.actions, 0.75)
    return Front(decoder, sigma, db, rb, perf, np.count_nonzero(rb, axis=1) * 1.0, np.zeros(n, np.int64)), problem


@settings(deadline=None)
@given(archives(), st.integers(0, 60), st.integers(0, 10**6))
def test_neighbours_are_valid_and_near(made: tuple[Front, Problem], n: int, seed: int) -> None:
    archive, problem = made
    before = archive.db.copy(), archive.rb.copy()
    near = neighbours(archive, problem, n, np.random.default_rng(seed))
    able = np.flatnonzero(archive.perf > -10.0)
    assert len(near) == (n if len(able) else 0)
    for s, db, rb in zip(near.tag, near.r1.genotype, near.r2.genotype, strict=True):
        tag = problem.subspecies[s]
        assert ((db >= 0) & (db <= 1)).all()
        assert ((rb >= 0) & (rb <= problem.n_actions)).all()
        assert not db[lambda_1(tag) :].any()
        assert not rb[lambda_2(tag) :].any()
        assert np.count_nonzero(rb) >= problem.comp_bounds[0]
        origins = able[archive.sigma[able] == s]
        assert min(int(np.count_nonzero(archive.rb[row] != rb)) for row in origins) <= 2
    assert np.array_equal(before[0], archive.db)
    assert np.array_equal(before[1], archive.rb)


def test_rules_are_lost_moved_gained_and_changed_and_sets_are_moved() -> None:
    result = mococo.train("MountainCar-v0", seed=1, refine=0, **SMALL)
    problem = Problem(result.config.subspecies, 2, (-200.0, -96.0))
    one = result.archive.merged(Front.empty(result.archive.decoder))
    best = int(np.argmax(one.perf))
    alone = Front(one.decoder, *(getattr(one, name)[[best]] for name in ("sigma", "db", "rb", "perf", "comp", "gen")))
    near = neighbours(alone, problem, 4000, np.random.default_rng(0))
    rb, old = near.r2.genotype, alone.rb[0]
    lost, gained = ((old > 0) & (rb == 0)).sum(axis=1), ((old == 0) & (rb > 0)).sum(axis=1)
    changed = ((old > 0) & (rb > 0) & (old != rb)).sum(axis=1)
    for share, expected in (
        (((lost == 1) & (gained == 0)).mean(), 0.25),
        (((lost == 1) & (gained == 1)).mean(), 0.25),
        (((lost == 0) & (gained == 1)).mean(), 0.1),
        ((changed == 1).mean(), 0.15),
        ((lost + gained + changed == 0).mean(), 0.25),
        ((near.r1.genotype != alone.db).any(axis=1).mean(), 0.25 + 0.5 * 0.75),
    ):
        assert share == pytest.approx(expected, abs=0.03)


def test_the_search_does_not_notice_and_the_archive_gains() -> None:
    plain, refined = (list(evolve("MountainCar-v0", seed=3, refine=share, **SMALL)) for share in (0.0, 0.5))  # type: ignore[arg-type]
    for one, other in zip(plain, refined, strict=True):
        assert np.array_equal(one.solns.perf, other.solns.perf)
        assert one.state.rng == other.state.rng
        assert (one.record.refined, one.record.evaluations) == (0, len(one.solns))
        assert other.record.refined in {0, round(0.5 * len(other.solns))}  # 0 while nothing is above the lower bound
        assert other.record.evaluations == len(other.solns) + other.record.refined
    assert refined[-1].record.archive_hypervolume > plain[-1].record.archive_hypervolume
    for member in refined[-1].archive:
        ours = mococo.evaluate(member.policy, "MountainCar-v0", starts=MOUNTAIN_CAR.training_starts(30))
        expected = -200.0 if ours.uncovered.any() else ours.performance[0]
        assert (member.performance, member.complexity) == (expected, member.policy.complexity)


def test_its_numbers_follow_from_the_state_and_leave_it() -> None:
    state = np.random.default_rng(5).bit_generator.state
    one, other = generator(state), generator(state)
    assert one.random(3).tolist() == other.random(3).tolist() != np.random.default_rng(5).random(3).tolist()


def test_a_users_own_evaluation_meets_the_neighbours_after_the_generation_in_one_call() -> None:
    sizes: list[int] = []

    def evaluate(policies: Sequence[mococo.Policy]) -> Any:
        sizes.append(len(policies))
        return np.linspace(-150, -100, sizes[-1])

    run = list(evolve("MountainCar-v0", evaluate=evaluate, refine=0.5, **SMALL))  # type: ignore[arg-type]
    assert [progress.record.evaluations for progress in run] == sizes
    assert [len(progress.solns) + progress.record.refined for progress in run] == sizes
    assert all(progress.record.refined == round(0.5 * len(progress.solns)) for progress in run[1:])
    assert run[0].record.refined == 0  # there is no archive yet
