"""The overview, the version, what is refused, and how fast `--help` answers."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from mococo.cli.main import COMMANDS
from tests.cli.conftest import COMMAND, Run, environment


def test_help_lists_every_command(mococo: Run) -> None:
    answer = mococo("--help")
    assert answer.code == 0
    assert not answer.err
    width = max(map(len, COMMANDS))
    for name, does in COMMANDS.items():
        assert f"  {name:<{width}}  {does}" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 80


def test_no_words_give_the_help_but_are_no_success(mococo: Run) -> None:
    answer = mococo()
    assert answer.code == 2
    assert "usage: mococo COMMAND" in answer.err
    assert not answer.out


def test_version(mococo: Run) -> None:
    assert mococo("--version").out == f"mococo {version('mococo')}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(mococo: Run, command: str) -> None:
    answer = mococo(command, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"usage: mococo {command} ")
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    assert answer.out.isascii() or "±" in answer.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trian"], "unknown command 'trian'. Did you mean train?"),
        (["xyz"], f"unknown command 'xyz'. Known: {', '.join(sorted(COMMANDS))}."),
        (["--hepl"], "unknown option '--hepl'. Did you mean --help?"),
        (["train"], "ENV is missing: Environment, for example MountainCar-v0. See mococo train --help"),
        (["show"], "PATH is missing: Folder of a run or of many seeds, or file of a policy. See mococo show --help"),
        (
            ["solve", "MountainCar-v0", "--bin", "9"],
            "unknown option --bin. Did you mean --bins? See mococo solve --help",
        ),
        (["show", "a", "b"], "unexpected argument 'b'. See mococo show --help"),
        (["solve", "MountainCar-v0", "--bins"], "Missing value for argument '--bins'. See mococo solve --help"),
        (
            ["solve", "MountainCar-v0", "--bins", "many"],
            "Error parsing --bins: expected a whole number, got 'many'. See mococo solve --help",
        ),
    ],
)
def test_words_that_cannot_be_understood(mococo: Run, words: list[str], message: str) -> None:
    answer = mococo(*words)
    assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")


def test_an_error_of_ours_keeps_its_traceback(mococo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("mococo.cli.show.open_source", broken)
    with pytest.raises(ZeroDivisionError):
        mococo("show", "x")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "mococo: stopped\n"),
        (
            MemoryError("Unable to allocate 7 TiB"),
            1,
            "mococo: not enough memory (Unable to allocate 7 TiB); ask for less\n",
        ),
        (MemoryError(), 1, "mococo: not enough memory; ask for less\n"),
    ],
)
def test_an_interruption_is_one_line(
    mococo: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    def interrupted(_: object) -> None:
        raise error

    monkeypatch.setattr("mococo.cli.show.open_source", interrupted)
    answer = mococo("show", "x")
    assert (answer.code, answer.err) == (code, message)


def test_a_reader_that_goes_away_is_no_error(small_run: Path) -> None:
    # As in `mococo show RUN | head -1`, but so that the pipe is surely closed before the first line is written.
    process = subprocess.Popen(
        [COMMAND, "show", small_run], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait() == 141


def test_help_imports_nothing_slow() -> None:
    script = (
        "import sys; from mococo.cli.main import main; main(['--help']); "
        "print(sorted({'numpy', 'numba', 'gymnasium', 'rich', 'tyro', 'msgspec'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_help_answers_at_once() -> None:
    def seconds(*words: object) -> float:
        began = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    nothing = min(seconds(sys.executable, "-c", "pass") for _ in range(5))
    assert min(seconds(COMMAND, "--help") for _ in range(5)) <= 3 * nothing + 0.25
