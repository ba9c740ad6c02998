"""Runs as CSV files, for spreadsheets and other people's scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from mococo.runs.experiment import summary
from mococo.runs.reading import Run
from mococo.runs.scores import Scored
from mococo.subspecies import tag_text
from mococo.training import Record

_MEMBER = (
    "seed", "complexity", "performance", "fresh_performance", "fresh_standard_error", "fresh_low", "fresh_high",
    "fresh_uncovered",
    "solutions", "generation", "subspecies", "rules", "rule_base",
)  # fmt: skip


def fronts(runs: Mapping[int, Run]) -> str:
    """F_1 of the last generation of every run: a line for each pair of performance and complexity."""
    return _csv(_MEMBER, (_member(seed, member) for seed, run in sorted(runs.items()) for member in run.front))


def archives(runs: Mapping[int, Run]) -> str:
    """The best policies that every run ever found."""
    return _csv(_MEMBER, (_member(seed, member) for seed, run in sorted(runs.items()) for member in run.archive))


def generations(runs: Mapping[int, Run]) -> str:
    """Every generation of every run. Its time is left out, so that the same seeds give the same file."""
    names = ("seed", "generation", "evaluations", "env_steps", "hypervolume", "archive_hypervolume", "archive_size")
    rows = (
        (seed, r.gen, r.evaluations, r.env_steps, r.hypervolume, r.archive_hypervolume, r.archive_size, _best(r))
        for seed, run in sorted(runs.items())
        for r in run.history
    )
    return _csv((*names, "best_performance"), rows)


def complexities(runs: Mapping[int, Run]) -> str:
    """All archives at each complexity: how many runs have a policy of it, and how good those are."""
    names = ("complexity", "runs", "lower_quartile", "median", "upper_quartile", "best", "fresh_median")
    rows = ((row.complexity, row.seeds, *row.quartiles, row.best, row.fresh_median) for row in summary(runs))
    return _csv(names, rows)


def _best(record: Record) -> float | str:
    """The best performance of the generation's F_1; nothing where it is empty."""
    return max(record.best.values(), default="")


def _member(seed: int, member: Scored) -> Sequence[object]:
    policy = member.policy
    return (
        seed, member.complexity, member.performance, member.fresh_performance, member.fresh_standard_error,
        *member.fresh_interval, member.fresh_uncovered, member.count, member.gen, tag_text(policy.tag),
        len(policy.rules),
        "; ".join(rule.gabil for rule in policy.rules),
    )  # fmt: skip


def _csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()
