"""The README tells the truth: its output is what its command prints, its files are there, its commands are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mococo as library
from mococo.cli.main import COMMANDS
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
LINES = sorted({line for block in BLOCKS for line in block.splitlines() if line.startswith("mococo ")})


def block_with(text: str) -> str:
    (found,) = [block for block in BLOCKS if text in block]
    return found


def test_the_output_shown_is_what_the_command_prints(mococo: Run) -> None:
    answer = mococo("train", "MountainCar-v0", "--seed", 2, "-o", "car")
    assert "mococo train MountainCar-v0 --seed 2 -o car\n" in README
    assert answer.out.startswith(block_with("The best policies found."))
    policy = library.load("car/policies/complexity-04.json")
    shown = block_with("import mococo")
    assert f"policy.act([-0.5, 0.02])                          # {policy.act([-0.5, 0.02])}: push right" in shown
    performance = library.evaluate(policy, "MountainCar-v0", episodes=1000, seed=7).performance
    assert f"seed=7).performance  # {performance!r}" in shown


@pytest.mark.parametrize("line", LINES)
def test_commands_shown_are_known(mococo: Run, line: str) -> None:
    words = line.partition("  #")[0].split()
    assert words[1] in COMMANDS
    told = mococo(words[1], "--help").out
    for option in [word for word in words if word.startswith("-")]:
        assert re.search(rf"{option}\b", told), option


def test_pictures_and_pages_are_there() -> None:
    files = re.findall(r"\]\(((?!https?:)[^)]+)\)", README)
    assert all((ROOT / name).is_file() for name in files), files
    assert {f"docs/images/{name}.png" for name in ("explorer", "map", "front")} <= set(files)
