"""Algorithms 2 to 7, each against the oracle on small populations with ties, empty and one-member subspecies.

The oracle is handed the random choices that the fast code made: where those can be read from its result they are (and
are checked to be choices that the paper allows), else a generator writes down what it drew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mococo.algorithm import (
    archive_parent_pop,
    assign_indivs_credit,
    breed_children,
    build_collabr_map,
    build_soln_set,
    db_crossover_mutate,
    eval_soln_set,
    init_db_pop,
    init_rb_pop,
    rb_crossover_mutate,
    selection,
)
from mococo.config import Config
from mococo.population import Population, Problem, SolutionSet
from mococo.subspecies import Tag, draw_tags, make_subspecies_dists
from tests.properties.strategies import (
    PERFS,
    individuals,
    populations,
    problem_of,
    rows_of,
    subspecies_lists,
    vectors,
)
from tests.reference import naive

seeds = st.integers(0, 2**32)


class Recording(np.random.Generator):
    """A generator that writes down what it draws."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.drawn: dict[str, list[Any]] = {"random": [], "integers": [], "normal": []}

    def random(self, *args: Any, **kwargs: Any) -> Any:
        self.drawn["random"].append(super().random(*args, **kwargs))
        return self.drawn["random"][-1]

    def integers(self, *args: Any, **kwargs: Any) -> Any:
        self.drawn["integers"].append(super().integers(*args, **kwargs))
        return self.drawn["integers"][-1]

    def normal(self, *args: Any, **kwargs: Any) -> Any:
        self.drawn["normal"].append(super().normal(*args, **kwargs))
        return self.drawn["normal"][-1]


class Game:
    """Two populations, fast and for the oracle, and their collaborators chosen by Algorithm 2."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.problem: Problem = problem_of(draw(subspecies_lists), draw(st.integers(1, 3)))
        self.gen: int = draw(st.integers(0, 2))
        self.p1, self.p2 = draw(populations(self.problem, 1)), draw(populations(self.problem, 2))
        none1, none2 = self.p1[:0], self.p2[:0]
        self.q1 = draw(populations(self.problem, 1)) if self.gen else none1
        self.q2 = draw(populations(self.problem, 2)) if self.gen else none2
        self.r1, self.r2 = self.p1 | self.q1, self.p2 | self.q2
        self.o1, self.o2 = (len(self.p1), len(self.p2)) if self.gen else (0, 0)
        self.indivs1 = individuals(self.r1, self.problem, 1)
        self.indivs2 = individuals(self.r2, self.problem, 2)
        self.rng = np.random.default_rng(draw(seeds))
        n_sigma = len(self.problem.subspecies)
        self.chi = build_collabr_map(self.p1, self.p2, n_sigma, self.gen, self.rng)

    def oracles_chi(self) -> naive.CollabrMap:
        """Algorithm 2 by the oracle, which takes the random collaborators that the fast code took."""
        parents = {1: self.indivs1[: len(self.p1)], 2: self.indivs2[: len(self.p2)]}
        chosen = {
            (i, self.problem.subspecies[sigma]): [parents[i][row] for row in rows.tolist()]
            for (i, sigma), rows in self.chi.items()
        }
        asked = iter([key for key in chosen if any(idv.tag == key[1] for idv in parents[key[0]])])

        def pick(candidates: list[naive.Individual], how_many: int) -> list[naive.Individual]:
            """Called once for each subpopulation that is not empty (later: that is not all taken)."""
            key = next(asked)
            while self.gen > 0 and len(chosen[key]) < 2:
                key = next(asked)
            picked = chosen[key][-how_many:]
            assert len(picked) == how_many
            assert len({idv.uid for idv in picked}) == how_many
            assert all(idv in candidates for idv in picked)
            return picked

        return naive.build_collabr_map(parents[1], parents[2], self.problem.subspecies, self.gen, pick)

    def oracles_solns(self) -> list[naive.Solution]:
        """Algorithm 3 by the oracle."""
        return naive.build_soln_set(
            self.indivs1[self.o1 :], self.indivs2[self.o2 :], self.problem.subspecies, self.oracles_chi()
        )

    def solns(self) -> SolutionSet:
        """Algorithm 3 by the fast code."""
        return build_soln_set(self.r1, self.r2, self.o1, self.o2, self.chi)


games = st.composite(Game)()


def some_performance(db: tuple[float, ...], rb: tuple[int, ...]) -> float:
    """A performance that depends on both genotypes and has many ties."""
    return PERFS[(int(sum(db) * 8) + 3 * sum(rb)) % len(PERFS)]


def perfs_of(solns: SolutionSet, problem: Problem) -> NDArray[np.float64]:
    """The same for a whole set, as an `Evaluate`."""
    dbs, rbs = individuals(solns.r1, problem, 1), individuals(solns.r2, problem, 2)
    pairs = zip(solns.first.tolist(), solns.second.tolist(), strict=True)
    return np.array([some_performance(dbs[i].genotype, rbs[j].genotype) for i, j in pairs], dtype=np.float64)  # type: ignore[arg-type]


# ---------------------------------------------------------------- Algorithms 2 to 5


@given(games)
def test_algorithm_2_chooses_the_oracles_collaborators(game: Game) -> None:
    expected = game.oracles_chi()
    subspecies = game.problem.subspecies
    found = {(i, subspecies[sigma]): rows.tolist() for (i, sigma), rows in game.chi.items()}
    assert found == {key: rows_of(collabrs) for key, collabrs in expected.items()}
    assert list(found) == list(expected)


@given(games)
def test_algorithm_3_builds_the_oracles_solutions_in_its_order(game: Game) -> None:
    solns = game.solns()
    expected = game.oracles_solns()
    assert solns.first.tolist() == rows_of([s.first for s in expected])
    assert solns.second.tolist() == rows_of([s.second for s in expected])
    assert (solns.r1.tag[solns.first] == solns.r2.tag[solns.second]).all()
    assert solns.tag.tolist() == [game.problem.subspecies.index(s.first.tag) for s in expected]


@given(games)
def test_algorithm_4_gives_the_oracles_performances_complexities_ranks_and_crowding(game: Game) -> None:
    problem = game.problem
    solns = eval_soln_set(game.solns(), lambda s: perfs_of(s, problem), problem)
    expected = game.oracles_solns()
    naive.eval_soln_set(
        expected,
        lambda s: some_performance(s.first.genotype, s.second.genotype),  # type: ignore[arg-type]
        problem.perf_bounds,
        problem.comp_bounds,
    )
    assert solns.perf.tolist() == [s.perf for s in expected]
    assert solns.comp.tolist() == [s.comp for s in expected]
    assert solns.rank.tolist() == [s.rank for s in expected]
    assert solns.crowd.tolist() == [s.crowd for s in expected]


@given(games)
def test_algorithm_5_gives_the_oracles_credit_and_none_to_those_evaluated_before(game: Game) -> None:
    problem = game.problem
    solns = eval_soln_set(game.solns(), lambda s: perfs_of(s, problem), problem)
    expected = game.oracles_solns()
    naive.eval_soln_set(
        expected,
        lambda s: some_performance(s.first.genotype, s.second.genotype),  # type: ignore[arg-type]
        problem.perf_bounds,
        problem.comp_bounds,
    )
    worst = (problem.perf_bounds[0], problem.comp_bounds[1])
    for r, o, rows, indivs in (
        (game.r1, game.o1, solns.first, game.indivs1),
        (game.r2, game.o2, solns.second, game.indivs2),
    ):
        credited = assign_indivs_credit(r, o, rows, solns, problem)
        naive.assign_indivs_credit(indivs[o:], expected, worst)
        assert credited.perf.tolist() == [idv.perf for idv in indivs]
        assert credited.comp.tolist() == [idv.comp for idv in indivs]
        assert np.isfinite(credited.perf).all()
        assert np.isfinite(credited.comp).all()


# ---------------------------------------------------------------- Algorithm 6


@given(st.data(), subspecies_lists, seeds, st.sampled_from([1.0, 1.125, 40.0]))
def test_algorithm_6_archives_the_oracles_parents_in_its_order(
    data: st.DataObject, subspecies: tuple[Tag, ...], seed: int, beta: float
) -> None:
    problem = problem_of(subspecies)
    r = data.draw(populations(problem, 1, least=1, most=16))
    n = data.draw(st.integers(1, len(r)))
    delta, _ = make_subspecies_dists(subspecies, beta)
    p = archive_parent_pop(r, delta, n, problem, np.random.default_rng(seed))

    tags = draw_tags(delta, n, np.bincount(r.tag, minlength=len(subspecies)), np.random.default_rng(seed))
    indivs = individuals(r, problem, 1)
    naive.rank_and_crowd(indivs, problem.perf_bounds, problem.comp_bounds)
    draws = iter([subspecies[sigma] for sigma in tags])
    expected = naive.archive_parent_pop(indivs, lambda: next(draws), n)
    assert individuals(p, problem, 1) == [Same(idv) for idv in expected]


class Same:
    """Equal to an individual with all the same values, whatever its uid."""

    def __init__(self, idv: naive.Individual) -> None:
        self.values = (idv.tag, idv.genotype, idv.perf, idv.comp, idv.rank, idv.crowd)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, naive.Individual) and self.values == Same(other).values

    def __repr__(self) -> str:
        return repr(self.values)


@given(st.data(), subspecies_lists, seeds)
def test_tags_drawn_never_exceed_what_is_available(data: st.DataObject, subspecies: tuple[Tag, ...], seed: int) -> None:
    available = np.array(data.draw(vectors(st.integers(0, 5), len(subspecies))), dtype=np.int64)
    assume(available.sum() > 0)
    before = available.tolist()
    beta = data.draw(st.sampled_from([1.0, 1.125, 1e6, 1e300]))
    n = data.draw(st.integers(0, int(available.sum())))
    for delta in make_subspecies_dists(subspecies, beta):
        tags = draw_tags(delta, n, available, np.random.default_rng(seed))
        assert len(tags) == n
        assert (np.bincount(tags, minlength=len(subspecies)) <= available).all()
    assert available.tolist() == before


# ---------------------------------------------------------------- Algorithm 7


@given(st.data(), subspecies_lists, seeds)
def test_algorithm_7_breeds_from_the_oracles_parents(
    data: st.DataObject, subspecies: tuple[Tag, ...], seed: int
) -> None:
    problem = problem_of(subspecies)
    p = data.draw(populations(problem, 2, least=1, most=8))
    p = p | p  # an even number
    p.genotype[:, :2] = np.column_stack([np.arange(len(p)) // 100, np.arange(len(p)) % 100])  # who is who
    delta, _ = make_subspecies_dists(subspecies, 1.125)
    rng = Recording(seed)
    seen: list[Any] = []

    def cross_mutate(a: Any, b: Any, tag: Any) -> Any:
        seen.extend([a, b, tag])
        return np.repeat(b, 2, axis=0)

    q = breed_children(p, delta, cross_mutate, rng)
    parents_a, parents_b, tags = seen
    one_a, two_a, one_b, two_b = (draw.tolist() for draw in rng.drawn["integers"])

    draws = iter([subspecies[sigma] for sigma in tags])
    entrants = iter(
        x for pair in zip(zip(one_a, two_a, strict=True), zip(one_b, two_b, strict=True), strict=True) for x in pair
    )

    def select(subpop: list[naive.Individual]) -> naive.Individual:
        one, two = next(entrants)
        others = [idv for idv in subpop if idv is not subpop[one]] or subpop  # a lone member meets itself
        return naive.tournament(subpop[one], others[two])

    couples: list[tuple[naive.Individual, naive.Individual]] = []

    def meet(a: naive.Individual, b: naive.Individual) -> tuple[naive.Individual, naive.Individual]:
        couples.append((a, b))
        return b, b

    expected = naive.breed_children(individuals(p, problem, 2), lambda: next(draws), select, meet)
    assert [row[:2].tolist() for row in parents_a] == [list(a.genotype[:2]) for a, _ in couples]
    assert [row[:2].tolist() for row in parents_b] == [list(b.genotype[:2]) for _, b in couples]
    assert [subspecies[sigma] for sigma in q.tag] == [idv.tag for idv in expected]
    assert [row[:2].tolist() for row in q.genotype] == [list(idv.genotype[:2]) for idv in expected]
    assert len(q) == len(p)
    assert np.isnan(q.perf).all()  # not evaluated yet
    assert np.isnan(q.comp).all()


@given(st.data(), subspecies_lists, seeds)
def test_a_tournament_is_held_within_the_drawn_subspecies(
    data: st.DataObject, subspecies: tuple[Tag, ...], seed: int
) -> None:
    p = data.draw(populations(problem_of(subspecies), 1, least=1))
    tag = data.draw(st.lists(st.sampled_from(sorted(set(p.tag.tolist()))), min_size=1, max_size=9))
    members = np.bincount(p.tag, minlength=len(subspecies))
    winners = selection(p, np.array(tag), members, np.random.default_rng(seed))
    assert p.tag[winners].tolist() == tag


@given(st.data(), subspecies_lists, seeds, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.02, 2.0]))
def test_db_children_are_the_oracles(
    data: st.DataObject, subspecies: tuple[Tag, ...], seed: int, p_cross: float, sigma: float
) -> None:
    problem = problem_of(subspecies)
    config = Config(subspecies=subspecies, db_p_cross=p_cross, db_mut_sigma=sigma)
    a, b, tag = couples_of(data.draw(populations(problem, 1, least=1)))
    rng = Recording(seed)
    children = db_crossover_mutate(a, b, tag, problem, config, rng)
    (both, cross), (noise,) = rng.drawn["random"], rng.drawn["normal"]
    alpha, beta = both
    for i, length in enumerate(problem.db_lengths[tag].tolist()):
        one, two = a[i, :length].tolist(), b[i, :length].tolist()
        if cross[i, 0] < p_cross:
            one, two = naive.line_recombination(one, two, alpha[i, 0], beta[i, 0])
        for child, row in ((one, 2 * i), (two, 2 * i + 1)):
            expected = naive.gaussian_mutation(child, noise[row, :length].tolist())
            assert children[row, :length] == pytest.approx(expected, rel=0, abs=1e-15)
            assert not children[row, length:].any()


@given(st.data(), subspecies_lists, st.integers(1, 4), seeds, st.sampled_from([0.0, 0.25, 1.0]))
def test_rb_children_are_the_oracles(
    data: st.DataObject, subspecies: tuple[Tag, ...], k: int, seed: int, p: float
) -> None:
    problem = problem_of(subspecies, k)
    config = Config(subspecies=subspecies, rb_p_cross=p, rb_p_mut=data.draw(st.sampled_from([0.0, 0.05, 1.0])))
    a, b, tag = couples_of(data.draw(populations(problem, 2, least=1)))
    rng = Recording(seed)
    children = rb_crossover_mutate(a, b, tag, problem, config, rng)
    swap, flip, *keys = rng.drawn["random"]
    shift, *alleles = rng.drawn["integers"]
    short = 0
    for i, length in enumerate(problem.rb_lengths[tag].tolist()):
        pair = naive.uniform_crossover(a[i, :length].tolist(), b[i, :length].tolist(), swap[i, :length] < p)
        for child, row in zip(pair, (2 * i, 2 * i + 1), strict=True):
            flags = (flip[row, :length] < config.rb_p_mut).tolist()
            expected = naive.flip_mutation(child, flags, shift[row, :length].tolist(), k)
            if naive.complexity_from_genotype(expected) < k:
                order = sorted(range(length), key=lambda j: float(keys[0][short, j]))
                expected = naive.repair(expected, k, order, alleles[0][short, :length].tolist())
                short += 1
            assert children[row, :length].tolist() == expected
            assert not children[row, length:].any()
            assert np.count_nonzero(children[row]) >= k


def couples_of(p: Population) -> tuple[Any, Any, NDArray[np.int64]]:
    """Genotypes of parents A and B of one subspecies each, and their tags."""
    partner = np.array([int(np.flatnonzero(p.tag == sigma)[-1]) for sigma in p.tag])
    return p.genotype, p.genotype[partner], p.tag


# ---------------------------------------------------------------- the first populations


@given(subspecies_lists, st.integers(1, 4), seeds, st.sampled_from([0.0, 0.1, 1.0]))
def test_first_populations_have_alleles_in_their_range_and_enough_of_them(
    subspecies: tuple[Tag, ...], k: int, seed: int, p_unspec: float
) -> None:
    problem = problem_of(subspecies, k)
    config = Config(subspecies=subspecies, db_pop_size=10, rb_pop_size=20, rb_p_unspec=p_unspec)
    delta1, delta2 = problem.dists(config.beta)
    rng = np.random.default_rng(seed)
    dbs, rbs = init_db_pop(delta1, problem, config, rng), init_rb_pop(delta2, problem, config, rng)
    assert (len(dbs), len(rbs)) == (10, 20)
    assert ((dbs.genotype >= 0) & (dbs.genotype <= 1)).all()
    assert ((rbs.genotype >= 0) & (rbs.genotype <= k)).all()
    specified = np.count_nonzero(rbs.genotype, axis=1)
    assert (specified >= k).all()
    if p_unspec == 0.0:
        assert specified.tolist() == problem.rb_lengths[rbs.tag].tolist()
    if p_unspec == 1.0:
        assert (specified == k).all()
    for pop, lengths in ((dbs, problem.db_lengths), (rbs, problem.rb_lengths)):
        beyond = np.arange(pop.genotype.shape[1]) >= lengths[pop.tag][:, None]
        assert not pop.genotype[beyond].any()


@given(subspecies_lists, st.sampled_from([1.0, 1.0001, 1.125, 3.0]))
def test_shares_of_the_search_are_the_oracles(subspecies: tuple[Tag, ...], beta: float) -> None:
    for delta, expected in zip(
        make_subspecies_dists(subspecies, beta), naive.make_subspecies_dists(subspecies, beta), strict=True
    ):
        assert delta == pytest.approx([expected[tag] for tag in subspecies], rel=1e-12)
        assert delta.sum() == pytest.approx(1.0, rel=0, abs=1e-15)


@given(st.data(), subspecies_lists, seeds)
def test_populations_stay_unchanged(data: st.DataObject, subspecies: tuple[Tag, ...], seed: int) -> None:
    """A generation's functions make new values; what they are given could be read by someone else."""
    problem = problem_of(subspecies)
    r1, r2 = data.draw(populations(problem, 1, least=2)), data.draw(populations(problem, 2, least=2))
    for population in (r1, r2):
        for name in population.__dataclass_fields__:
            getattr(population, name).flags.writeable = False
    rng, config = np.random.default_rng(seed), Config(subspecies=subspecies)
    delta1, delta2 = problem.dists(1.125)
    chi = build_collabr_map(r1, r2, len(subspecies), 0, rng)
    solns = eval_soln_set(build_soln_set(r1, r2, 0, 0, chi), lambda s: perfs_of(s, problem), problem)
    for r, delta, rows in ((r1, delta1, solns.first), (r2, delta2, solns.second)):
        assign_indivs_credit(r, 0, rows, solns, problem)
        archive_parent_pop(r, delta, len(r) // 2, problem, rng)
    breed_children(r1, delta1, lambda a, b, tag: db_crossover_mutate(a, b, tag, problem, config, rng), rng)
    breed_children(r2, delta2, lambda a, b, tag: rb_crossover_mutate(a, b, tag, problem, config, rng), rng)


def test_the_games_hold_empty_and_one_member_subspecies_and_ties() -> None:
    """Else the tests above say little."""
    seen = {"empty": 0, "single": 0, "many": 0, "ties": 0, "none at all": 0}

    @given(games)
    def look(game: Game) -> None:
        for rows in game.chi.values():
            seen[("empty", "single", "many")[len(rows)]] += 1
        perfs = perfs_of(game.solns(), game.problem)
        seen["ties"] += len(np.unique(perfs)) < len(perfs)
        seen["none at all"] += len(perfs) == 0

    look()
    assert min(seen.values()) > 0, seen
