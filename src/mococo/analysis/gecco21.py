"""What the paper claims in its results (section 7), and what a set of runs says to each claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from mococo.config import Config
from mococo.runs.reading import Run
from mococo.runs.scores import Scored
from mococo.subspecies import Tag, lambda_1, lambda_2, make_subspecies_dists, tag_text

Verdict = Literal["reproduced", "in part", "not reproduced"]

SEEDS = range(30)
BEST_COMPLEXITY, BEST_TAG, BEST_PERFORMANCE = 5, (4, 4), -96.17
OPTIMUM, ROUNDED_OPTIMUM = -96.03, -96
"""The best possible mean over the 30 starts (docs/deviations.md), and the paper's, which it says is rounded up."""
RULES = {"A": "0100|0100|1", "B": "1101|0010|2", "C": "0010|0001|2"}
"""The rule base of the paper's best policy."""
ALIKE = 0.5
"""Performances that are nearer look alike in the paper's figure, and are equal when they are rounded as it rounds."""


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and what the runs say to it."""

    paper: str
    found: str
    verdict: Verdict


@dataclass(frozen=True)
class Found:
    """A solution of the last F_1 of a run."""

    seed: int
    member: Scored

    @property
    def complexity(self) -> int:
        """Its decision points."""
        return self.member.complexity

    @property
    def performance(self) -> float:
        """On the training starts."""
        return self.member.performance

    @property
    def tag(self) -> Tag:
        """Its subspecies."""
        return self.member.policy.tag


def merged_fronts(runs: Mapping[int, Run]) -> list[Found]:
    """The last F_1s of all runs, as the paper's figure shows them."""
    return [Found(seed, member) for seed, run in sorted(runs.items()) for member in run.front]


def best_found(found: Sequence[Found]) -> Found:
    """The best on the training starts, of these the simplest, of these the one of the lowest seed."""
    return max(found, key=lambda f: (f.performance, -f.complexity, -f.seed))


def best_trade_off(found: Sequence[Found]) -> Found:
    """The simplest that looks as good as the best, of these the best."""
    top = best_found(found).performance
    return min((f for f in found if f.performance >= top - ALIKE), key=lambda f: (f.complexity, -f.performance, f.seed))


def claims(runs: Mapping[int, Run], config: Config, grid_optimum: float, look_ahead_optimum: float) -> list[Claim]:
    """All claims, in the paper's order. The optima are what value iteration on the paper's grid attains."""
    found = merged_fronts(runs)
    return [
        allocation(config),
        crowd_at_the_bottom(found, len(runs)),
        rise_and_plateau(found),
        trade_off(found, len(runs)),
        best_performance(found),
        approximate_optimum(grid_optimum, look_ahead_optimum),
        nearness_to_the_optimum(found),
        rules_of_the_best(found),
        parsimony(found),
    ]


def allocation(config: Config) -> Claim:
    """How many individuals a subspecies gets for each of its genes."""
    deltas = make_subspecies_dists(config.subspecies, config.beta)
    sizes, lengths = (config.db_pop_size, config.rb_pop_size), (lambda_1, lambda_2)
    each = [
        [size * share / length(tag) for tag, share in zip(config.subspecies, delta.tolist(), strict=True)]
        for size, delta, length in zip(sizes, deltas, lengths, strict=True)
    ]
    least, most = min(map(min, each)), max(map(max, each))
    told = " and ".join(
        f"{', '.join(f'{x:.1f}' for x in row)} ({name})" for row, name in zip(each, ("DB", "RB"), strict=True)
    )
    return Claim(
        "beta, dbPopSize and rbPopSize allocate each subspecies approximately ten times as many individuals as its "
        "search space has dimensions",
        f"{told} times as many for {', '.join(map(tag_text, config.subspecies))}",
        _verdict(least >= 8 and most <= 12.5, least >= 5 and most <= 20),
    )


def crowd_at_the_bottom(found: Sequence[Found], n_runs: int) -> Claim:
    """(2, -200)."""
    there = [f for f in found if (f.complexity, f.performance) == (2, -200.0)]
    n, total = _solutions(there), _solutions(found)
    minimal = _solutions([f for f in found if f.complexity == 2])
    seeds = len({f.seed for f in there})
    return Claim(
        "a large number of solutions are of minimum complexity, minimum performance: (2, -200)",
        f"{n:,} of {total:,} solutions ({100 * n / total:.1f} %), and of the {minimal:,} of complexity 2, from {seeds} "
        f"of {n_runs} runs",
        _verdict(n >= 0.05 * total and seeds >= n_runs / 4, n >= 0.05 * total),
    )


def rise_and_plateau(found: Sequence[Found]) -> Claim:
    """Best performance with at most each complexity."""
    best = {c: max((f.performance for f in found if f.complexity <= c), default=math.nan) for c in (2, 3, 4, 5)}
    beyond = max((f.performance for f in found if f.complexity > BEST_COMPLEXITY), default=best[5])
    typical = {c: _median_best(found, c) for c in (4, 5, 6)}
    rises, flat = best[2] < best[3] < best[4] < best[5], beyond <= best[5] + ALIKE
    steps = ", ".join(f"{performance:.2f}" for performance in best.values())
    return Claim(
        "increasing complexity up to 5 provides increased performance, but from then on provides no improvement",
        f"the best with at most complexity 2, 3, 4, 5: {steps}; beyond 5: {beyond:.2f}. The median over the runs with "
        f"at most 4, 5, 6: {', '.join(f'{performance:.2f}' for performance in typical.values())}",
        _verdict(rises and flat, best[2] < best[3] and beyond <= best[5] + 2 * ALIKE),
    )


def trade_off(found: Sequence[Found], n_runs: int) -> Claim:
    """Where the knee is."""
    knee = best_trade_off(found)
    near = {f.seed for f in found if f.tag == BEST_TAG and f.complexity <= 6 and f.performance >= -96 - 2 * ALIKE}
    return Claim(
        "solutions offering the best trade-off between performance and complexity are of complexity 5, subspecies "
        "(4, 4)",
        f"complexity {knee.complexity}, subspecies {_tuple(knee.tag)}, {knee.performance:.2f} (seed {knee.seed}); "
        f"{len(near)} of {n_runs} runs have one of (4, 4) with complexity at most 6 and at least -97",
        _verdict(
            (knee.complexity, knee.tag) == (BEST_COMPLEXITY, BEST_TAG),
            knee.tag == BEST_TAG and abs(knee.complexity - BEST_COMPLEXITY) <= 1,
        ),
    )


def best_performance(found: Sequence[Found]) -> Claim:
    """The best solution of all."""
    top, fresh = best_found(found), best_found(found).member
    low, high = fresh.fresh_interval
    return Claim(
        f"the performance of the best solution is {BEST_PERFORMANCE:.2f}",
        f"{top.performance:.2f} at complexity {top.complexity} (seed {top.seed}); from fresh starts "
        f"{fresh.fresh_performance:.2f} ({low:.2f} to {high:.2f})",
        _verdict(round(top.performance, 2) >= BEST_PERFORMANCE, top.performance >= BEST_PERFORMANCE - ALIKE),
    )


def approximate_optimum(grid: float, look_ahead: float) -> Claim:
    """Value iteration on 1000 bins per feature."""
    return Claim(
        f"a policy that is approximately optimal, by value iteration, has {ROUNDED_OPTIMUM} (rounded up)",
        f"{grid:.2f} by the paper's method, {math.ceil(grid)} when rounded up; {look_ahead:.2f} when it looks one step "
        f"ahead; the best possible is {OPTIMUM:.2f}",
        _verdict(math.ceil(grid) == ROUNDED_OPTIMUM, look_ahead >= ROUNDED_OPTIMUM - 1),
    )


def nearness_to_the_optimum(found: Sequence[Found]) -> Claim:
    """Steps from the best possible."""
    gap = OPTIMUM - best_found(found).performance
    return Claim(
        "the algorithm has produced a policy that has almost attained the upper bound of performance",
        f"{gap:.2f} steps from the best possible, {OPTIMUM:.2f}",
        _verdict(gap <= ALIKE, gap <= 2 * ALIKE),
    )


def rules_of_the_best(found: Sequence[Found]) -> Claim:
    """Which of the paper's rules were found, by the best and by any."""
    top = best_found(found)
    mine = _letters(top.member)
    others = len(top.member.policy.rules) - len(mine)
    exact = [f for f in found if _letters(f.member) == "ABC" and len(f.member.policy.rules) == 3]
    holding = [f for f in found if _letters(f.member) == "ABC"]
    told = [f"the best has {_rules(mine, others)}"]
    if holding:
        one = min(holding, key=lambda f: (f.complexity, -f.performance, f.seed))
        more = len(one.member.policy.rules) - 3
        n = len({f.seed for f in holding})
        told.append(
            f"{n} {'run has' if n == 1 else 'runs have'} all three in one rule base, the simplest with "
            f"{_rules('ABC', more)} (seed {one.seed}, complexity {one.complexity}, {one.performance:.2f})"
        )
    return Claim(
        "the best rule base is A, B, C: IF x is L and v is L THEN Left; IF x is FL, L or FR and v is H THEN Right; "
        "IF x is R and v is VH THEN Right",
        "; ".join(told),
        _verdict(mine == "ABC" and others == 0, len(mine) >= 2 or bool(exact or holding)),
    )


def parsimony(found: Sequence[Found]) -> Claim:
    """Rules of the best."""
    top = best_found(found)
    n = len(top.member.policy.rules)
    return Claim(
        "policies are learnt that perform well and use as few rules as possible: the best has three",
        f"the best has {n} rules and {top.complexity} decision points",
        _verdict(n <= 3, n <= 5),
    )


def _verdict(whole: bool, partly: bool) -> Verdict:
    return "reproduced" if whole else "in part" if partly else "not reproduced"


def _solutions(found: Sequence[Found]) -> int:
    return sum(f.member.count for f in found)


def _median_best(found: Sequence[Found], complexity: int) -> float:
    """Over the runs, of the best with at most this complexity; a run without any counts as the worst."""
    best = {f.seed: -200.0 for f in found}
    for f in found:
        if f.complexity <= complexity:
            best[f.seed] = max(best[f.seed], f.performance)
    return median(best.values())


def _letters(member: Scored) -> str:
    held = {rule.gabil for rule in member.policy.rules} if member.policy.tag == BEST_TAG else set()
    return "".join(letter for letter, gabil in RULES.items() if gabil in held)


def _rules(letters: str, others: int) -> str:
    some = f"{', '.join(letters[:-1])} and {letters[-1]}" if len(letters) > 1 else letters
    return f"{f'rules {some}' if some else 'none of them'} and {others or 'no'} other{'' if others == 1 else 's'}"


def _tuple(tag: Tag) -> str:
    return f"({', '.join(map(str, tag))})"
