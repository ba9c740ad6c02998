"""The live display on a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, SMALL, environment


def on_terminal(columns: int, *words: object, term: str = "xterm", **more: str) -> str:
    """Everything that a terminal of this width would receive."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [COMMAND, *map(str, words)], stdin=its, stdout=its, stderr=its, env=environment(TERM=term, **more)
    )
    os.close(its)
    received = bytearray()
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            break
        if not part:
            break
        received += part
    os.close(ours)
    assert process.wait() == 0
    return received.decode()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_bar_is_drawn(tmp_path: Path, columns: int) -> None:
    text = on_terminal(columns, "train", "MountainCar-v0", *SMALL, "--num-gens", "30", "-o", tmp_path / "run")
    assert "Generation  0/30" in text
    assert "Generation 30/30" in text
    assert "━" in text
    assert "100 %" in text
    assert "Best at each complexity" in text
    assert "\x1b[?25h" in text.rsplit("\x1b[?25l", 1)[1]  # the cursor is back


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    text = on_terminal(80, "train", "MountainCar-v0", *SMALL, "-o", tmp_path / "run", term="dumb")
    assert "\x1b" not in text
    assert "Generation 4/4: " in text


@pytest.mark.parametrize("command", ["show", "evaluate"])
def test_a_run_is_readable_at_80_columns_and_without_colour(small_run: Path, command: str) -> None:
    text = on_terminal(80, command, small_run, NO_COLOR="1")
    assert "\x1b" not in text
    short = [line for line in text.splitlines() if str(small_run) not in line]
    assert max(len(line) for line in short) <= 80


def test_colours_are_the_terminals_own_and_add_nothing_to_the_text(small_run: Path) -> None:
    coloured, bare = on_terminal(80, "show", small_run), on_terminal(80, "show", small_run, NO_COLOR="1")
    assert "\x1b[36m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == bare
    piped = subprocess.run([COMMAND, "show", small_run], capture_output=True, check=True, env=environment(), text=True)
    assert piped.stdout.split() == bare.split()  # a pipe gets rules in one line each
