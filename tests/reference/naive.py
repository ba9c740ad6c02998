"""The oracle: Fuzzy MoCoCo written slowly and literally from the paper, for tests to compare fast code with.

Nothing here imports the project. Lists, dictionaries and loops only; every random choice is handed in by the caller.
Letters as in the paper: d features, m sets on a feature, k actions; p parents, q children, r both, o any of them;
chi the collaborators; sigma (here "tag") a subspecies. Where the paper leaves something
open, the comment says what was chosen.
"""

import itertools
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Tag = tuple[int, ...]  # number of fuzzy sets on each of the d features
Mask = tuple[int, ...]  # one clause: m zeros and ones
Rule = tuple[tuple[Mask, ...], int]  # d clauses, and the action 1..k
Bounds = tuple[float, float]  # (low, high)
Point = tuple[float, float]  # (perf: more is better, comp: less is better)
Floats = Sequence[float]
Ints = Sequence[int]

MC_DOMAINS: tuple[Bounds, Bounds] = ((-1.2, 0.5), (-0.07, 0.07))  # position, velocity
MC_ACTIONS = (0, 2)  # Gymnasium's numbers for left and right
MC_PERF_LOW = -200.0


def reference_coordinates(alleles: Floats, low: float, high: float, omega: float = 0.75) -> list[float]:  # section 5.1
    """(m,) alleles of one feature -> (m,) coordinates r_1 < ... < r_m, one in the valid middle of each subdomain."""
    m = len(alleles)
    w = (high - low) / m
    return [low + w * (j - 1) + w * (1 - omega) / 2 + alleles[j - 1] * w * omega for j in range(1, m + 1)]


def decode_db(tag: Tag, db: Floats, domains: Sequence[Bounds], omega: float = 0.75) -> list[list[float]]:  # section 5.1
    """(lambda_1,) genotype -> d lists, the reference coordinates of each feature."""
    refs = []
    start = 0
    for m, (low, high) in zip(tag, domains, strict=True):
        refs.append(reference_coordinates(db[start : start + m], low, high, omega))
        start += m
    return refs


def memberships(x: float, refs: Floats) -> list[float]:  # section 5.1, lines l_1 ... l_6
    """(m,) truths of "x is L_j" on one feature; clamping x first would change nothing (flat shoulders)."""
    if not math.isfinite(x):
        raise ValueError(f"an input must be finite, got {x}")
    m = len(refs)
    truths = []
    for j in range(m):
        if x == refs[j] or (j == 0 and x < refs[j]) or (j == m - 1 and x > refs[j]):
            truths.append(1.0)  # the peak, or a shoulder of an outer set
        elif j > 0 and refs[j - 1] < x < refs[j]:
            truths.append((x - refs[j - 1]) / (refs[j] - refs[j - 1]))  # rising line
        elif j < m - 1 and refs[j] < x < refs[j + 1]:
            truths.append((refs[j + 1] - x) / (refs[j + 1] - refs[j]))  # falling line
        else:
            truths.append(0.0)
    return truths


def fuzzify(state: Floats, refs: Sequence[Floats], domains: Sequence[Bounds]) -> list[list[float]]:  # semantics.md
    """(d,) inputs -> d lists of truths, each input clamped to its domain."""
    if not all(math.isfinite(x) for x in state):
        raise ValueError(f"inputs must be finite, got {list(state)}")
    return [memberships(min(max(x, lo), hi), r) for x, r, (lo, hi) in zip(state, refs, domains, strict=True)]


def _first_mergeable_pair(group: list[Rule]) -> tuple[int, int] | None:  # section 5.2
    """First rule whose masks are those of a later one in all but one clause, and the first such later one."""
    for i, j in itertools.combinations(range(len(group)), 2):
        if sum(1 for p, q in zip(group[i][0], group[j][0], strict=True) if p != q) == 1:
            return i, j
    return None


def decode_rules(tag: Tag, rb: Ints, n_actions: int) -> list[Rule]:  # section 5.2, its figure
    """(lambda_2,) genotype -> CNF rules, in the fixed order of merging; actions ascending."""
    subspaces = list(itertools.product(*[range(m) for m in tag]))  # as nested for-loops: last feature fastest
    rules: list[Rule] = []
    for number in range(1, n_actions + 1):
        group: list[Rule] = []
        for gene, sets in zip(rb, subspaces, strict=True):
            if gene == number:
                masks = [tuple(int(s == chosen) for s in range(m)) for m, chosen in zip(tag, sets, strict=True)]
                group.append((tuple(masks), number))
        while (pair := _first_mergeable_pair(group)) is not None:
            i, j = pair
            clauses = zip(group[i][0], group[j][0], strict=True)
            merged = [tuple(int(p or q) for p, q in zip(a, b, strict=True)) for a, b in clauses]
            group[i] = (tuple(merged), number)  # in place; the later one goes
            del group[j]
        rules.extend(group)
    return rules


def gabil(rule: Rule) -> str:  # section 2.2.1
    """The rule in GABIL text, such as "110|111|2"."""
    return "|".join(["".join(str(bit) for bit in mask) for mask in rule[0]] + [str(rule[1])])


def complexity_from_genotype(rb: Ints) -> int:  # section 5.3
    """Number of specified alleles."""
    return sum(1 for gene in rb if gene != 0)


def complexity_from_rules(rules: Sequence[Rule]) -> int:  # Eq. 2
    """Number of decision points of the CNF rules."""
    return sum(math.prod(sum(mask) for mask in masks) for masks, _ in rules)


def truth(rule: Rule, memberships: Sequence[Floats]) -> float:  # section 2.2.1
    """tau_i: min over clauses of the max over the clause's selected sets, "#" included."""
    clauses = []
    for mask, truths in zip(rule[0], memberships, strict=True):
        clauses.append(max(t for bit, t in zip(mask, truths, strict=True) if bit))
    return min(clauses)


def strengths(rules: Sequence[Rule], memberships: Sequence[Floats], n_actions: int) -> list[float]:  # section 2.2.1
    """(k,) numerators of g_a: for each action the sum of its rules' truths, added in rule order."""
    sums = [0.0] * n_actions
    for rule in rules:
        sums[rule[1] - 1] += truth(rule, memberships)
    return sums


def votes(rules: Sequence[Rule], memberships: Sequence[Floats], n_actions: int) -> list[float]:  # section 2.2.1
    """(k,) voting strengths g_a; all zero when the state is uncovered."""
    total = 0.0
    for rule in rules:
        total += truth(rule, memberships)
    if total == 0.0:
        return [0.0] * n_actions
    return [strength / total for strength in strengths(rules, memberships, n_actions)]


def action(scores: Floats) -> int:  # section 2.2.1
    """arg max over (k,) votes (or strengths) -> 1..k, ties to the lowest; 0 when all are zero (uncovered)."""
    if max(scores) == 0.0:
        return 0
    return list(scores).index(max(scores)) + 1


def performance(returns: Floats) -> float:  # Eq. 1
    """Mean return over the eta initial states."""
    return sum(returns) / len(returns)


def _float32(x: float) -> float:  # semantics.md
    """The value x has after a trip through single precision."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


def mountain_car_step(x: float, v: float, action_value: int) -> tuple[float, float, bool]:  # section 4
    """One step from Gymnasium's published dynamics, action_value in {0, 1, 2} -> (x, v, goal reached)."""
    v += (action_value - 1) * 0.001 + math.cos(3 * x) * (-0.0025)
    v = min(max(v, -0.07), 0.07)
    x += v
    x = min(max(x, -1.2), 0.6)
    if x == -1.2 and v < 0:
        v = 0.0  # the left wall is inelastic
    return x, v, x >= 0.5 and v >= 0.0


def mountain_car_return(
    rules: Sequence[Rule], refs: Sequence[Floats], domains: Sequence[Bounds], start: float, t_max: int = 200
) -> float | None:  # section 4
    """G(z) from position `start` at rest: -1 a step; None when the policy meets an uncovered state."""
    x, v, total = start, 0.0, 0.0
    for _ in range(t_max):
        observation = (_float32(x), _float32(v))  # the state is float64, what the policy sees is float32
        chosen = action(votes(rules, fuzzify(observation, refs, domains), len(MC_ACTIONS)))
        if chosen == 0:
            return None
        x, v, at_goal = mountain_car_step(x, v, MC_ACTIONS[chosen - 1])
        total -= 1.0
        if at_goal:
            break
    return total


def mountain_car_performance(
    tag: Tag, db: Floats, rb: Ints, starts: Floats, domains: Sequence[Bounds] = MC_DOMAINS, t_max: int = 200
) -> float:  # Eq. 1, section 6
    """Mean return over the start positions; the lower bound at once when any state is uncovered."""
    rules, refs = decode_rules(tag, rb, len(MC_ACTIONS)), decode_db(tag, db, domains)
    returns = []
    for start in starts:
        g = mountain_car_return(rules, refs, domains, start, t_max)
        if g is None:
            return MC_PERF_LOW
        returns.append(g)
    return performance(returns)


def lambda_1(tag: Tag) -> int:  # Eq. 3
    """Length of a DB genotype."""
    return sum(tag)


def lambda_2(tag: Tag) -> int:  # Eq. 4
    """Length of an RB genotype."""
    return math.prod(tag)


def make_subspecies_dists(tags: Sequence[Tag], beta: float) -> tuple[dict[Tag, float], dict[Tag, float]]:  # section 6
    """delta_1, delta_2: probability of each subspecies."""
    dists = []
    for length in (lambda_1, lambda_2):
        total = sum(beta ** length(tag) for tag in tags)
        dists.append({tag: beta ** length(tag) / total for tag in tags})
    return dists[0], dists[1]


@dataclass(eq=False)
class Individual:
    """A DB or an RB; uid is unique over both populations. Rank and crowding are those within the combined R."""

    tag: Tag
    genotype: tuple[float, ...]
    perf: float = math.nan
    comp: float = math.nan
    rank: int = 0
    crowd: float = math.nan
    uid: int = -1


@dataclass(eq=False)
class Solution:
    """An FRBS: a DB (first) with an RB (second) of the same subspecies. Rank and crowding are those within S."""

    first: Individual
    second: Individual
    perf: float = math.nan
    comp: float = math.nan
    rank: int = 0
    crowd: float = math.nan


Draw = Callable[[], Tag]
Pick = Callable[[list[Individual], int], list[Individual]]  # (candidates, how many) -> chosen
CrossMutate = Callable[[Individual, Individual], tuple[Individual, Individual]]
CollabrMap = dict[tuple[int, Tag], list[Individual]]
Indivs = Sequence[Individual]
Items = Sequence[Individual | Solution]
Item = TypeVar("Item", Individual, Solution)


def subpopulation(population: Indivs, tag: Tag) -> list[Individual]:  # section 6, notation
    """O^sigma, in population order."""
    return [idv for idv in population if idv.tag == tag]


def _dominates(a: Point, b: Point) -> bool:  # section 6
    """a is nowhere worse than b and somewhere better; perf is maximised, comp minimised."""
    return a[0] >= b[0] and a[1] <= b[1] and (a[0] > b[0] or a[1] < b[1])


def assign_pareto_front_ranks(points: Sequence[Point]) -> list[int]:  # Algorithm 4, its ranks
    """(n,) ranks, 1 = F_1: peel the non-dominated points off again and again."""
    ranks = [0] * len(points)
    remaining = list(range(len(points)))
    rank = 1
    while remaining:
        front = [i for i in remaining if not any(_dominates(points[j], points[i]) for j in remaining)]
        for i in front:
            ranks[i] = rank
        remaining = [i for i in remaining if i not in front]
        rank += 1
    return ranks


def assign_crowding_dists(
    points: Sequence[Point], ranks: Ints, perf_bounds: Bounds, comp_bounds: Bounds
) -> list[float]:  # Algorithm 4, its crowding
    """(n,) crowding distances within each front, divided by the fixed bounds."""
    dists = [0.0] * len(points)
    for rank in set(ranks):
        front = [i for i in range(len(points)) if ranks[i] == rank]
        for objective, (low, high) in enumerate((perf_bounds, comp_bounds)):
            order = sorted(front, key=lambda i: points[i][objective])  # stable: ties stay in index order
            for place, i in enumerate(order):
                if place in (0, len(order) - 1):
                    dists[i] = math.inf
                elif high != low:  # coinciding bounds: this objective tells nothing
                    after, before = points[order[place + 1]], points[order[place - 1]]
                    dists[i] += (after[objective] - before[objective]) / (high - low)
    return dists


def rank_and_crowd(items: Items, perf_bounds: Bounds, comp_bounds: Bounds) -> None:  # Algorithm 4; semantics.md
    """Write rank and crowding on every item: over S, or over the whole of R before archiving."""
    points = [(item.perf, item.comp) for item in items]
    ranks = assign_pareto_front_ranks(points)
    dists = assign_crowding_dists(points, ranks, perf_bounds, comp_bounds)
    for i, item in enumerate(items):
        item.rank, item.crowd = ranks[i], dists[i]


def crowded_comparison_sort(items: Sequence[Item]) -> list[Item]:  # section 6, notation
    """Best first: rank ascending, then crowding descending, ties in the order given."""
    return sorted(items, key=lambda item: (item.rank, -item.crowd))


def tournament(a: Individual, b: Individual) -> Individual:  # section 6, "tournament selection"
    """The winner of two by crowded comparison, a when they tie."""
    return crowded_comparison_sort([a, b])[0]


def hypervolume(points: Sequence[Point], ref_perf: float, ref_comp: float) -> float:  # not in the paper
    """Area of {(p, c): some point has perf >= p > ref_perf and comp <= c < ref_comp}, summed cell by cell of a grid."""
    inside = [(perf, comp) for perf, comp in points if perf > ref_perf and comp < ref_comp]
    perfs = sorted({ref_perf} | {perf for perf, _ in inside})
    comps = sorted({ref_comp} | {comp for _, comp in inside})
    area = 0.0
    for left, right in itertools.pairwise(perfs):
        for bottom, top in itertools.pairwise(comps):
            if any(perf >= right and comp <= bottom for perf, comp in inside):
                area += (right - left) * (top - bottom)
    return area


def build_collabr_map(p1: Indivs, p2: Indivs, tags: Sequence[Tag], gen: int, pick: Pick) -> CollabrMap:  # Algorithm 2
    """chi[(population number, tag)] = up to two collaborators; none from an empty subpopulation."""
    chi: CollabrMap = {}
    for i, population in ((1, p1), (2, p2)):
        for tag in tags:
            subpop = subpopulation(population, tag)
            if not subpop:
                chi[(i, tag)] = []
            elif gen == 0:
                chi[(i, tag)] = pick(subpop, min(2, len(subpop)))
            else:
                best = crowded_comparison_sort(subpop)[0]
                remainder = [idv for idv in subpop if idv is not best]  # in population order
                chi[(i, tag)] = [best, *(pick(remainder, 1) if remainder else [])]
    return chi


def build_soln_set(o1: Indivs, o2: Indivs, tags: Sequence[Tag], chi: CollabrMap) -> list[Solution]:  # Algorithm 3
    """The solutions in loop order; a pair that meets twice is in S twice."""
    solns: list[Solution] = []
    for i, j in ((1, 2), (2, 1)):
        for tag in tags:
            for idv in subpopulation(o1 if i == 1 else o2, tag):
                pairs = [(idv, collabr) if i == 1 else (collabr, idv) for collabr in chi[(j, tag)]]
                solns.extend(Solution(first, second) for first, second in pairs)
    return solns


def eval_soln_set(
    solns: Sequence[Solution], calc_performance: Callable[[Solution], float], perf_bounds: Bounds, comp_bounds: Bounds
) -> None:  # Algorithm 4
    """Performance, complexity, rank and crowding of every solution, written on it."""
    for soln in solns:
        soln.perf = calc_performance(soln)
        soln.comp = sum(1 for gene in soln.second.genotype if gene != 0)  # section 5.3: specified alleles
    rank_and_crowd(solns, perf_bounds, comp_bounds)


def assign_indivs_credit(population: Indivs, solns: Sequence[Solution], missing: Point) -> None:  # Algorithm 5
    """Objectives of the best solution each took part in, or `missing` = (perf_low, comp_high) if none."""
    for idv in population:
        taken_part = [soln for soln in solns if idv.uid in (soln.first.uid, soln.second.uid)]
        if taken_part:
            best = crowded_comparison_sort(taken_part)[0]
            idv.perf, idv.comp = best.perf, best.comp
        else:
            idv.perf, idv.comp = missing  # the project's rule: its subspecies had no partner


def archive_parent_pop(r: Indivs, draw: Draw, num_parents: int) -> list[Individual]:  # Algorithm 6
    """The new P: rank and crowding are those already on R's individuals; a tag that ran empty is drawn again."""
    if num_parents > len(r):
        raise ValueError(f"cannot keep {num_parents} parents out of {len(r)}: the listing would never end")
    candidates = list(r)
    p: list[Individual] = []
    while len(p) < num_parents:
        subpop = subpopulation(candidates, draw())
        if subpop:
            best = crowded_comparison_sort(subpop)[0]
            candidates = [idv for idv in candidates if idv is not best]
            p.append(best)
    return p


def breed_children(
    p: Indivs, draw: Draw, select: Callable[[list[Individual]], Individual], cross_mutate: CrossMutate
) -> list[Individual]:  # Algorithm 7
    """Two children a draw; a tag without parents is drawn again."""
    q: list[Individual] = []
    while len(q) < len(p):
        subpop = subpopulation(p, draw())
        if subpop:
            parent_a, parent_b = select(subpop), select(subpop)
            q.extend(cross_mutate(parent_a, parent_b))
    return q


def line_recombination(a: Floats, b: Floats, alpha: float, beta: float) -> tuple[list[float], list[float]]:  # section 6
    """Two DB children on the segment between their parents: one alpha and one beta in [0, 1] for all genes."""
    child_a = [alpha * x + (1 - alpha) * y for x, y in zip(a, b, strict=True)]
    child_b = [beta * y + (1 - beta) * x for x, y in zip(a, b, strict=True)]
    return child_a, child_b


def gaussian_mutation(genotype: Floats, noise: Floats) -> list[float]:  # section 6; semantics.md
    """DB alleles plus noise; noise that leaves [0, 1] is mirrored, and if that leaves too, the sum is clipped."""
    mutant = []
    for allele, n in zip(genotype, noise, strict=True):
        if 0 <= allele + n <= 1:
            mutant.append(allele + n)
        elif 0 <= allele - n <= 1:
            mutant.append(allele - n)
        else:
            mutant.append(0.0 if allele + n < 0 else 1.0)
    return mutant


def uniform_crossover(a: Ints, b: Ints, swap_flags: Sequence[bool]) -> tuple[list[int], list[int]]:  # section 6
    """RB children: the parents' alleles, exchanged where flagged."""
    child_a = [y if swap else x for x, y, swap in zip(a, b, swap_flags, strict=True)]
    child_b = [x if swap else y for x, y, swap in zip(a, b, swap_flags, strict=True)]
    return child_a, child_b


def flip_mutation(genotype: Ints, flip_flags: Sequence[bool], shifts: Ints, k: int) -> list[int]:  # section 6
    """RB alleles 0..k moved on by shift in 1..k, modulo k + 1, where flagged: each other allele is equally likely."""
    return [(old + s) % (k + 1) if flip else old for old, flip, s in zip(genotype, flip_flags, shifts, strict=True)]


def repair(genotype: Ints, k: int, gene_order: Ints, new_alleles: Ints) -> list[int]:  # section 6, "repair"
    """Specify unspecified genes, in gene_order (places), until k are specified; place i takes new_alleles[i]."""
    repaired = list(genotype)
    for i in gene_order:
        if complexity_from_genotype(repaired) >= k:
            break
        if repaired[i] == 0:
            repaired[i] = new_alleles[i]
    return repaired
