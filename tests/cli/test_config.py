"""`mococo config`: a file that explains itself, and that can be fed back as it is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mococo.cli.settings import descriptions
from mococo.config import Config
from mococo.envs.choices import Choices
from mococo.envs.registry import named
from tests.cli.conftest import Run, contents

SMALL = ("--num-gens", "2", "--db-pop-size", "6", "--rb-pop-size", "8", "--threads", "1", "--quiet")
CHOSEN = (
    "--feature=tilt = angle + 0.5*angular_velocity",
    "--feature=drift=position-velocity/3 in [-2, 2]",
    "--domains=velocity=[-2.5,2.5]",
    "--gamma=0.99",
    "--t-max=400",
    "--bounds=0,400",
)


def resolved(run: Path) -> Any:
    record = json.loads((run / "config.json").read_text())
    return record["settings"], record["environment"]


@pytest.mark.parametrize("chosen", [(), CHOSEN])
def test_what_is_printed_gives_the_same_run(mococo: Run, chosen: tuple[str, ...]) -> None:
    assert mococo("train", "CartPole-v1", *SMALL, *chosen, "-o", "run").code == 0
    for name, words in (("of-run", ["--run", "run"]), ("of-env", ["--env", "CartPole-v1", *SMALL[:6], *chosen])):
        Path(f"{name}.toml").write_text(mococo("config", *words).out)
        assert mococo("train", "CartPole-v1", "--config", f"{name}.toml", "--quiet", "-o", name).code == 0
        assert resolved(Path(name)) == resolved(Path("run"))
        if name == "of-run" or not chosen:
            assert contents(Path(name)) == contents(Path("run"))


def test_the_environment_of_gymnasium_is_told_too(mococo: Run) -> None:
    run = mococo("train", "CliffWalking-v1", *SMALL, "--eta", "2", "--t-max", "20", "-o", "run")
    assert run.code == 0, run.err
    Path("s.toml").write_text(mococo("config", "--run", "run").out)
    assert mococo("train", "CliffWalking-v1", "--config", "s.toml", "--quiet", "-o", "again").code == 0
    assert resolved(Path("again")) == resolved(Path("run"))
    assert contents(Path("again")) == contents(Path("run"))


def test_every_setting_stands_under_its_description(mococo: Run) -> None:
    text = mococo("config", "--env", "MountainCar-v0").out
    plain = " ".join(text.replace("\n# ", " ").split())
    for kind, besides in ((Config, ()), (Choices, ("kwargs", "on_fault", "step_timeout"))):
        for name, description in descriptions(kind).items():
            told = re.search(rf"{re.escape(description)} {name} = ", plain)
            assert bool(told) == (name not in besides), name  # a compiled environment is not made, and does not fail
    assert set(descriptions(Choices)) == set(Choices.__struct_fields__)
    assert tomllib.loads(text)["environment"] == {}


def test_what_stands_in_comments_is_what_is_so_anyway(mococo: Run) -> None:
    text = mococo("config", "--env", "CartPole-v1").out
    table = tomllib.loads(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))["environment"]
    assert set(table) == {"names", "features", "domains", "actions", "gamma", "t_max", "performance_bounds"}
    env = named("CartPole-v1")
    assert tuple(table.pop("performance_bounds")) == env.performance_bounds  # those that are given count as a guess
    assert named("CartPole-v1", **table) == env


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --env ID for an environment's settings, or --run RUN for those of a run"),
        (("--run", "x", "--config", "y"), "--config belongs to --env; a run has its settings"),
        (
            ("--run", "x", "--gamma", "0.5"),
            "what is said of an environment belongs to --env; a run has its environment",
        ),
        (("--env", "CartPole-v1", "--gamma", "2"), "CartPole-v1: the discount factor gamma must lie in [0, 1], got 2"),
    ],
)
def test_what_does_not_go_together(mococo: Run, words: tuple[str, ...], message: str) -> None:
    answer = mococo("config", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"mococo: {message}")


def test_limits_are_no_settings(mococo: Run) -> None:
    answer = mococo("config", "--env", "MountainCar-v0", "--max-time", "10m")
    assert (answer.code, answer.out) == (2, "")
    assert "--max-time" in answer.err
