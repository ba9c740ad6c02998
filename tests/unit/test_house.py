"""Rules of the house that a machine can check."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import mococo

ROOT = Path(__file__).parents[2]
HOUSE = Path(mococo.__file__).parent
MODULES = sorted(HOUSE.rglob("*.py"))
SCRIPTS = sorted(HOUSE.rglob("*.js"))
EACH_MODULE = pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))

FORBIDDEN_IN_THE_ALGORITHM = {
    "numba", "gymnasium", "os", "io", "sys", "pathlib", "shutil", "tempfile", "json", "csv", "msgspec", "logging",
    "socket", "subprocess", "threading", "concurrent", "multiprocessing", "matplotlib", "rich", "tyro",
}  # fmt: skip


def imported(module: Path) -> set[str]:
    """Full names of all modules that a file imports, at whatever place."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names.add(node.module or "")
    return names


def called(module: Path) -> set[str]:
    """Names of all functions that a file calls by name."""
    return {
        node.func.id
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_there_are_modules_to_look_at() -> None:
    assert HOUSE / "algorithm.py" in MODULES
    assert len(MODULES) > 20
    assert HOUSE / "report" / "web" / "explorer.js" in SCRIPTS


def test_the_algorithm_is_at_most_250_lines() -> None:
    assert len((HOUSE / "algorithm.py").read_text(encoding="utf-8").splitlines()) <= 250


def test_the_algorithm_knows_no_numba_no_gymnasium_and_no_files() -> None:
    names = imported(HOUSE / "algorithm.py")
    assert {name.split(".")[0] for name in names} & FORBIDDEN_IN_THE_ALGORITHM == set()
    assert not any(name.startswith(("mococo.kernels", "mococo.envs", "mococo.files", "mococo.runs")) for name in names)
    assert called(HOUSE / "algorithm.py") & {"open", "print", "input"} == set()


def test_the_algorithm_names_the_seven_listings_in_their_order() -> None:
    tree = ast.parse((HOUSE / "algorithm.py").read_text(encoding="utf-8"))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    listings = [
        "fuzzy_mococo",
        "build_collabr_map",
        "build_soln_set",
        "eval_soln_set",
        "assign_indivs_credit",
        "archive_parent_pop",
        "breed_children",
    ]
    assert [name for name in functions if name in listings] == listings
    docs = {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef)}
    for number, name in enumerate(listings, 1):
        assert f"Algorithm {number}" in docs[name]


@pytest.mark.parametrize("module", [*MODULES, *SCRIPTS], ids=lambda path: str(path.relative_to(HOUSE)))
def test_no_module_is_longer_than_300_lines(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 300


@EACH_MODULE
def test_nothing_is_pickled_or_executed(module: Path) -> None:
    roots = {name.split(".")[0] for name in imported(module)}
    assert roots & {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"} == set()
    assert called(module) & {"eval", "exec", "compile", "__import__"} == set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant)
            assert node.value.value is False


@EACH_MODULE
def test_nothing_global_is_seeded_or_drawn_from(module: Path) -> None:
    """Draws come from a generator that was handed down; the paper's start states from one of their own."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"np.random", "numpy.random"}:
            assert node.attr in {"Generator", "default_rng", "RandomState", "SeedSequence"}, ast.unparse(node)
    assert "random" not in imported(module)


@EACH_MODULE
def test_only_the_command_line_prints(module: Path) -> None:
    if module.relative_to(HOUSE).parts[0] != "cli":
        assert "print" not in called(module)


def test_only_the_kernels_import_numba() -> None:
    """The specialiser writes modules that do; it needs numba's version alone."""
    importing = {module for module in MODULES if "numba" in {name.split(".")[0] for name in imported(module)}}
    assert {module.relative_to(HOUSE).parts[0] for module in importing} == {"kernels"}


def rooms() -> set[str]:
    """Modules and packages right below the top, as import-linter names them."""
    modules = {path.stem for path in HOUSE.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in HOUSE.glob("*/__init__.py")}


def table(heading: str) -> list[list[str]]:
    """Rows of a table in CONTRIBUTING.md, from below its heading and line on: the names in backticks of each cell."""
    _, _, rest = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(heading)
    rows, _, _ = rest.partition("\n\n")
    return [row.split("|")[1:-1] for row in rows.splitlines()[2:]]


def test_the_map_names_every_room_and_no_other() -> None:
    named = [name for row in table("| in `src/mococo/` | lives here |") for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(named) == sorted(f"{room}.py" if (HOUSE / f"{room}.py").is_file() else f"{room}/" for room in rooms())


def test_the_layers_shown_are_those_that_are_checked() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    checked = [set(re.findall(r"\w+", layer)) for layer in contracts[0]["layers"]]
    rows = table("| layer | |")
    assert [set(re.findall(r"`(\w+)`", row[1])) for row in rows] == checked
    assert [int(row[0]) for row in rows] == list(range(1, len(checked) + 1))
    assert set().union(*checked) == rooms()


def test_the_map_of_tests_names_every_folder() -> None:
    named = {name for row in table("| in `tests/` | |") for name in re.findall(r"`(\w+)/`", row[0])}
    assert named == {path.parent.name for path in (ROOT / "tests").glob("*/*.py")}


def test_the_public_names_exist_and_are_no_more_than_that() -> None:
    classes = ["Action", "Config", "Environment", "Feature", "Policy", "UncoveredState"]
    assert sorted(mococo.__all__) == [*classes, "clip", "environment", "evaluate", "load", "register", "train"]
    for name in mococo.__all__:
        assert getattr(mococo, name).__doc__
    with pytest.raises(AttributeError, match="module 'mococo' has no attribute 'nothing'"):
        _ = mococo.nothing
