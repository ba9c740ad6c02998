"""Run as a process: damages copies of run folders in every way, and opens each with every command that reads runs.

Arguments: a folder with the runs to damage, an empty folder, how many copies. Prints what went wrong, and a summary.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import traceback
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mococo.cli.main import COMMANDS, main
from mococo.errors import MococoError
from mococo.report.following import Follower

FILES = ("config.json", "events.jsonl", "archive.json", "front.json", "checkpoint.npz")
MORE_MEMORY = 2**30
SLOW = ("plot", "verify-run", "config")  # each opens only some of the folders
PATIENCE = 20  # seconds for a command
HUGE = (10**400, 10**18, 2**63, 2**31, -1, 0, 1e308, 5e-324, 10**9)
OTHER_TYPES = (None, True, "text", "", [], {}, [[[]]], 1.5, "NaN", "../../etc/passwd", "\x00", "9" * 5000)


def flip(run: Path, rng: random.Random) -> None:
    file = run / rng.choice(FILES)
    data = bytearray(file.read_bytes()) if file.exists() else bytearray(b"x")
    for _ in range(rng.choice((1, 1, 2, 10, 100))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def cut(run: Path, rng: random.Random) -> None:
    file = run / rng.choice(FILES)
    data = file.read_bytes() if file.exists() else b""
    place = rng.randrange(len(data) + 1)
    file.write_bytes(rng.choice((data[:place], data[place:], data + data, data[:place] + os.urandom(50), b"")))


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container of a JSON value with each of its keys."""
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else []
    found = [(data, key) for key in keys]
    return found + [place for _, key in found for place in places(data[key])]


def replaced(run: Path, rng: random.Random, values: tuple[Any, ...]) -> None:
    file = run / rng.choice([name for name in FILES[:4] if (run / name).exists()])
    lines = file.read_text().splitlines() if file.suffix == ".jsonl" else [file.read_text()]
    number = rng.randrange(len(lines))
    data = json.loads(lines[number])
    for _ in range(rng.choice((1, 1, 3))):
        container, key = rng.choice(places(data))
        container[key] = rng.choice(values)
    lines[number] = json.dumps(data)
    file.write_text("\n".join(lines) + "\n")


def wrong_type(run: Path, rng: random.Random) -> None:
    replaced(run, rng, OTHER_TYPES)


def huge(run: Path, rng: random.Random) -> None:
    replaced(run, rng, HUGE)


def sealed(run: Path, rng: random.Random) -> None:
    """Numbers out of range under a checksum that is right, as somebody who means harm would send them."""
    import msgspec

    from mococo.runs.records import RunRecord

    data = json.loads((run / "config.json").read_text())
    name = rng.choice(["eta", "db_pop_size", "rb_pop_size", "subspecies", "min_complexity"])
    data["settings"][name] = [[16, 16]] if name == "subspecies" else rng.choice([2, 10**12, 10**15, 2**62])
    with contextlib.suppress(Exception):
        record = msgspec.json.decode(json.dumps(data).encode(), type=RunRecord).sealed()
        (run / "config.json").write_bytes(msgspec.json.encode(record))
    if rng.random() < 0.5:  # then it would begin again, with these numbers
        gone(run, rng)


def version(run: Path, rng: random.Random) -> None:
    file = run / rng.choice([name for name in FILES[:4] if name.endswith(".json") and (run / name).exists()])
    data = json.loads(file.read_text())
    data["version"] = rng.choice([0, 2, 99, "1", -1, None])
    data["format"] = rng.choice([data["format"], "mococo-policy", "mococo-front", "mococo-run", "png"])
    file.write_text(json.dumps(data))


def swapped(run: Path, rng: random.Random) -> None:
    one, other = (run / name for name in rng.sample(FILES, 2))
    if one.exists():
        shutil.copy(one, other)


def path_trick(run: Path, rng: random.Random) -> None:
    file = run / rng.choice((*FILES, "policies", ".lock"))
    if file.is_dir():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    match rng.randrange(6):
        case 0:
            file.symlink_to("/dev/zero")
        case 1:
            file.symlink_to("/etc/passwd")
        case 2:
            file.symlink_to(file.name)
        case 3:
            os.mkfifo(file)
        case 4:
            file.mkdir()
        case 5:
            file.symlink_to("/proc/self/mem")


@cache
def gigabyte() -> bytes:
    """An archive of few bytes with an array of many."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("p1_db.npy", "w") as member,
    ):
        for _ in range(64):
            member.write(bytes(2**24))
    return buffer.getvalue()


def bomb(run: Path, rng: random.Random) -> None:
    """Archives that are small on the disk and large in memory, or that say so."""
    path = run / "checkpoint.npz"
    arrays = dict(np.load(path, allow_pickle=False)) if path.exists() else {"version": np.int64(1)}
    name = rng.choice(sorted(arrays))
    match rng.randrange(5):
        case 0:
            arrays[name] = np.zeros(2**23)
            np.savez_compressed(path, **arrays)
        case 1:
            path.write_bytes(gigabyte())
        case 2:  # a header that promises far more than there is
            with zipfile.ZipFile(path, "w") as file:
                for key in arrays:
                    buffer = io.BytesIO()
                    np.lib.format.write_array_header_1_0(
                        buffer, {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**20)}
                    )
                    file.writestr(f"{key}.npy", buffer.getvalue())
        case 3:
            with zipfile.ZipFile(path, "w") as file:
                for n in range(20_000):
                    file.writestr(f"{n}.npy", b"")
        case 4:
            np.savez(path, **(arrays | {name: np.array([{"an": "object"}], dtype=object)}))


def checkpoint_array(run: Path, rng: random.Random) -> None:
    """One array of the checkpoint of another type, shape or content."""
    path = run / "checkpoint.npz"
    if not path.exists():
        return
    arrays = dict(np.load(path, allow_pickle=False))
    name = rng.choice(sorted(arrays))
    value = arrays[name]
    changes: list[Callable[[], Any]] = [
        lambda: value.astype(np.float32),
        lambda: value.astype(np.int64) * 2**40,
        lambda: np.full(value.shape, np.nan),
        lambda: np.full(value.shape, -1, value.dtype) if value.dtype.kind != "u" else value + 1,
        lambda: np.concatenate([value.ravel(), value.ravel()]),
        lambda: np.zeros((0, *value.shape[1:]), value.dtype),
        lambda: np.array("text"),
    ]
    with np.errstate(all="ignore"):
        arrays[name] = rng.choice(changes)()
    if rng.random() < 0.1:
        del arrays[name]
    np.savez(path, **arrays)


def gone(run: Path, rng: random.Random) -> None:
    for name in rng.sample((*FILES, "policies"), rng.randrange(1, 4)):
        file = run / name
        shutil.rmtree(file, ignore_errors=True) if file.is_dir() else file.unlink(missing_ok=True)


KINDS: tuple[Callable[[Path, random.Random], None], ...] = (
    flip, cut, wrong_type, huge, sealed, version, swapped, path_trick, bomb, checkpoint_array, gone
)  # fmt: skip


def attempt(words: list[str]) -> str:
    """What is wrong with how `mococo` takes these words; empty when nothing is."""
    out, err = io.StringIO(), io.StringIO()
    signal.alarm(PATIENCE)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except BaseException:
        return f"raised {traceback.format_exc()}"
    finally:
        signal.alarm(0)
    told = [line for line in err.getvalue().splitlines() if line.startswith("mococo: ")]
    if code == 2 and len(told) == 1 and len(told[0]) < 1000:
        return ""
    if code == 1 and len(told) == 1 and "not enough memory" in told[0]:
        return ""
    if words[0] == "verify-run" and code == 3 and " is not what it claims:\n" in out.getvalue():
        return ""
    return "" if code == 0 else f"code {code}, told {err.getvalue()[-500:]!r}"


def follow(path: Path) -> str:
    """What is wrong with how `mococo watch` looks at the folder; empty when nothing is."""
    signal.alarm(PATIENCE)
    try:
        with contextlib.suppress(MococoError):
            Follower(path).look()
    except BaseException:
        return f"raised {traceback.format_exc()}"
    finally:
        signal.alarm(0)
    return ""


def addressed(words: list[str], path: Path) -> list[str]:
    """The command line with the run in its place."""
    first, *more = words
    return [first, *more, str(path)] if first == "config" else [first, str(path), *more]


def too_long(*_: object) -> None:
    raise TimeoutError


def run(sources: Path, into: Path, n: int) -> int:
    signal.signal(signal.SIGALRM, too_long)
    commands = [
        ["show"],
        ["resume", "--threads", "1", "--quiet"],
        ["evaluate", "--threads", "1", "--episodes", "5"],
        ["verify-run", "--quick", "--threads", "1"],
        ["config", "--run"],
        ["plot", "--what", "front", "-o", str(into / "figures")],
    ]
    if "report" in COMMANDS:
        commands.append(["report", "-o", str(into / "report.html")])
    runs = sorted(sources.iterdir())
    for words in commands:  # loads everything before the limit is set
        assert attempt(addressed(words, Path(shutil.copytree(runs[0], into / f"warm-{words[0]}")))) == ""
    virtual = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (virtual + MORE_MEMORY, virtual + MORE_MEMORY))
    wrong = 0
    for number in range(n):
        rng = random.Random(number)
        kind = KINDS[number % len(KINDS)]
        path = Path(shutil.copytree(rng.choice(runs), into / f"{number}-{kind.__name__}"))
        kind(path, rng)
        problem = follow(path)
        if problem:
            wrong += 1
            print(f"{path.name}: watch: {problem}")
        for words in rng.sample(commands, len(commands)):
            if words[0] in SLOW and number % 5:
                continue
            problem = attempt(addressed(words, path))
            if problem:
                wrong += 1
                print(f"{path.name}: {words[0]}: {problem}")
        shutil.rmtree(path)
    print(f"{n} folders, {wrong} wrong, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(run(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))))
