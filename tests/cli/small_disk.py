"""Run as a process, for `test_full_disk.py`: trains and resumes on a disk that is too small, and then has room again.

Arguments: an empty folder, and "mount" (a small tmpfs is mounted there, for which the process needs a name space of its
own) or "limit" (no file may grow beyond a limit). Prints a line of JSON for each experiment.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from mococo.cli.main import main
from mococo.runs import session

TRAIN = ["train", "MountainCar-v0", "--db-pop-size", "20", "--rb-pop-size", "40", "--threads", "1", "--quiet"]
SIZES = {"mount": (4, 16, 48), "limit": (0, 2, 20)}  # KiB; the first has no room for a single file


def mococo(*words: object) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return {"code": code, "err": err.getvalue()}


class Mount:
    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", path], check=True)

    def hold(self, kib: int) -> None:
        self.remount(f"size={kib}k")

    def free(self) -> None:
        self.remount("size=64m")

    def remount(self, how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", self.path], check=True)


class Limit:
    def hold(self, kib: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024, resource.RLIM_INFINITY))

    def free(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def contents(run: Path) -> dict[str, str]:
    return {str(file.relative_to(run)): file.read_bytes().hex() for file in run.rglob("*") if file.is_file()}


def without_times(run: Path) -> dict[str, str]:
    return {name: text for name, text in contents(run).items() if name not in ("events.jsonl", "checkpoint.npz")}


def from_the_beginning(disk: Mount | Limit, kib: int, run: Path, expected: dict[str, str]) -> dict[str, Any]:
    """A run on a disk that is too small; then there is room, and it is resumed."""
    disk.hold(kib)
    failed = mococo(*TRAIN, "--num-gens", 6, "-o", run)
    left = sorted(contents(run)) if run.exists() else None
    disk.free()
    again = mococo("resume", run, "--quiet") if left else mococo(*TRAIN, "--num-gens", 6, "-o", run)
    return {"failed": failed, "left": left, "again": again, "equal": without_times(run) == expected}


def later(disk: Mount | Limit, run: Path, expected: dict[str, str]) -> dict[str, Any]:
    """A run that has a good checkpoint when it is made longer and the disk is full."""
    assert mococo(*TRAIN, "--num-gens", 2, "-o", run)["code"] == 0
    before = contents(run)
    used = sum(file.stat().st_size for file in run.rglob("*")) // 1024
    disk.hold(used + 28 if isinstance(disk, Mount) else 8)
    failed = mococo("resume", run, "--num-gens", 6, "--quiet", "--threads", 1)
    after = contents(run)
    kept = all(after[name] == before[name] for name in before if name not in ("events.jsonl", "config.json"))
    disk.free()
    again = mococo("resume", run, "--num-gens", 6, "--quiet", "--threads", 1)
    equal = without_times(run) == expected
    return {"failed": failed, "kept": kept, "again": again, "equal": equal}


def read_only(disk: Mount, run: Path) -> dict[str, Any]:
    disk.remount("ro")
    told = {
        "train": mococo(*TRAIN, "-o", run.parent / "new"),
        "overwrite": mococo(*TRAIN, "-o", run, "--overwrite"),
        "resume": mococo("resume", run, "--num-gens", 9),
        "show": mococo("show", run),
        "seeds": mococo(*TRAIN, "--seeds", 2, "-o", run.parent / "seeds"),
    }
    disk.remount("rw")
    return told


def run(top: Path, way: str) -> None:
    session._SHARE = 0  # a checkpoint after each generation
    assert mococo(*TRAIN, "--num-gens", 6, "-o", top / "whole")["code"] == 0
    expected = without_times(top / "whole")
    place = top / "disk"
    place.mkdir()
    disk: Mount | Limit = Mount(place) if way == "mount" else Limit()
    for kib in SIZES[way]:
        path = place / "run"
        print(json.dumps({"kib": kib, **from_the_beginning(disk, kib, path, expected)}))
        subprocess.run(["rm", "-r", path], check=True)
    print(json.dumps({"later": later(disk, place / "run", expected)}))
    if isinstance(disk, Mount):
        print(json.dumps({"read_only": read_only(disk, place / "run")}))


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
