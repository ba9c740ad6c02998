"""`mococo report`: the file, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mococo.cli.main import main
from mococo.runs.reading import read_run
from tests.cli.conftest import SMALL, Run


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("experiment") / "two"
    assert main(["train", "MountainCar-v0", *SMALL, "--seeds", "2", "-o", str(path), "--quiet"]) == 0
    return path


def data_in(file: Path) -> Any:
    text = file.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin : text.index("</script>", begin)])


def test_a_run(mococo: Run, small_run: Path) -> None:
    answer = mococo("report", small_run, "-o", "page.html")
    assert (answer.code, answer.err) == (0, "")
    link = Path("page.html").resolve().as_uri()  # the last line: terminals open it with a click
    assert answer.out == f"page.html  needs no network. To explore it, open:\n{link}\n"
    run = read_run(small_run)
    policies = [policy for policy in data_in(Path("page.html"))["policies"] if policy["archive"]]
    assert [policy["performance"] for policy in policies] == [member.performance for member in run.archive]


def test_the_page_lies_in_the_folder_where_nothing_else_is_said(mococo: Run, small_run: Path) -> None:
    shutil.copytree(small_run, "run")
    out = mococo("report", "run").out
    assert out.startswith("run/explorer.html  ")
    assert out.endswith(f"{Path('run/explorer.html').resolve().as_uri()}\n")
    assert "<title>MountainCar-v0: run</title>" in Path("run/explorer.html").read_text(encoding="utf-8")
    assert mococo("show", "run").code == 0


def test_an_experiment_and_a_folder_of_runs(mococo: Run, experiment: Path) -> None:
    assert mococo("report", experiment, "-o", "one.html").code == 0
    assert [run["name"] for run in data_in(Path("one.html"))["runs"]] == ["seed-0", "seed-1"]
    shutil.copytree(experiment, "runs")
    Path("runs/experiment.json").unlink()
    assert mococo("report", "runs", "-o", "two.html").code == 0
    assert data_in(Path("one.html")) == data_in(Path("two.html"))


def test_what_is_refused(mococo: Run, small_run: Path, experiment: Path) -> None:
    Path("empty").mkdir()
    Path("file").touch()
    killed = Path(shutil.copytree(small_run, "killed"))
    for name in ("archive.json", "front.json"):
        (killed / name).unlink()
    begun = Path(shutil.copytree(experiment, "begun"))
    for name in ("seed-0", "seed-1"):
        shutil.rmtree(begun / name)
    needed = "but the folder of a run is needed, such as mococo train writes with -o"
    for words, message in [
        (["no"], f"no does not exist, {needed}"),
        (["file"], f"file is a file, {needed}"),
        (["empty"], "empty does not hold a run, nor folders of runs"),
        (["killed"], "none of the runs has saved policies, so there is nothing to explore; go on with mococo resume"),
        (["begun"], "no seed of begun is done yet; go on with mococo resume begun"),
        ([small_run, "-o", "empty"], "empty is a folder, but the page is one file; name it with -o, such as "
         "-o explorer.html"),
        ([small_run, "-o", "file/page.html"], "file/page.html cannot be written (File exists); name another file "
         "with -o"),
    ]:  # fmt: skip
        answer = mococo("report", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
    assert sorted(file.name for file in Path.cwd().iterdir()) == ["begun", "empty", "file", "killed"]
