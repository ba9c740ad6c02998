"""docs/paper_map.md names things that exist, and leaves out nothing that the paper names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "paper_map.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
NAMES = sorted({name for row in ROWS for name in re.findall(r"`(mococo(?:\.\w+)+)`", row)})


def resolve(dotted: str) -> Any:
    """The object of this name: a module, or something in it."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if error.name is not None and not dotted.startswith(error.name):
                raise  # a module of somebody else's is missing
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(dotted)


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_is_named_exists(name: str) -> None:
    assert resolve(name) is not None


@pytest.mark.parametrize(
    "part",
    [
        *[f"Eq. {number}" for number in range(1, 5)],
        *[f"Algorithm {number}" for number in range(1, 8)],
        "makeSubspeciesDists",
        "initDBPop",
        "initRBPop",
        "selectCollabrs",
        "makeFRBS",
        "calcPerformance",
        "calcComplexity",
        "assignParetoFrontRanks",
        "assignCrowdingDists",
        "crowdedComparisonSort",
        "selection",
        "crossoverMutate",
    ],
)
def test_every_part_of_the_paper_has_a_row_that_says_where_it_is(part: str) -> None:
    rows = [row for row in ROWS if re.search(rf"{re.escape(part)}(?!\d)", row)]
    assert rows, f"{part} is nowhere in {PAGE.name}"
    assert any("`mococo." in row for row in rows)


def test_every_row_names_something() -> None:
    tables = [row for row in ROWS if not re.fullmatch(r"[|\s:-]+", row) and not row.startswith("| paper")]
    assert len(tables) > 20
    for row in tables:
        assert "`mococo." in row, row


def test_a_name_that_does_not_exist_would_be_noticed() -> None:
    with pytest.raises(AttributeError):
        resolve("mococo.subspecies.lambda_3")
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve("mococo.nowhere.at_all")
