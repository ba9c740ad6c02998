"""`mococo bench`: a table beside Gymnasium, its JSON, and what is refused. Nothing here judges a speed."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run

QUICK = ("--seconds", "0.01", "--threads", "2")


def test_every_way_has_a_line(mococo: Run) -> None:
    answer = mococo("bench", *QUICK)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "MountainCar-v0:"
    ways = ("Gymnasium, its step alone", "Gymnasium, with a policy", "Mococo, 1 thread", "Mococo, 2 threads")
    assert [any(line.strip().startswith(way) for line in lines) for way in ways] == [True] * 4
    assert max(map(len, lines)) <= 80


def test_json_holds_the_same(mococo: Run) -> None:
    data = json.loads(mococo("bench", *QUICK, "--json").out)
    assert data["env"] == "MountainCar-v0"
    assert len(data["speeds"]) == 4
    for speed in data["speeds"]:
        assert speed["steps_per_second"] * speed["nanoseconds_per_step"] == pytest.approx(1e9)
    assert data["speeds"][0]["policies_per_second"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "MountainCar-v1"], "unknown environment 'MountainCar-v1'. Did you mean MountainCar-v0?"),
        (["--seconds", "0"], "--seconds must be above 0 and at most 600, got 0"),
        (["--threads", "0"], "threads must be a whole number >= 1, got 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(mococo: Run, words: list[str], message: str) -> None:
    answer = mococo("bench", *words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
