"""300 damaged run folders: a clear error or the right answer, never a traceback, a hang or a gigabyte."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from mococo.cli.main import main
from mococo.runs.folder import write_config
from mococo.runs.reading import read_config
from tests.cli.conftest import environment


def make_longer(run: Path) -> None:
    """As if it had been killed after its checkpoint."""
    for name in ("archive.json", "front.json"):
        (run / name).unlink()
    record = read_config(run)
    write_config(run, msgspec.structs.replace(record, settings=msgspec.structs.replace(record.settings, num_gens=5)))


@pytest.mark.slow
def test_300_damaged_folders(tmp_path: Path) -> None:
    small = ["--db-pop-size", "6", "--rb-pop-size", "8", "--threads", "1", "--quiet"]
    runs = tmp_path / "runs"
    assert main(["train", "MountainCar-v0", "--num-gens", "3", "-o", str(runs / "finished"), *small]) == 0
    shutil.copytree(runs / "finished", runs / "unfinished")
    make_longer(runs / "unfinished")
    assert (
        main(["train", "MountainCar-v0", "--num-gens", "9", "-o", str(runs / "stopped"), "--patience", "1", *small])
        == 0
    )
    real = ["--num-gens", "3", "--eta", "2", "--t-max", "20", "-o", str(runs / "gymnasium")]
    assert main(["train", "CliffWalking-v1", *real, *small]) == 0
    (tmp_path / "into").mkdir()
    done = subprocess.run(
        [sys.executable, Path(__file__).parent / "damage.py", runs, tmp_path / "into", "300"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    summary = re.fullmatch(r"300 folders, 0 wrong, peak (\d+) MiB", done.stdout.splitlines()[-1])
    assert summary
    assert int(summary[1]) < 1024
