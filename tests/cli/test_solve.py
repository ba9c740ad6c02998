"""`mococo solve`: its numbers are those of `value_iteration.solve`."""

from __future__ import annotations

import json

from mococo.analysis.value_iteration import solve
from tests.cli.conftest import Run


def test_both_policies_are_told(mococo: Run) -> None:
    s = solve("MountainCar-v0", bins=60)
    head, names, cell, ahead = mococo("solve", "MountainCar-v0", "--bins", 60).out.splitlines()
    assert head.startswith(f"MountainCar-v0, value iteration on 60 x 60 cells: {s.sweeps} sweeps, ")
    assert names.endswith("  30 training starts  1,000 fresh starts")
    assert cell.split()[-2:] == [f"{s.performance:.2f}", f"{s.fresh_performance:.2f}"]
    assert ahead.split()[-2:] == [f"{s.interpolated_performance:.2f}", f"{s.interpolated_fresh_performance:.2f}"]


def test_json(mococo: Run) -> None:
    data = json.loads(mococo("solve", "MountainCar-v0", "--bins", 60, "--json").out)
    s = solve("MountainCar-v0", bins=60)
    assert (data["env_id"], data["bins"], data["performance"]) == ("MountainCar-v0", 60, s.performance)
    assert "values" not in data


def test_what_is_refused(mococo: Run) -> None:
    answer = mococo("solve", "MountainCar-v0", "--bins", 1)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "mococo: bins must be a whole number between 2 and 4000, got 1\n"
    assert mococo("solve", "mountaincar-v0").err == (
        "mococo: unknown environment 'mountaincar-v0'. Did you mean MountainCar-v0?\n"
    )
