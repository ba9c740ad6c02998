"""Algorithm 1: whole runs beside the oracle, and runs of every shape that must not crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mococo
from mococo import Config, Policy, algorithm
from mococo.population import Population, Problem
from mococo.subspecies import Tag
from mococo.training import Progress, evolve
from tests.properties.strategies import individuals, problem_of, subspecies_lists
from tests.properties.test_listings import perfs_of, seeds, some_performance
from tests.reference import naive

even = st.integers(1, 6).map(lambda half: 2 * half)

# ---------------------------------------------------------------- beside the oracle


class Tape:
    """Writes down every random choice of a run, in order, by the function that made it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.kept: dict[str, list[Any]] = {}
        for name in ("select_collabrs", "draw_tags", "selection", "db_crossover_mutate", "rb_crossover_mutate"):
            patch.setattr(algorithm, name, self._recorded(name))

    def _recorded(self, name: str) -> Any:
        original, kept = getattr(algorithm, name), self.kept.setdefault(name, [])

        def call(*args: Any, **kwargs: Any) -> Any:
            kept.append(original(*args, **kwargs))
            return kept[-1]

        return call

    def play(self, name: str) -> Any:
        return self.kept[name].pop(0)


def oracles_run(
    problem: Problem, p1: list[naive.Individual], p2: list[naive.Individual], num_gens: int, tape: Tape
) -> Iterator[tuple[list[naive.Solution], list[list[naive.Individual]]]]:
    """Algorithm 1 as it is printed, with the tape's choices; yields S and P_1, P_2, Q_1, Q_2 of each generation."""
    tags = problem.subspecies
    bounds, comp_bounds = problem.perf_bounds, problem.comp_bounds
    q1: list[naive.Individual] = []
    q2: list[naive.Individual] = []
    for gen in range(num_gens):
        collabrs = [[p1, p2][i][row] for i in (0, 1) for _ in tags for row in tape.play("select_collabrs").tolist()]

        def pick(candidates: list[naive.Individual], n: int, collabrs: Any = collabrs) -> list[naive.Individual]:
            return [idv for idv in collabrs if idv in candidates][:n]

        chi = naive.build_collabr_map(p1, p2, tags, gen, pick)
        o1, o2 = (p1, p2) if gen == 0 else (q1, q2)
        solns = naive.build_soln_set(o1, o2, tags, chi)
        naive.eval_soln_set(
            solns,
            lambda s: some_performance(s.first.genotype, s.second.genotype),  # type: ignore[arg-type]
            bounds,
            comp_bounds,
        )
        naive.assign_indivs_credit(o1, solns, (bounds[0], comp_bounds[1]))
        naive.assign_indivs_credit(o2, solns, (bounds[0], comp_bounds[1]))
        r1, r2 = p1 + q1, p2 + q2
        naive.rank_and_crowd(r1, bounds, comp_bounds)
        naive.rank_and_crowd(r2, bounds, comp_bounds)
        # The fast code draws for both archives, then for both broods.
        draws = [iter([tags[sigma] for sigma in tape.play("draw_tags")]) for _ in range(4)]
        p1 = naive.archive_parent_pop(r1, draws[0].__next__, len(p1))
        p2 = naive.archive_parent_pop(r2, draws[1].__next__, len(p2))
        q1 = brood(p1, draws[2].__next__, tape, "db_crossover_mutate", (gen, 1))
        q2 = brood(p2, draws[3].__next__, tape, "rb_crossover_mutate", (gen, 2))
        yield solns, [p1, p2, q1, q2]


def brood(
    p: list[naive.Individual], draw: naive.Draw, tape: Tape, operator: str, born: tuple[int, int]
) -> list[naive.Individual]:
    """Algorithm 7 with the tape's winners of tournaments and children."""
    parents = [row for pair in zip(tape.play("selection"), tape.play("selection"), strict=True) for row in pair]
    genotypes = iter(tape.play(operator))
    winners = iter(parents)
    uids = iter(range(10_000_000 * (2 * born[0] + born[1]), 10_000_000 * (2 * born[0] + born[1] + 1)))

    def select(subpop: list[naive.Individual]) -> naive.Individual:
        winner = p[next(winners)]
        assert winner in subpop
        return winner

    def cross_mutate(a: naive.Individual, b: naive.Individual) -> tuple[naive.Individual, naive.Individual]:
        length = len(a.genotype)
        one, two = (naive.Individual(a.tag, tuple(next(genotypes)[:length].tolist()), uid=next(uids)) for _ in range(2))
        return one, two

    return naive.breed_children(p, draw, select, cross_mutate)


def values(indivs: list[naive.Individual], evaluated: bool) -> list[tuple[object, ...]]:
    """All that is known of individuals, those just born without credit."""
    return [
        (idv.tag, idv.genotype, *((idv.perf, idv.comp, idv.rank, idv.crowd) if evaluated else ())) for idv in indivs
    ]


@settings(max_examples=40)
@given(subspecies_lists, st.integers(1, 3), even, even, st.integers(1, 5), seeds)
def test_every_generation_of_a_run_is_the_oracles(
    subspecies: tuple[Tag, ...], k: int, db_size: int, rb_size: int, num_gens: int, seed: int
) -> None:
    problem = problem_of(subspecies, k)
    config = Config(subspecies=subspecies, num_gens=num_gens, db_pop_size=db_size, rb_pop_size=rb_size)
    with pytest.MonkeyPatch.context() as patch:
        tape = Tape(patch)
        start = algorithm.initial_state(problem, config, seed)
        run = list(algorithm.fuzzy_mococo(lambda s: perfs_of(s, problem), problem, config, start))
    assert [g.gen for g in run] == list(range(num_gens))
    first = [individuals(p, problem, i) for i, p in ((1, start.p1), (2, start.p2))]
    for generation, (solns, populations) in zip(
        run, oracles_run(problem, first[0], first[1], num_gens, tape), strict=True
    ):
        s, state = generation.solns, generation.state
        assert list(zip(s.perf, s.comp, s.rank, s.crowd, strict=True)) == [
            (x.perf, x.comp, x.rank, x.crowd) for x in solns
        ]
        for species, evaluated, fast, slow in (
            (1, True, state.p1, populations[0]),
            (2, True, state.p2, populations[1]),
            (1, False, state.q1, populations[2]),
            (2, False, state.q2, populations[3]),
        ):
            assert values(individuals(fast, problem, species), evaluated) == values(slow, evaluated)


@given(subspecies_lists, even, even, st.integers(2, 5), st.data(), seeds)
def test_a_run_can_go_on_from_any_of_its_states(
    subspecies: tuple[Tag, ...], db_size: int, rb_size: int, num_gens: int, data: st.DataObject, seed: int
) -> None:
    problem = problem_of(subspecies)
    config = Config(subspecies=subspecies, num_gens=num_gens, db_pop_size=db_size, rb_pop_size=rb_size)
    start = algorithm.initial_state(problem, config, seed)
    whole = list(algorithm.fuzzy_mococo(lambda s: perfs_of(s, problem), problem, config, start))
    at = data.draw(st.integers(0, num_gens - 1))
    rest = algorithm.fuzzy_mococo(lambda s: perfs_of(s, problem), problem, config, whole[at].state)
    for expected, found in zip(whole[at + 1 :], rest, strict=True):
        assert found.gen == expected.gen
        assert found.state.rng == expected.state.rng
        for name in ("p1", "p2", "q1", "q2"):
            assert same(getattr(found.state, name), getattr(expected.state, name))


def same(a: Population, b: Population) -> bool:
    """Bit for bit."""
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in a.__dataclass_fields__)


# ---------------------------------------------------------------- never a crash

tags = st.tuples(st.integers(1, 4), st.integers(4, 5))
settings_of_a_run = st.fixed_dictionaries(
    {
        "subspecies": st.lists(tags, min_size=1, max_size=5, unique=True),
        "db_pop_size": st.one_of(st.just(2), even),
        "rb_pop_size": st.one_of(st.just(2), even),
        "num_gens": st.integers(1, 4),
        "beta": st.sampled_from([1.0, 1.125, 10.0, 1e300]),
        "omega": st.sampled_from([0.75, 0.001, 0.999]),
        "rb_p_unspec": st.sampled_from([0.0, 0.1, 1.0]),
        "db_p_cross": st.sampled_from([0.0, 0.75, 1.0]),
        "db_mut_sigma": st.sampled_from([0.0, 0.02, 100.0]),
        "rb_p_cross": st.sampled_from([0.0, 0.25, 1.0]),
        "rb_p_mut": st.sampled_from([0.0, 0.05, 1.0]),
        "eta": st.integers(1, 40),
        "min_complexity": st.sampled_from([0, 0, 1, 4]),
        "failed": st.sampled_from(["counted", "counted", "worst"]),
    }
)
any_seed = st.one_of(st.just(0), st.integers(0, 2**200))


def check(progress: Progress, chosen: dict[str, Any]) -> None:
    """What holds after each generation of any run."""
    state, solns = progress.state, progress.solns
    for p, q, size in ((state.p1, state.q1, "db_pop_size"), (state.p2, state.q2, "rb_pop_size")):
        assert len(p) == len(q) == chosen[size]
        assert np.isfinite(p.perf).all()  # NaN credit would win or lose every comparison
        assert np.isfinite(p.comp).all()
        assert not np.isnan(p.crowd).any()
        assert (p.rank >= 1).all()
    assert np.isfinite(solns.perf).all()
    assert not np.isnan(solns.crowd).any()
    in_front = (solns.rank == 1) & ((solns.perf > -200) | (chosen["failed"] == "counted"))
    assert len(progress.front) == np.count_nonzero(in_front)
    assert progress.record.evaluations == len(solns) + progress.record.refined
    assert (np.count_nonzero(state.q2.genotype, axis=1) >= (chosen["min_complexity"] or 2)).all()
    for archived in progress.archive:
        assert not (
            (progress.archive.perf >= archived.performance)
            & (progress.archive.comp <= archived.complexity)
            & ((progress.archive.perf > archived.performance) | (progress.archive.comp < archived.complexity))
        ).any()


@given(settings_of_a_run, any_seed)
def test_training_by_rollouts_never_crashes(chosen: dict[str, Any], seed: int) -> None:
    gens = 0
    for progress in evolve("MountainCar-v0", seed, threads=1, **chosen):
        check(progress, chosen)
        assert ((progress.solns.perf >= -200) & (progress.solns.perf <= -90)).all()
        gens += 1
    assert gens == chosen["num_gens"]


@given(settings_of_a_run, any_seed, st.sampled_from([0.0, 5.0, -1e300]), st.sampled_from([-150.0, 1e300]))
def test_training_by_an_evaluation_of_the_users_never_crashes(
    chosen: dict[str, Any], seed: int, scale: float, base: float
) -> None:
    """Performances that are all the same, or far outside the environment's bounds, are harmless too."""

    def evaluate(policies: Sequence[Policy]) -> list[float]:
        return [base + scale * sum(policy.rb) for policy in policies]

    for progress in evolve("MountainCar-v0", seed, evaluate=evaluate, **chosen):
        check(progress, chosen)


@given(even, any_seed)
def test_train_gives_a_result_whatever_the_population(size: int, seed: int) -> None:
    result = mococo.train("MountainCar-v0", seed, num_gens=2, db_pop_size=size, rb_pop_size=2, threads=1)
    assert len(result.history) == 2
    assert len(result.archive) <= 25
    if len(result.front):
        assert result.archive.best.performance >= result.front.best.performance
