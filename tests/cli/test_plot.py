"""`mococo plot` and `mococo show --latex`: files, what is chosen, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mococo.cli.main import main
from mococo.runs.reading import read_run
from tests.cli.conftest import Run, train_words


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs, and something else."""
    path = tmp_path_factory.mktemp("runs")
    for seed in (1, 2):
        assert main(list(train_words(path / f"seed-{seed}", seed=seed))) == 0
    (path / "notes").mkdir()
    return path


@pytest.fixture
def policy_file(small_run: Path) -> Path:
    return max((small_run / "policies").iterdir())


def test_all_figures_of_a_run(mococo: Run, small_run: Path) -> None:
    answer = mococo("plot", small_run, "-o", "drawn")
    assert (answer.code, answer.err) == (0, "")
    names = ["front", "sets", "map", "timeline", "convergence", "attainment"]
    told = [line.split("  ")[0] for line in answer.out.splitlines()]
    assert set(told) <= {f"drawn/{name}.png" for name in names}
    assert {"drawn/front.png", "drawn/sets.png", "drawn/map.png", "drawn/convergence.png"} <= set(told)
    assert sorted(told) == sorted(str(file) for file in Path("drawn").iterdir())


def test_the_figures_asked_for_in_the_formats_asked_for(mococo: Run, runs: Path) -> None:
    answer = mococo("plot", runs, "--what", "front,attainment", "--format", "svg,pdf", "--width", "3.3")
    assert (answer.code, answer.err) == (0, "")
    written = {"front.svg", "front.pdf", "attainment.svg", "attainment.pdf"}
    assert {file.name for file in Path("figures").iterdir()} == written
    svg = Path("figures/front.svg").read_text(encoding="utf-8")
    assert 'width="237.6pt"' in svg


def test_a_policy_alone(mococo: Run, policy_file: Path) -> None:
    answer = mococo("plot", policy_file, "--what", "sets,map", "--episodes", 1, "--over", "velocity,position")
    assert (answer.code, answer.err) == (0, "")
    assert sorted(file.name for file in Path("figures").iterdir()) == ["map.png", "sets.png"]


def test_a_policy_of_a_run_is_chosen_by_its_complexity(mococo: Run, small_run: Path, policy_file: Path) -> None:
    member = read_run(small_run).archive[-1]
    words = ("--what", "sets,map", "--format", "svg")
    assert mococo("plot", small_run, "--complexity", member.complexity, *words, "-o", "one").code == 0
    assert mococo("plot", policy_file, *words, "-o", "two").code == 0
    for name in ("sets.svg", "map.svg"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_what_is_refused(mococo: Run, small_run: Path, runs: Path, policy_file: Path) -> None:
    Path("empty").mkdir()
    Path("file").touch()
    killed = Path(shutil.copytree(small_run, "killed"))
    for name in ("archive.json", "front.json"):
        (killed / name).unlink()
    held = sorted({m.complexity for s in (1, 2) for m in read_run(runs / f"seed-{s}").archive})
    for words, message in [
        (["no"], "no: cannot be read (No such file or directory)"),
        (["empty"], "empty does not hold a run, nor folders of runs"),
        ([small_run, "--what", "fronts"], "unknown figure 'fronts'. Did you mean front?"),
        ([small_run, "--what", ","], "name at least one figure: front, sets, map, timeline, convergence, attainment"),
        ([small_run, "--format", "bmp"], "unknown format 'bmp'. Known: pdf, png, svg."),
        ([small_run, "--width", "0"], "a figure's width must be between 1 and 100 inches, got 0"),
        ([small_run, "--episodes", "-1"], "--episodes must be between 0 and 1000, got -1"),
        ([small_run, "--seed", "-1"], "--seed must be at least 0, got -1"),
        ([small_run, "--at", "speed"], "--at takes NAME=X, for example velocity=0.01, got 'speed'"),
        ([small_run, "-o", "file", "--what", "sets"], "file/sets.png cannot be written (File exists); "
         "name a folder with -o"),
        ([policy_file, "--what", "front"], f"front needs a run that was finished, and {policy_file} has none"),
        (["killed", "--what", "sets"], "sets needs a policy that looks at a feature, and killed has none"),
        ([runs, "--complexity", 1], f"{runs} holds no policy of complexity 1; it holds: {', '.join(map(str, held))}"),
        ([policy_file, "--complexity", 2],
         f"--complexity picks a policy of a run, but {policy_file} is a single policy"),
    ]:  # fmt: skip
        answer = mococo("plot", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")


def test_a_run_that_was_killed_shows_how_it_went(mococo: Run, small_run: Path) -> None:
    killed = Path(shutil.copytree(small_run, "killed"))
    for name in ("archive.json", "front.json"):
        (killed / name).unlink()
    assert mococo("plot", "killed").code == 0
    assert [file.name for file in Path("figures").iterdir()] == ["convergence.png"]


def test_latex(mococo: Run, small_run: Path, policy_file: Path) -> None:
    run = read_run(small_run)
    text = mococo("show", small_run, "--latex").out
    assert text.count("\\begin{tabular}") == 3
    for member in run.archive:
        assert f"${member.performance:.2f}$" in text
    member = run.archive[-1]
    text = mococo("show", small_run, "--latex", "--complexity", member.complexity).out
    assert text.count("\\begin{tabular}") == 2
    assert text == mococo("show", policy_file, "--latex").out
    for rule in member.policy.rules:
        assert f"{rule.text} \\\\" in text
    answer = mococo("show", small_run, "--latex", "--json")
    assert (answer.code, answer.err) == (2, "mococo: --json and --latex exclude each other\n")
