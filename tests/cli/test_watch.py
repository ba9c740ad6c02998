"""`mococo watch` as a process; what the page shows is in tests/browser."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from pathlib import Path

from mococo.report.following import Follower
from tests.cli.conftest import COMMAND, Run, environment


def test_it_tells_its_address_and_ends_with_ctrl_c(small_run: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "watch", small_run], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:")
        assert line.endswith(f"  follows {small_run}; it ends with the run and the page, or with Ctrl-C\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_what_is_refused(mococo: Run, small_run: Path) -> None:
    Path("many").mkdir()
    Path("many/experiment.json").touch()
    damaged = Path(shutil.copytree(small_run, "damaged"))
    (damaged / "config.json").write_text("{")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        for words, message in [
            (["no"], "no does not hold a run: it has no config.json"),
            (["many"], "many holds many seeds; watch one of them, such as mococo watch many/seed-0"),
            ([small_run, "--port", -1], "--port must be between 0 and 65535, got -1"),
            ([small_run, "--port", 70000], "--port must be between 0 and 65535, got 70000"),
            ([small_run, "--port", port],
             f"port {port} cannot be used (Address already in use); name another with --port, or none to have one "
             f"chosen"),
        ]:  # fmt: skip
            answer = mococo("watch", *words)
            assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
        answer = mococo("watch", "damaged")
        assert answer.code == 2
        assert answer.err.startswith("mococo: damaged/config.json: expected JSON as Mococo writes it, but the text is")


def test_states_of_a_run(small_run: Path, tmp_path: Path) -> None:
    follower = Follower(small_run)
    follower.look()
    assert (follower.state, follower.ended, follower.error, len(follower.history)) == ("ended", "", "", 4)
    path = Path(shutil.copytree(small_run, tmp_path / "killed"))
    (path / "archive.json").unlink()
    (path / ".lock").write_text("pid 999999999 on " + socket.gethostname())
    follower = Follower(path)
    follower.look()
    assert (follower.state, follower.ended, len(follower.history)) == ("stopped", "", 4)
    (path / ".lock").write_text("pid 1 on another-machine")
    follower.look()
    assert follower.state == "running"


def test_a_run_that_goes_back_is_told_from_the_beginning(small_run: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(small_run, tmp_path / "run"))
    follower = Follower(path)
    follower.look()
    assert len(follower.news(1).records) == 3
    lines = (path / "events.jsonl").read_bytes().splitlines(keepends=True)
    (path / "new").write_bytes(b"".join(lines[:2]))
    (path / "new").replace(path / "events.jsonl")
    follower.look()
    assert (follower.rewound, len(follower.history)) == (1, 2)
    assert follower.news(4).begin == 2
