"""What ends a run before its last generation, on the command line and from Python."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import mococo as package
from mococo.errors import ConfigError
from mococo.runs.reading import Run as Saved
from mococo.runs.reading import read_run
from mococo.stops import Stops, StopWhen
from mococo.training import Progress, Result
from tests.cli.conftest import Run, contents, train_words

LONG = ("--num-gens", "40")
SMALL = {"num_gens": 6, "db_pop_size": 12, "rb_pop_size": 24}


def stopped(mococo: Run, *limits: str) -> Saved:
    answer = mococo(*train_words(Path("run"), *LONG, *limits))
    assert answer.code == 0, answer.err
    return read_run(Path("run"))


def test_evaluations(mococo: Run) -> None:
    run = stopped(mococo, "--max-evaluations", "500")
    counts = [record.evaluations for record in run.history]
    assert sum(counts) >= 500 > sum(counts[:-1])
    assert run.ended == f"max_evaluations: {sum(counts)} of 500"
    assert not run.complete


def test_no_better_hypervolume(mococo: Run) -> None:
    run = stopped(mococo, "--patience", "2")
    areas = [record.archive_hypervolume for record in run.history]
    better = [n == 0 or area > max(areas[:n]) for n, area in enumerate(areas)]
    assert better[-2:] == [False, False]
    assert not any(one is other is False for one, other in pairwise(better[:-1]))
    assert run.ended == "patience: 2 generations without a larger hypervolume"


def test_a_target(mococo: Run) -> None:
    run = stopped(mococo, "--target", "-140", "--at-complexity", "12")
    reached = [m for m in run.archive if m.performance >= -140 and m.complexity <= 12]
    assert reached
    assert max(member.gen for member in reached) == len(run.history) - 1
    assert run.ended == "target: -140 at complexity 12"


def test_time_counts_from_the_beginning_also_after_a_resume(mococo: Run) -> None:
    run = stopped(mococo, "--max-time", "0.000001s")
    assert len(run.history) == 1
    assert run.ended == "max_time: 1e-06 s"
    answer = mococo("resume", "run")
    assert answer.out == (
        "run has ended (max_time: 1e-06 s): nothing to do. To go on: --max-time with another limit, or none\n"
    )
    assert mococo("resume", "run", "--max-time", "1h30m", "--num-gens", "40", "--quiet").code == 0
    assert read_run(Path("run")).complete
    assert read_run(Path("run")).stops == Stops(max_time=5400.0)


def test_a_run_that_was_stopped_and_goes_on_without_limits_is_the_whole_run(mococo: Run) -> None:
    assert mococo(*train_words(Path("whole"), "--num-gens", "8")).code == 0
    assert mococo(*train_words(Path("run"), "--num-gens", "8", "--target", "-199", "--at-complexity", "30")).code == 0
    assert not read_run(Path("run")).complete
    assert mococo("resume", "run", "--target", "none", "--quiet").code == 0
    assert contents(Path("run")) == contents(Path("whole"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-evaluations", "0"], "max_evaluations must be a whole number >= 1, got 0"),
        (["--max-evaluations", "9" * 40], "max_evaluations must be below 2**63, because files keep no larger numbers"),
        (["--max-evaluations", "many"], "--max-evaluations must be a whole number, got 'many'"),
        (["--patience", "9" * 5000], f"--patience must be a whole number, got '{'9' * 76}..."),
        (["--max-time", "-5s"], "--max-time must be a time such as 90s, 10m or 1h30m, got '-5s'"),
        (["--max-time", "0"], "max_time must be a number of seconds > 0, got 0.0"),
        (["--max-time", "inf"], "max_time must be a number of seconds > 0, got inf"),
        (["--target", "1e999"], "target must be a finite performance, got inf"),
        (["--target", "good"], "--target must be a number, got 'good'"),
    ],
)
def test_limits_that_make_no_sense_are_refused(mococo: Run, words: list[str], message: str) -> None:
    answer = mococo(*train_words(Path("run"), *words))
    assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"target": 10**400}, "target must be a finite performance, got a number of 1329 bits"),
        ({"max_time": math.nan}, "max_time must be a number of seconds > 0, got nan"),
        ({"patience": 2.5}, r"patience must be a whole number >= 1, got 2\.5"),
        ({"at_complexity": 3}, "at_complexity belongs to a target; give a target too"),
    ],
)
def test_limits_are_checked_when_they_are_made(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Stops(**limits)


def test_the_first_limit_that_is_reached_counts() -> None:
    both = StopWhen(Stops(max_evaluations=1, patience=1, target=-1000.0))
    result = package.train("MountainCar-v0", callbacks=[both], **SMALL)
    assert result.ended == "target: -1000"
    assert len(result.history) == 1


# ---------------------------------------------------------------- callbacks


class Watch:
    """A user's callback."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.seen: list[int] = []
        self.results: list[Result] = []

    def on_generation(self, progress: Progress) -> str | None:
        self.seen.append(progress.record.gen)
        return "seen enough" if progress.record.gen == self.last else None

    def on_end(self, result: Result) -> None:
        self.results.append(result)


def test_callbacks_see_every_generation_and_the_end() -> None:
    one, other = Watch(), Watch(last=3)
    result = package.train("MountainCar-v0", callbacks=[one, other], **SMALL)
    assert one.seen == other.seen == [0, 1, 2, 3]
    assert one.results == other.results == [result]
    assert result.ended == "seen enough"
    assert [record.gen for record in result.history] == [0, 1, 2, 3]


def test_callbacks_change_nothing() -> None:
    with_them = package.train("MountainCar-v0", callbacks=[Watch()], **SMALL)
    without = package.train("MountainCar-v0", **SMALL)
    assert list(with_them.archive) == list(without.archive)


# ---------------------------------------------------------------- --json


def test_json_is_a_line_for_each_generation_and_one_at_the_end(mococo: Run) -> None:
    answer = mococo(*train_words(Path("run"), "--json"))
    assert answer.code == 0
    *generations, end = map(json.loads, answer.out.splitlines())
    run = read_run(Path("run"))
    assert [line["gen"] for line in generations] == [record.gen for record in run.history]
    for line, record in zip(generations, run.history, strict=True):
        assert line["event"] == "generation"
        assert {int(complexity): best for complexity, best in line["best"].items()} == record.best
        assert (line["evaluations"], line["hypervolume"]) == (record.evaluations, record.hypervolume)
    assert (end["event"], end["run"], end["seed"], end["generations"], end["ended"]) == ("end", "run", 1, 4, "")
    assert [m["complexity"] for m in end["archive"]] == [member.complexity for member in run.archive]
    assert [tuple(m["fresh_interval"]) for m in end["archive"]] == [member.fresh_interval for member in run.archive]
