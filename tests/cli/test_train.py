"""`mococo train`: what it prints and saves, what it refuses, and where its settings come from."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mococo as package
from mococo import Config
from mococo.cli.main import main
from mococo.cli.settings import descriptions
from mococo.runs.reading import read_run
from tests.cli.conftest import COMMAND, SMALL, Run, begun, contents, environment, train_words, wait_until

CAR = ("train", "MountainCar-v0")


def test_a_run_is_saved_and_told(mococo: Run, tmp_path: Path) -> None:
    answer = mococo(*CAR, *SMALL)
    assert answer.code == 0
    path = Path("runs/MountainCar-v0-seed0")
    run = read_run(path)
    assert run.complete
    assert "The best policies found. Mean return from 30 training starts" in answer.out
    for member in run.archive:
        numbers = rf"{member.performance:.2f} +{member.fresh_performance:.2f} +-[\d.]+ to -[\d.]+ +-?[\d.]+ +\d"
        row = rf"^ +{member.complexity} +{numbers}"
        assert re.search(row, answer.out, re.MULTILINE)
        loaded = package.load(path / "policies" / f"complexity-{member.complexity:02d}.json")
        assert loaded == member.policy
    best = max(run.archive, key=lambda member: member.performance)
    assert f"The best policy, complexity {best.complexity}:" in answer.out
    for number, rule in enumerate(best.policy.rules, 1):
        assert f"\n  {number}. {rule}\n" in answer.out
    n = sum(member.count for member in run.front)
    assert f"F_1 of the last generation: {n} solution" in answer.out
    assert answer.out.endswith(f"\nSaved in {path}\nTo see more: mococo show {path}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["runs"]


def test_where_there_is_no_terminal_a_few_plain_lines_tell_how_it_goes(mococo: Run) -> None:
    answer = mococo(*CAR, *SMALL, "--num-gens", "40")
    lines = [line for line in answer.err.splitlines() if not line.startswith("Compiling")]
    assert [re.split(r"[ /]", line)[1] for line in lines] == [
        "1",
        "4",
        "8",
        "12",
        "16",
        "20",
        "24",
        "28",
        "32",
        "36",
        "40",
    ]
    assert all(re.search(r"best( \d+:-\d+\.\d)+$", line) for line in lines)
    assert re.search(r"evaluations/s, [\d.]+ [kMG] steps/s, [\d.:]+( s)? left, best", lines[1])
    assert re.search(r"Generation 40/40: [\d,]+ evaluations in", lines[-1])
    assert "\x1b" not in answer.err + answer.out


def test_quiet_prints_the_folder_alone(mococo: Run) -> None:
    answer = mococo(*CAR, *SMALL, "--quiet", "-o", "a b")
    assert (answer.code, answer.out, answer.err) == (0, "a b\n", "")


def test_a_hint_can_be_pasted(mococo: Run) -> None:
    assert "mococo show 'a b'\n" in mococo(*CAR, *SMALL, "-o", "a b").out


def test_the_same_seed_gives_the_same_bytes(mococo: Run) -> None:
    assert mococo(*train_words(Path("a"), "--threads", "1")).code == 0
    assert mococo(*train_words(Path("b"), "--threads", "2")).code == 0
    assert mococo(*train_words(Path("c"), seed=2)).code == 0
    assert contents(Path("a")) == contents(Path("b"))
    assert Path("a/archive.json").read_bytes() != Path("c/archive.json").read_bytes()


def test_two_individuals_in_each_population_are_enough(mococo: Run) -> None:
    for seed in range(6):  # some of them never pair a rule base with a partition
        answer = mococo(*CAR, "--num-gens", 2, "--db-pop-size", 2, "--rb-pop-size", 2, "--seed", seed)
        assert answer.code == 0
        assert mococo("show", f"runs/MountainCar-v0-seed{seed}").code == 0
    answer = mococo(*CAR, *SMALL, "--db-pop-size", 2, "--rb-pop-size", 2, "--subspecies", "2x2")
    assert "1 training" not in answer.out


# ---------------------------------------------------------------- settings


def test_the_command_line_counts_over_the_file_and_the_file_over_the_defaults(mococo: Run) -> None:
    Path("s.toml").write_text('num_gens = 2\nbeta = 2\nsubspecies = "2x2,3x2"\nrb_pop_size = 10\n')
    assert mococo(*CAR, *SMALL, "--config", "s.toml", "--num-gens", "3", "-o", "run").code == 0
    config = read_run(Path("run")).config
    assert (config.num_gens, config.beta, config.subspecies) == (3, 2.0, ((2, 2), (3, 2)))
    assert (config.db_pop_size, config.rb_pop_size, config.eta) == (20, 40, 30)


def test_settings_may_be_written_with_underscores_and_lists(mococo: Run) -> None:
    Path("s.toml").write_text("subspecies = [[2, 2]]\n")
    assert mococo(*CAR, *SMALL, "--config=s.toml", "--rb_p_mut=0.5", "-o", "run").code == 0
    config = read_run(Path("run")).config
    assert (config.subspecies, config.rb_p_mut) == (((2, 2),), 0.5)


def test_every_setting_is_an_option_with_its_description(mococo: Run) -> None:
    assert tuple(descriptions()) == Config.__struct_fields__
    text = " ".join(mococo("train", "--help").out.split())
    for name, description in descriptions().items():
        assert f"--{name.replace('_', '-')} " in text
        assert f"{description} (default:" in text


# ---------------------------------------------------------------- refused, with nothing written


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "MountainCar-v1"], "unknown environment 'MountainCar-v1'. Did you mean MountainCar-v0?"),
        ([*CAR, "--num-gen", "3"], "unknown option --num-gen. Did you mean --num-gens? See mococo train --help"),
        (
            [*CAR, "--num-gens", "0"],
            "num_gens must be a whole number >= 1, because generation 0 is always evaluated, got 0",
        ),
        (
            [*CAR, "--num-gens", "2.5"],
            "Error parsing --num-gens: expected a whole number, got '2.5'. See mococo train --help",
        ),
        ([*CAR, "--beta", "nan"], "beta must be a finite number >= 1 (1 shares the search equally), got nan"),
        ([*CAR, "--beta", "x"], "Error parsing --beta: expected a number, got 'x'. See mococo train --help"),
        (
            [*CAR, "--db-pop-size", "3"],
            "db_pop_size must be an even number >= 2, because breeding adds children in pairs, got 3; use 2 or 4",
        ),
        ([*CAR, "--subspecies", "2x"], "subspecies must be written like 2x2,3x3 (sets of each feature), got '2x'"),
        (
            [*CAR, "--subspecies", "2x2x2"],
            "a subspecies tag needs one number of sets for each of the 2 features, got 2x2x2 with 3",
        ),
        ([*CAR, "--seed", "-1"], "seed must be a whole number >= 0, got -1"),
        ([*CAR, "--threads", "0"], "threads must be a whole number >= 1, got 0"),
        ([*CAR, "--quiet=yes"], "unexpected argument 'yes'. See mococo train --help"),
        ([*CAR, "--config", "no.toml"], "no.toml: cannot be read (No such file or directory)"),
        ([*CAR, "--config", "."], ".: expected a TOML file of settings, but it is not a file"),
    ],
)
def test_bad_words_are_refused(mococo: Run, tmp_path: Path, words: list[str], message: str) -> None:
    answer = mococo(*words)
    assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_gen = 3", "s.toml: unknown setting 'num_gen'. Did you mean num_gens?"),
        ("seed = 3", "s.toml: 'seed' is not a setting of the algorithm; give it on the command line"),
        ('beta = "x"', "s.toml: beta must be a number, got 'x'"),
        ("rb_p_mut = 1.5", "s.toml: rb_p_mut must be a probability between 0 and 1, got 1.5"),
        ("subspecies = 3", "s.toml: subspecies must be a non-empty list of tags such as (2, 2), got 3"),
        ("beta = [", "s.toml: not valid TOML (Invalid value (at end of document))"),
        ("\xff", "s.toml: not valid TOML ("),
        ("#" * 2**21, "s.toml: larger than 1048576 bytes, so it is not a file of settings"),
    ],
)
def test_bad_files_are_refused(mococo: Run, text: str, message: str) -> None:
    Path("s.toml").write_bytes(text.encode("latin-1"))
    answer = mococo(*CAR, "--config", "s.toml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"mococo: {message}")
    assert answer.err.count("\n") == 1
    assert not Path("runs").exists()


# ---------------------------------------------------------------- folders


def test_a_run_is_replaced_only_when_told(mococo: Run) -> None:
    assert mococo(*train_words(Path("run"))).code == 0
    before = Path("run/archive.json").read_bytes()
    answer = mococo(*train_words(Path("run"), seed=2))
    assert (answer.code, answer.err) == (
        2,
        "mococo: run already holds a run (MountainCar-v0, seed 1); "
        "replace it with --overwrite or name another folder with -o\n",
    )
    assert Path("run/archive.json").read_bytes() == before

    Path("run/notes.txt").write_text("mine")
    Path("run/policies/complexity-99.json").write_text("of the old run")
    assert mococo(*train_words(Path("run"), "--overwrite", seed=2)).code == 0
    assert read_run(Path("run")).seed == 2
    assert Path("run/notes.txt").read_text() == "mine"
    assert not Path("run/policies/complexity-99.json").exists()


@pytest.mark.parametrize("overwrite", [(), ("--overwrite",)])
def test_a_folder_with_anything_else_is_left_alone(mococo: Run, overwrite: tuple[str, ...]) -> None:
    Path("mine").mkdir()
    Path("mine/config.json").write_text('{"format": "another", "version": 1}')
    answer = mococo(*CAR, *SMALL, "-o", "mine", *overwrite)
    assert answer.code == 2
    assert answer.err.startswith("mococo: mine is not empty and does not hold a run that this release can read")
    assert ("--overwrite replaces only runs" in answer.err) == bool(overwrite)
    assert [path.name for path in Path("mine").iterdir()] == ["config.json"]


def test_an_empty_folder_may_be_used(mococo: Run) -> None:
    Path("empty").mkdir()
    assert mococo(*train_words(Path("empty"))).code == 0
    assert read_run(Path("empty")).complete


def test_a_folder_that_cannot_be_made(mococo: Run) -> None:
    Path("file").write_text("")
    answer = mococo(*CAR, *SMALL, "-o", "file")
    assert answer.err == "mococo: file is a file, but a run needs a folder; name another with -o\n"
    answer = mococo(*CAR, *SMALL, "-o", "file/run")
    assert answer.code == 2
    assert answer.err == "mococo: file/run cannot be written (Not a directory); name another folder with -o\n"


# ---------------------------------------------------------------- as a process


# The tests may run as a shell's background job, which is deaf to Ctrl-C, and so would be what it starts.
HEARS_CONTROL_C = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from mococo.cli.main import main
sys.exit(main())
"""


def test_control_c_saves_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-c", HEARS_CONTROL_C, *CAR, *SMALL, "--num-gens", "1000000", "-o", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        wait_until(lambda: begun(path))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    run = read_run(path)
    assert run.finished
    assert not run.complete
    assert run.archive
    n = len(run.history)
    assert err.endswith(f"mococo: stopped after generation {n} of 1000000; to go on: mococo resume {path}\n")
    assert "mococo: finishing this generation; once more to leave at once\n" in err
    assert "Saved in" in out


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_twice_leaves_at_once(tmp_path: Path, threads: int) -> None:
    """Also in the middle of a generation, which on one thread is one long call of compiled code."""
    path = tmp_path / "run"
    large = ["--db-pop-size", "40000", "--rb-pop-size", "80000", "--eta", "2000", "--threads", str(threads)]
    process = subprocess.Popen(
        [sys.executable, "-c", HEARS_CONTROL_C, *CAR, *large, "-o", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        wait_until((path / "config.json").exists, 60)
        time.sleep(1)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    told = "mococo: finishing this generation; once more to leave at once\nmococo: left at once\n"
    assert [line for line in err.splitlines() if line.startswith("mococo")] == told.splitlines()


def test_control_c_before_the_first_generation_leaves_nothing(mococo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mococo.runs.session.evolve", interrupted)
    answer = mococo(*CAR, *SMALL, "-o", "run")
    assert (answer.code, answer.out) == (130, "")
    assert answer.err == "mococo: stopped before the first generation was evaluated; nothing was saved\n"
    assert not Path("run").exists()


def test_a_file_that_cannot_grow_gives_one_line(tmp_path: Path) -> None:
    # A checkpoint, which a slow machine writes after any generation, fits below this; 300 lines of events do not.
    limited = f"ulimit -f 40; exec {COMMAND} {' '.join(train_words(tmp_path / 'run', '--num-gens', '300'))}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 2
    run = tmp_path / "run"
    advice = f"what was saved before is intact: mend this, then mococo resume {run}"
    assert done.stderr == f"mococo: {run} cannot be written (File too large); {advice}\n"
    assert len(json.loads(f"[{','.join((tmp_path / 'run' / 'events.jsonl').read_text().splitlines()[:-1])}]")) > 1


def test_a_seed_that_a_file_cannot_keep_is_refused(mococo: Run) -> None:
    answer = mococo(*CAR, "--seed", 2**63, "-o", "big")
    assert answer.code == 2
    assert "seed must be below 2**63, because files keep no larger numbers, got 9223372036854775808" in answer.err
    assert not Path("big").exists()


@pytest.mark.slow
def test_the_compiler_is_announced(tmp_path: Path) -> None:
    cold = environment(MOCOCO_CACHE_DIR=str(tmp_path / "cache"))
    words = [COMMAND, *CAR, *SMALL, "-o"]
    done = subprocess.run([*words, tmp_path / "a"], capture_output=True, text=True, check=True, env=cold)
    assert "Compiling the simulator for this machine, once: part 5 of 7, rollouts ...\n" in done.stderr
    done = subprocess.run([*words, tmp_path / "b"], capture_output=True, text=True, check=True, env=cold)
    assert done.stderr.startswith("Generation 1/4: ")
    # What was compiled just now and what was loaded, there or from the usual place, compute the same bits.
    assert main([*CAR, *SMALL, "-o", str(tmp_path / "c"), "--quiet", "--threads", "1"]) == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b") == contents(tmp_path / "c")
