"""Fuzzy MoCoCo: Algorithms 1 to 7 of Bishop, Gallagher and Browne (GECCO'21), in the paper's order and words.

=======  ==========================================================================================
p        a parent population                     o        first row of the individuals to evaluate
q        a child population                      chi      collaborators of each (population, sigma)
r        parents and children, p | q             delta    shares of the search of the subspecies
1, 2     the DB and the RB population            sigma    a subspecies, as its index in Sigma
=======  ==========================================================================================

The individuals of r stand in the order of p, then q, so a row of p is the same row of r. Nothing here makes an object
for an individual: a population is one value of arrays. Where the paper is silent, see `docs/deviations.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo import variation
from mococo.config import Config
from mococo.pareto import assign_crowding_dists, assign_pareto_front_ranks, crowded_comparison_sort, precedes
from mococo.population import Population, Problem, SolutionSet
from mococo.subspecies import draw_tags

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Evaluate = Callable[[SolutionSet], Floats]
"""Solutions to performances : (m,), the environment's lower bound for those that meet an uncovered state."""
CollabrMap = dict[tuple[int, int], Ints]

N_COLLABRS = 2


@dataclass(frozen=True)
class State:
    """All that is needed to go on: the generation to come, both parent and child populations, the generator's state."""

    gen: int
    p1: Population
    p2: Population
    q1: Population
    q2: Population
    rng: Mapping[str, Any]


@dataclass(frozen=True)
class Generation:
    """What one generation found, and the state after it."""

    gen: int
    solns: SolutionSet
    r1: Population
    r2: Population
    state: State


def initial_state(problem: Problem, config: Config, seed: int) -> State:
    """Algorithm 1, lines 1 to 6: the populations of generation 0."""
    rng = np.random.default_rng(seed)
    delta1, delta2 = problem.dists(config.beta)
    p1 = init_db_pop(delta1, problem, config, rng)
    p2 = init_rb_pop(delta2, problem, config, rng)
    return State(0, p1, p2, p1[:0], p2[:0], rng.bit_generator.state)


def fuzzy_mococo(evaluate: Evaluate, problem: Problem, config: Config, state: State) -> Iterator[Generation]:
    """Algorithm 1, from any state; yields after each generation."""
    rng = np.random.default_rng()
    rng.bit_generator.state = state.rng
    delta1, delta2 = problem.dists(config.beta)
    p1, p2, q1, q2 = state.p1, state.p2, state.q1, state.q2
    for gen in range(state.gen, config.num_gens):
        r1, r2 = p1 | q1, p2 | q2
        o1, o2 = (len(p1), len(p2)) if gen > 0 else (0, 0)  # the parents themselves in generation 0, later the children
        chi = build_collabr_map(p1, p2, len(problem.subspecies), gen, rng)
        solns = eval_soln_set(build_soln_set(r1, r2, o1, o2, chi), evaluate, problem)
        r1 = assign_indivs_credit(r1, o1, solns.first, solns, problem)
        r2 = assign_indivs_credit(r2, o2, solns.second, solns, problem)
        p1 = archive_parent_pop(r1, delta1, len(p1), problem, rng)
        p2 = archive_parent_pop(r2, delta2, len(p2), problem, rng)
        q1 = breed_children(p1, delta1, lambda a, b, tag: db_crossover_mutate(a, b, tag, problem, config, rng), rng)
        q2 = breed_children(p2, delta2, lambda a, b, tag: rb_crossover_mutate(a, b, tag, problem, config, rng), rng)
        state = State(gen + 1, p1, p2, q1, q2, rng.bit_generator.state)
        yield Generation(gen, solns, r1, r2, state)


def init_db_pop(delta: Floats, problem: Problem, config: Config, rng: np.random.Generator) -> Population:
    """initDBPop: reference coordinates anywhere in their valid regions."""
    tag = rng.choice(len(delta), size=config.db_pop_size, p=delta)
    mask = variation.gene_mask(problem.db_lengths)[tag]
    return Population.newborn(tag, variation.init_db(rng.random(mask.shape), mask))


def init_rb_pop(delta: Floats, problem: Problem, config: Config, rng: np.random.Generator) -> Population:
    """initRBPop: alleles unspecified with rbPUnspec, else any action; at least k specified."""
    tag = rng.choice(len(delta), size=config.rb_pop_size, p=delta)
    mask = variation.gene_mask(problem.rb_lengths)[tag]
    alleles = rng.integers(1, problem.n_actions, size=mask.shape, endpoint=True)
    genotype = variation.init_rb(rng.random(mask.shape), alleles, config.rb_p_unspec, mask)
    return Population.newborn(tag, repair(genotype, mask, problem, rng))


def build_collabr_map(p1: Population, p2: Population, n_sigma: int, gen: int, rng: np.random.Generator) -> CollabrMap:
    """Algorithm 2: (i, sigma) -> rows of p_i."""
    return {(i, sigma): select_collabrs(p, sigma, gen, rng) for i, p in ((1, p1), (2, p2)) for sigma in range(n_sigma)}


def select_collabrs(p: Population, sigma: int, gen: int, rng: np.random.Generator) -> Ints:
    """Rows of two individuals of a subpopulation: at random in generation 0, later the best and another at random."""
    subpop = np.flatnonzero(p.tag == sigma)
    if gen == 0:
        return rng.permutation(subpop)[:N_COLLABRS]
    if len(subpop) < N_COLLABRS:
        return subpop
    best = crowded_comparison_sort(p.rank[subpop], p.crowd[subpop])[0]
    return np.array([subpop[best], rng.choice(np.delete(subpop, best))])


def build_soln_set(r1: Population, r2: Population, o1: int, o2: int, chi: CollabrMap) -> SolutionSet:
    """Algorithm 3: each individual from o1 and o2 on with each collaborator of its subspecies."""
    firsts, seconds = [], []
    for i, sigma in chi:
        r, o = (r1, o1) if i == 1 else (r2, o2)
        subpop = o + np.flatnonzero(r.tag[o:] == sigma)
        collabrs = chi[3 - i, sigma]
        idvs, others = np.repeat(subpop, len(collabrs)), np.tile(collabrs, len(subpop))
        firsts.append(idvs if i == 1 else others)
        seconds.append(others if i == 1 else idvs)
    return SolutionSet.unevaluated(r1, r2, np.concatenate(firsts), np.concatenate(seconds))


def eval_soln_set(solns: SolutionSet, evaluate: Evaluate, problem: Problem) -> SolutionSet:
    """Algorithm 4: performance, complexity, Pareto ranks and crowding distances."""
    perf = evaluate(solns)
    comp = np.count_nonzero(solns.r2.genotype, axis=1)[solns.second].astype(np.float64)
    return solns.evaluated(perf, comp, *rank_and_crowd(perf, comp, problem))


def rank_and_crowd(perf: Floats, comp: Floats, problem: Problem) -> tuple[Ints, Floats]:
    """AssignParetoFrontRanks and assignCrowdingDists."""
    if problem.failed_worst:  # not in the paper: see docs/deviations.md
        comp = np.where(perf <= problem.perf_bounds[0], problem.comp_bounds[1] + 1, comp)
    ranks = assign_pareto_front_ranks(perf, comp)
    return ranks, assign_crowding_dists(perf, comp, ranks, problem.perf_bounds, problem.comp_bounds)


def assign_indivs_credit(r: Population, o: int, rows: Ints, solns: SolutionSet, problem: Problem) -> Population:
    """Algorithm 5: individuals from o on get the values of the best solution that they take part in.

    rows : (m,) the row in r of each solution's component. Without any solution, because no partner has the same
    subspecies, an individual gets the worst values there are.
    """
    perf, comp = r.perf.copy(), r.comp.copy()
    perf[o:], comp[o:] = problem.perf_bounds[0], problem.comp_bounds[1]
    worst_first = crowded_comparison_sort(solns.rank, solns.crowd)[::-1]
    worst_first = worst_first[rows[worst_first] >= o]
    perf[rows[worst_first]] = solns.perf[worst_first]  # the best is written last, and stays
    comp[rows[worst_first]] = solns.comp[worst_first]
    return replace(r, perf=perf, comp=comp)


def archive_parent_pop(r: Population, delta: Floats, n: int, problem: Problem, rng: np.random.Generator) -> Population:
    """Algorithm 6: n times the best individual left of a subspecies drawn from delta."""
    rank, crowd = rank_and_crowd(r.perf, r.comp, problem)
    r = replace(r, rank=rank, crowd=crowd)
    return r[best_of_drawn(r, draw_tags(delta, n, np.bincount(r.tag, minlength=len(delta)), rng))]


def best_of_drawn(r: Population, tags: Ints) -> Ints:
    """Tags : (n,) -> rows : (n,), for each tag the best individual of that subspecies that is not yet taken."""
    order = crowded_comparison_sort(r.rank, r.crowd)
    rows = np.empty(len(tags), dtype=np.int64)
    for sigma in np.unique(tags):
        drawn = tags == sigma
        rows[drawn] = order[r.tag[order] == sigma][: np.count_nonzero(drawn)]
    return rows


def breed_children(
    p: Population, delta: Floats, crossover_mutate: Callable[[Any, Any, Ints], Any], rng: np.random.Generator
) -> Population:
    """Algorithm 7: as many children as parents, in pairs of one subspecies drawn from delta."""
    members = np.bincount(p.tag, minlength=len(delta))
    tag = draw_tags(delta, len(p) // 2, np.where(members > 0, len(p), 0), rng)
    parent_a, parent_b = (selection(p, tag, members, rng) for _ in range(2))
    children = crossover_mutate(p.genotype[parent_a], p.genotype[parent_b], tag)
    return Population.newborn(np.repeat(tag, 2), children)


def selection(p: Population, tag: Ints, members: Ints, rng: np.random.Generator) -> Ints:
    """Rows of the winners of a tournament of two different members of each drawn subspecies; the first wins a tie."""
    by_tag = np.argsort(p.tag, kind="stable")
    first, n = (np.cumsum(members) - members)[tag], members[tag]
    i, j = rng.integers(0, n), rng.integers(0, np.maximum(n - 1, 1))
    j = np.where((j >= i) & (n > 1), j + 1, j)  # the others, counted without i
    one, two = by_tag[first + i], by_tag[first + j]
    won: Ints = np.where(precedes(p.rank, p.crowd, two, one), two, one)
    return won


def db_crossover_mutate(
    a: Floats, b: Floats, tag: Ints, problem: Problem, config: Config, rng: np.random.Generator
) -> Floats:
    """Line recombination with dbPCross, then Gaussian noise on every allele."""
    alpha, beta = rng.random((2, len(a), 1))
    cross = rng.random((len(a), 1)) < config.db_p_cross
    child_a, child_b = variation.line_recombination(a, b, alpha, beta)
    children = _in_pairs(np.where(cross, child_a, a), np.where(cross, child_b, b))
    mask = variation.gene_mask(problem.db_lengths)[np.repeat(tag, 2)]
    return variation.gaussian_mutation(children, rng.normal(0.0, config.db_mut_sigma, children.shape), mask)


def rb_crossover_mutate(
    a: NDArray[np.int8], b: NDArray[np.int8], tag: Ints, problem: Problem, config: Config, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Uniform crossover with rbPCross, flips with rbPMut, both per allele; then repair."""
    children = _in_pairs(*variation.uniform_crossover(a, b, rng.random(a.shape) < config.rb_p_cross))
    mask = variation.gene_mask(problem.rb_lengths)[np.repeat(tag, 2)]
    flip = rng.random(children.shape) < config.rb_p_mut
    shift = rng.integers(1, problem.n_actions, size=children.shape, endpoint=True)
    children = variation.flip_mutation(children, flip, shift, problem.n_actions, mask)
    return repair(children, mask, problem, rng)


def repair(genotype: NDArray[np.int8], mask: Any, problem: Problem, rng: np.random.Generator) -> NDArray[np.int8]:
    """The repair operator of section 6, on the few rule bases that need it."""
    least = int(problem.comp_bounds[0])
    short = np.flatnonzero(np.count_nonzero(genotype, axis=1) < least)
    if len(short) == 0:
        return genotype
    repaired = genotype.copy()
    keys = rng.random((len(short), genotype.shape[1]))
    alleles = rng.integers(1, problem.n_actions, size=keys.shape, endpoint=True)
    repaired[short] = variation.repair(genotype[short], keys, alleles, least, mask[short])
    return repaired


def _in_pairs(a: Any, b: Any) -> Any:
    """Children in the order in which they are born: A, B of the first pair, then of the next."""
    return np.stack([a, b], axis=1).reshape(2 * len(a), *a.shape[1:])
