"""A disk that is full, read-only, or lets no file grow: one clear line, and the last good state stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, environment

OWN_SPACE = ("unshare", "--map-root-user", "--mount")
WHY = {"mount": "No space left on device", "limit": "File too large"}


@cache
def may_mount() -> bool:
    """Whether this user may mount, if only in a name space of its own, as containers often forbid."""
    words = [*OWN_SPACE, "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module", params=["mount", "limit"])
def way(request: pytest.FixtureRequest) -> str:
    if request.param == "mount" and not may_mount():
        pytest.skip("this machine lets nobody mount; the limit on a file's size stands for the full disk")
    return str(request.param)


@pytest.fixture(scope="module")
def experiments(way: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    top = tmp_path_factory.mktemp("disk")
    own = OWN_SPACE if way == "mount" else ()
    words = [*own, sys.executable, Path(__file__).parent / "small_disk.py", top, way]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment())
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_with_too_little_room_a_run_ends_with_one_line_and_goes_on_when_there_is_more(
    experiments: list[dict[str, Any]], way: str
) -> None:
    tried = [experiment for experiment in experiments if "kib" in experiment]
    assert len(tried) == 3
    for experiment in tried:
        failed = experiment["failed"]
        assert failed["code"] == 2
        assert f"/run cannot be written ({WHY[way]}); " in failed["err"]
        assert failed["err"].count("\n") == 1
        assert experiment["again"] == {"code": 0, "err": ""}
        assert experiment["equal"]
        if experiment["left"] is None:
            assert failed["err"].endswith("; name another folder with -o\n")
        else:
            assert "what was saved before is intact: mend this, then mococo resume /" in failed["err"]
            assert not [name for name in experiment["left"] if name.endswith(".tmp")]
    assert tried[0]["left"] is None  # nothing half-written
    assert tried[1]["left"] == ["config.json", "events.jsonl"]


def test_the_last_good_checkpoint_stays(experiments: list[dict[str, Any]], way: str) -> None:
    (later,) = (experiment["later"] for experiment in experiments if "later" in experiment)
    assert later["failed"]["code"] == 2
    assert WHY[way] in later["failed"]["err"]
    assert later["kept"]
    assert later["again"] == {"code": 0, "err": ""}
    assert later["equal"]


@pytest.mark.parametrize("way", ["mount"], indirect=True)  # root may write everywhere else
def test_a_read_only_folder_is_named(experiments: list[dict[str, Any]]) -> None:
    (told,) = (experiment["read_only"] for experiment in experiments if "read_only" in experiment)
    ending = "cannot be written (Read-only file system); {}\n"
    for name in ("train", "overwrite", "seeds"):
        assert told[name]["code"] == 2
        assert told[name]["err"].endswith(ending.format("name another folder with -o"))
    assert told["resume"]["code"] == 2
    assert told["resume"]["err"].endswith(ending.format("make it writable, or resume a copy"))
    assert told["show"]["code"] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("command", ["show", "resume"])
def test_output_that_finds_no_room_is_one_line(small_run: Path, command: str) -> None:
    with Path("/dev/full").open("w") as full:
        words = [COMMAND, command, small_run]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment())
    assert done.stderr == f"mococo: the output cannot be written ({os.strerror(28)})\n"
    assert done.returncode == 2
