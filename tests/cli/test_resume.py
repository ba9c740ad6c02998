"""`mococo resume` and locks: a run that was stopped or killed ends as if nothing had happened."""

from __future__ import annotations

import itertools
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mococo.runs import lock, session
from mococo.runs.reading import read_run
from tests.cli.conftest import COMMAND, Run, begun, contents, environment, train_words

CAR = ("train", "MountainCar-v0")
GENERATIONS = 16
KILLED = ("--num-gens", str(GENERATIONS), "--db-pop-size", "20", "--rb-pop-size", "40", "--quiet")
Start = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Starts processes together, and waits for them; see `forker.py`."""
    script = Path(__file__).parent / "forker.py"
    process = subprocess.Popen(
        [sys.executable, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(PYTHONWARNINGS="ignore"),
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == "ready\n"

    def run(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(jobs) + "\n")
        process.stdin.flush()
        answers: list[dict[str, Any]] = json.loads(process.stdout.readline())
        return answers

    with process:
        yield run
        process.stdin.close()


def stage(path: Path) -> str:
    """How far a run had got when it was killed."""
    if not (path / "config.json").exists():
        return "starting"
    if not begun(path):
        return "first generation"
    done = (path / "events.jsonl").read_bytes().count(b"\n")
    return "end" if done == GENERATIONS else "generations" if (path / "checkpoint.npz").exists() else "no checkpoint"


# Generations that a run has when it is killed, and the seconds after that: nine times before its first generation was
# saved, five of them when it has its folder; ten times between; six times when the last generation is saved and the
# fresh starts are played.
MOMENTS = [
    *((-1, 0.003 * n) for n in range(4)),
    *((0, 0.002 * n) for n in range(5)),
    *((n, 0.003 * (n % 4)) for n in range(1, 11)),
    *((GENERATIONS, 0.002 * n) for n in range(6)),
]


@pytest.mark.slow
def test_killed_at_25_random_moments_and_resumed_a_run_ends_with_the_same_bytes(tmp_path: Path, start: Start) -> None:
    whole = tmp_path / "whole"
    assert start([{"words": [*CAR, *KILLED, "-o", str(whole)]}])[0]["code"] == 0
    expected = contents(whole)
    rng = random.Random(5)
    stages: Counter[str] = Counter()
    for n, (generations, seconds) in enumerate(MOMENTS):
        path = tmp_path / f"killed-{n}"
        words = again = [*CAR, *KILLED, "-o", str(path)]
        delay = seconds * rng.uniform(0.5, 1.5)
        # A moment may come too late where the machine is quick: then once more, sooner.
        while start([{"words": words, "kill": [str(path), generations, delay]}])[0]["code"] != -signal.SIGKILL:
            shutil.rmtree(path)
            delay /= 2
        stages[stage(path)] += 1
        again = ["resume", str(path), "--quiet"] if (path / "config.json").exists() else words
        if n % 5 == 0:  # some are killed once more while they go on
            start([{"words": again, "kill": [str(path), GENERATIONS - 3, 0.0]}])
            again = ["resume", str(path), "--quiet"] if (path / "config.json").exists() else words
        answer = start([{"words": again}])[0]
        assert answer["code"] == 0, answer
        assert contents(path) == expected, f"killed run {n}"
        assert not [file for file in path.rglob("*") if file.suffix == ".tmp"]
    assert sum(stages.values()) == 25
    assert stages["starting"] >= 2, stages
    assert stages["first generation"] >= 2, stages
    assert stages["no checkpoint"] + stages["generations"] >= 8, stages
    assert stages["end"] >= 4, stages


@pytest.mark.slow
def test_killed_before_each_step_in_which_it_writes_a_run_ends_with_the_same_bytes(
    tmp_path: Path, start: Start
) -> None:
    """Each file that is opened, synced, renamed or removed: the moments that the clock seldom meets."""
    few = [*CAR, *KILLED, "--num-gens", "3"]
    whole = tmp_path / "whole"
    assert start([{"words": [*few, "-o", str(whole)]}])[0]["code"] == 0
    expected = contents(whole)
    stages: Counter[str] = Counter()
    for step in itertools.count():
        path = tmp_path / f"{step}"
        words = [*few, "-o", str(path)]
        if start([{"words": words, "step": step}])[0]["code"] != -signal.SIGKILL:
            break
        stages[stage(path)] += 1
        again = ["resume", str(path), "--quiet"] if (path / "config.json").exists() else words
        answer = start([{"words": again}])[0]
        assert answer["code"] == 0, (step, answer)
        assert contents(path) == expected, f"killed before step {step}"
        assert not [file for file in path.rglob("*") if file.suffix == ".tmp"]
    assert min(stages["starting"], stages["no checkpoint"] + stages["generations"]) >= 5, stages


def test_the_command_itself_killed_and_resumed(tmp_path: Path, start: Start) -> None:
    """As a person has it: the installed command, checkpoints as rare as they are."""
    size = ["--num-gens", "30", "--db-pop-size", "60", "--rb-pop-size", "120", "--threads", "2"]
    whole, path = tmp_path / "whole", tmp_path / "run"
    assert start([{"words": [*CAR, *size, "--quiet", "-o", str(whole)]}])[0]["code"] == 0
    process = subprocess.Popen([COMMAND, *CAR, *size, "-o", path], stderr=subprocess.DEVNULL, env=environment())
    while process.poll() is None and (not begun(path) or (path / "events.jsonl").read_bytes().count(b"\n") < 10):
        time.sleep(0.001)
    process.kill()
    process.wait()
    done = subprocess.run([COMMAND, "resume", path, "--quiet"], check=False, capture_output=True, env=environment())
    assert (done.returncode, done.stderr) == (0, b"")
    assert contents(path) == contents(whole)


def test_of_ten_processes_for_one_folder_one_runs(tmp_path: Path, start: Start) -> None:
    words = [*CAR, *KILLED, "-o", str(tmp_path / "run")]
    answers = start([{"words": words} for _ in range(10)])
    assert sorted(answer["code"] for answer in answers) == [0] + [2] * 9
    refused = [answer["err"] for answer in answers if answer["code"]]
    assert all("run is in use by pid " in err or "run already holds a run" in err for err in refused)
    assert any(f" on {os.uname().nodename}; wait for it or stop it" in err for err in refused)
    assert read_run(tmp_path / "run").complete


def test_ten_processes_for_ten_folders_all_run(tmp_path: Path, start: Start) -> None:
    answers = start([{"words": [*CAR, *KILLED, "-o", str(tmp_path / f"{n}")]} for n in range(10)])
    assert [answer["code"] for answer in answers] == [0] * 10
    assert all(contents(tmp_path / f"{n}") == contents(tmp_path / "0") for n in range(10))


# ---------------------------------------------------------------- stopped after some generations


@pytest.fixture
def stopped(mococo: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """The folder of a run that was killed after so many generations, the last of them after its checkpoint."""

    def make(generations: int) -> Path:
        path = Path(f"stopped-{generations}")

        class Killed(BaseException):
            pass

        def evolve(*args: Any, **kwargs: Any) -> Iterator[Any]:
            for progress in original(*args, **kwargs):
                if progress.record.gen == generations:
                    raise Killed
                yield progress

        original = session.evolve
        with monkeypatch.context() as patch:
            patch.setattr(session, "evolve", evolve)
            patch.setattr(session, "_FIRST_COST", 0.0)
            with pytest.raises(Killed):
                mococo(*train_words(path, "--num-gens", "6"))
        return path

    return make


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mococo.cli.main import main

    path = tmp_path_factory.mktemp("whole") / "run"
    assert main([*train_words(path, "--num-gens", "6")]) == 0
    return path


def test_a_run_goes_on_from_its_checkpoint(mococo: Run, stopped: Callable[[int], Path], whole: Path) -> None:
    path = stopped(4)
    assert (path / "checkpoint.npz").exists()
    torn = path / "events.jsonl"
    torn.write_bytes(torn.read_bytes() + b'{"gen": 4, "eval')
    (path / ".archive.json.abc.tmp").write_text("half")
    answer = mococo("resume", path)
    assert answer.code == 0
    assert answer.err.startswith("Going on after generation ")
    assert "Generation 6/6" in answer.err
    assert contents(path) == contents(whole)
    assert [record.gen for record in read_run(path).history] == list(range(6))
    assert sorted(file.name for file in path.iterdir()) == sorted(file.name for file in whole.iterdir())


def test_without_a_checkpoint_it_begins_again(mococo: Run, stopped: Callable[[int], Path], whole: Path) -> None:
    path = stopped(3)
    (path / "checkpoint.npz").unlink()
    answer = mococo("resume", path)
    assert answer.err.startswith("There is no checkpoint: the run begins again from its seed.\n")
    assert contents(path) == contents(whole)


def test_generations_may_be_added(mococo: Run, whole: Path) -> None:
    assert mococo(*train_words(Path("run"), "--num-gens", "3")).code == 0
    assert mococo("resume", "run", "--num-gens", "6", "--quiet").out == "run\n"
    assert contents(Path("run")) == contents(whole)


def test_a_finished_run_is_left_as_it_is(mococo: Run, whole: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in whole.rglob("*") if path.is_file()}
    answer = mococo("resume", whole)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{whole} is finished, all 6 generations: nothing to do. To add some: --num-gens N\n"
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in whole.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--beta", "2"],
            "beta cannot change when a run is resumed: it is 1.125, got 2.0. Only num_gens may be raised",
        ),
        (["--subspecies", "2x2"], "subspecies cannot change when a run is resumed: it is ((2, 2), (3, 3)"),
        (["--num-gens", "5"], "num_gens may only be raised when a run is resumed; it is 6, got 5"),
        (["--patience", "0"], "patience must be a whole number >= 1, got 0"),
        (["--max-time", "soon"], "--max-time must be a time such as 90s, 10m or 1h30m, got 'soon'"),
        (["--at-complexity", "5"], "at_complexity belongs to a target; give a target too"),
    ],
)
def test_what_may_not_change_is_named(mococo: Run, whole: Path, words: list[str], message: str) -> None:
    answer = mococo("resume", whole, *words)
    assert answer.code == 2
    assert answer.err.startswith(f"mococo: {message}")


def test_a_setting_that_is_given_again_as_it_was_is_fine(mococo: Run, whole: Path) -> None:
    assert mococo("resume", whole, "--beta", "1.125", "--subspecies", "2x2,3x3,4x4,5x5").code == 0


def test_settings_changed_by_hand_are_noticed(mococo: Run, stopped: Callable[[int], Path]) -> None:
    path = stopped(3)
    config = path / "config.json"
    config.write_text(config.read_text().replace('"beta": 1.125', '"beta": 1.25'))
    answer = mococo("resume", path)
    assert answer.code == 2
    assert "its checksum is not that of its contents" in answer.err


def test_a_checkpoint_of_another_run_is_refused(mococo: Run, stopped: Callable[[int], Path]) -> None:
    path = stopped(3)
    assert mococo(*train_words(Path("other"), "--beta", "2")).code == 0
    shutil.copy("other/checkpoint.npz", path / "checkpoint.npz")
    answer = mococo("resume", path)
    assert answer.code == 2
    assert "it was written with other settings than those in config.json; remove it to let" in answer.err


def test_a_checkpoint_of_another_seed_is_refused(mococo: Run, stopped: Callable[[int], Path]) -> None:
    path = stopped(3)
    assert mococo(*train_words(Path("other"), "--num-gens", "6", seed=2)).code == 0
    shutil.copy("other/checkpoint.npz", path / "checkpoint.npz")
    answer = mococo("resume", path)
    assert answer.code == 2
    assert "checkpoint.npz: it is not of this run: MountainCar-v0, seed 1; remove it to let" in answer.err


@pytest.mark.parametrize("replaced", [False, True])
def test_a_folder_that_is_taken_away_ends_the_run_and_what_is_there_now_is_left_alone(
    mococo: Run, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    path = Path("run")
    original = session.evolve

    def evolve(*args: Any, **kwargs: Any) -> Iterator[Any]:
        for progress in original(*args, **kwargs):
            if progress.record.gen == 2:
                path.rename("away")
                if replaced:
                    shutil.copytree("away", path)
            yield progress

    monkeypatch.setattr(session, "evolve", evolve)
    answer = mococo(*train_words(path))
    assert answer.code == 2
    assert answer.err.startswith("mococo: run was removed or replaced, or its .lock was, while it was written; ")
    assert path.exists() == replaced
    assert not replaced or (path / "events.jsonl").read_bytes().count(b"\n") == 2


def test_links_are_not_written_through(mococo: Run, stopped: Callable[[int], Path], whole: Path) -> None:
    path = stopped(3)
    events = Path("events elsewhere")
    shutil.move(path / "events.jsonl", events)
    (path / "events.jsonl").symlink_to(events.absolute())
    Path("elsewhere").mkdir()
    Path("elsewhere/complexity-99.json").write_text("mine")
    (path / "policies").symlink_to(Path("elsewhere").absolute())
    before = events.read_bytes()
    assert mococo("resume", path).code == 0
    assert events.read_bytes() == before
    assert [file.name for file in Path("elsewhere").iterdir()] == ["complexity-99.json"]
    assert contents(path) == contents(whole)


@pytest.mark.parametrize(
    "name",
    ["a b", "a\nb", "ü 東京 🦎", "-x", os.fsdecode(b"not\xfftext"), "link"],
    ids=("blank", "line", "far", "dash", "bytes", "link"),
)
def test_a_folder_may_have_any_name(mococo: Run, whole: Path, name: str) -> None:
    if name == "link":
        Path("real").mkdir()
        Path(name).symlink_to("real")
    path = f"./{name}" if name.startswith("-") else name
    words = train_words(Path("out"), "--num-gens", "3", "--json")
    assert mococo(*[path if word == "out" else word for word in words]).code == 0
    answer = mococo("resume", path, "--num-gens", 6)
    assert answer.code == 0
    assert contents(Path(name)) == contents(whole)
    shown = shlex.split(answer.out.rsplit("To see more: ", 1)[1])
    assert name.startswith("not") or mococo(*shown[1:]).code == 0
    assert mococo("report", path).code == 0


@pytest.mark.parametrize("command", ["train", "resume", "show", "report", "watch", "evaluate", "verify-run"])
@pytest.mark.parametrize("name", ["x" * 300, "abcdefghi/" * 500], ids=("name", "path"))
def test_a_path_that_is_too_long_is_one_line(mococo: Run, command: str, name: str) -> None:
    answer = mococo(*((*CAR, "-o") if command == "train" else (command,)), name)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"mococo: '{name[:100]}")
    assert answer.err.endswith("...: File name too long\n")


def test_an_environment_of_ones_own_has_to_be_named_again(mococo: Run) -> None:
    own = Path(__file__).parents[2] / "examples" / "own_environment.py"
    sizes = ("--num-gens", "2", "--db-pop-size", "6", "--rb-pop-size", "8", "--threads", "1", "--quiet")
    # As processes: what has been imported once is known for as long as a process lives.
    for words, code in (
        (["train", own, *sizes, "-o", "run"], 0),
        (["resume", "run", "--num-gens", "3"], 2),
        (["resume", "run", "--num-gens", "3", "--quiet", "--import", own], 0),
        (["verify-run", "run", "--quiet", "--import", own], 0),
    ):
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, env=environment())
        assert done.returncode == code, done.stderr
        assert not code or done.stderr.endswith(
            "is not one of Mococo's; name the file that holds it: --import FILE.py\n"
        )


# ---------------------------------------------------------------- locks


def test_a_folder_in_use_is_refused_with_who_uses_it(mococo: Run, whole: Path) -> None:
    who = f"in use by pid {os.getpid()} on {os.uname().nodename}; wait for it or stop it"
    with lock.locked(whole):
        for words in (["resume", whole, "--num-gens", "7"], [*CAR, "-o", whole], [*CAR, "-o", whole, "--overwrite"]):
            answer = mococo(*words)
            assert answer.code == 2
            assert who in answer.err
    assert not (whole / lock.NAME).exists()


def test_a_lock_that_a_dead_process_left_locks_nothing(mococo: Run, stopped: Callable[[int], Path]) -> None:
    path = stopped(2)
    (path / lock.NAME).write_text("pid 1 on another\n")
    assert mococo("resume", path).code == 0
    Path("empty").mkdir()
    Path("empty", lock.NAME).write_text("pid 1 on another\n")
    assert mococo(*train_words(Path("empty"))).code == 0


def test_a_lock_that_is_a_link_is_not_followed(mococo: Run, stopped: Callable[[int], Path]) -> None:
    path = stopped(2)
    Path("mine").write_text("mine")
    (path / lock.NAME).symlink_to(Path("mine").absolute())
    assert mococo("resume", path).code == 2
    assert Path("mine").read_text() == "mine"
