"""The folder of a run: what is written is read back equal, and damage of any kind gives one clear error."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mococo
from mococo.errors import FileFormatError, RunError
from mococo.runs.folder import create
from mococo.runs.reading import Run, read_run
from mococo.runs.scores import FRESH_SEED, FRESH_STARTS, best, score
from mococo.training import Result

FILES = ("config.json", "events.jsonl", "archive.json", "front.json")


@pytest.fixture(scope="module")
def result() -> Result:
    return mococo.train("MountainCar-v0", seed=3, num_gens=3, db_pop_size=12, rb_pop_size=24)


def written(path: Path, result: Result) -> Path:
    folder = create(path, result.env, result.config, result.seed)
    for record in result.history:
        folder.record(record)
    folder.finish(score(result.front, result.env), score(result.archive, result.env), len(result.history))
    return path


@pytest.fixture(scope="module")
def saved(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("runs") / "run", result)


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def test_what_was_written_is_read_back(saved: Path, result: Result) -> None:
    run = read_run(saved)
    assert (run.env, run.seed, run.config, run.history) == ("MountainCar-v0", 3, result.config, result.history)
    assert run.complete
    assert {"mococo", "numpy", "numba", "gymnasium", "python"} == set(run.versions)
    for scored, member in zip(run.archive, result.archive, strict=True):
        assert (scored.policy, scored.performance, scored.gen) == (member.policy, member.performance, member.gen)
        fresh = mococo.evaluate(member.policy, "MountainCar-v0", episodes=FRESH_STARTS, seed=FRESH_SEED)
        assert scored.fresh_performance == fresh.performance[0]
    assert best(run.archive).policy == result.archive.best.policy


def test_equal_solutions_of_the_last_front_are_counted(saved: Path, result: Result) -> None:
    run = read_run(saved)
    assert sum(member.count for member in run.front) == len(result.front)
    assert len(run.front) == len(result.front.distinct())
    assert [member.complexity for member in run.front] == sorted(member.complexity for member in run.front)


def test_the_bytes_tell_nothing_of_the_time(saved: Path, result: Result, tmp_path: Path) -> None:
    slower = replace(result, history=tuple(replace(record, seconds=99.0) for record in result.history))
    again = written(tmp_path / "again", slower)
    for file in sorted(saved.rglob("*.json")):
        assert file.read_bytes() == (again / file.relative_to(saved)).read_bytes()


def test_nothing_is_left_beside_the_files(saved: Path, result: Result) -> None:
    names = {file.relative_to(saved).as_posix() for file in saved.rglob("*") if file.is_file()}
    assert names == {*FILES, *(f"policies/complexity-{member.complexity:02d}.json" for member in result.archive)}


def test_a_discarded_run_leaves_only_what_is_not_its_own(result: Result, tmp_path: Path) -> None:
    create(tmp_path / "a", result.env, result.config, 0).discard()
    assert not (tmp_path / "a").exists()
    folder = create(tmp_path / "b", result.env, result.config, 0)
    (tmp_path / "b" / "notes.txt").write_text("mine")
    folder.discard()
    assert [file.name for file in (tmp_path / "b").iterdir()] == ["notes.txt"]


def test_overwriting_does_not_follow_a_link_out_of_the_folder(copy: Path, result: Result, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.move(copy / "policies", other)
    (copy / "policies").symlink_to(other)
    n = len(list(other.iterdir()))
    create(copy, result.env, result.config, 0, overwrite=True)
    assert len(list(other.iterdir())) == n


def test_a_run_is_not_taken_twice(copy: Path, result: Result) -> None:
    with pytest.raises(RunError, match=r"copy already holds a run \(MountainCar-v0, seed 3\); replace it with"):
        create(copy, result.env, result.config, 0)


@pytest.mark.parametrize("removed", range(1, 12))
def test_a_run_that_was_killed_while_it_was_being_replaced_can_be_replaced_again(
    copy: Path, result: Result, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    """Whatever is left, it is a run that may be replaced, or nothing that is in the way."""
    unlink, count = Path.unlink, itertools.count()

    def killed(self: Path, *, missing_ok: bool = False) -> None:
        if next(count) == removed:
            raise KeyboardInterrupt
        unlink(self, missing_ok=missing_ok)

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(Path, "unlink", killed)
        create(copy, result.env, result.config, 0, overwrite=True)
    create(copy, result.env, result.config, 7, overwrite=True)
    assert read_run(copy).seed == 7
    assert not read_run(copy).finished


def test_a_run_that_was_killed_before_it_had_its_settings_is_in_nobodys_way(result: Result, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").touch()
    create(tmp_path, result.env, result.config, 7)
    assert read_run(tmp_path).seed == 7


def test_a_torn_last_line_does_not_count(copy: Path, result: Result) -> None:
    events = copy / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-5])
    run = read_run(copy)
    assert run.history == result.history[:2]
    assert not run.complete


# ---------------------------------------------------------------- damage


def changed(name: str, change: Callable[[Any], None]) -> Callable[[Path], None]:
    """Damage to one value of a JSON file."""

    def damage(run: Path) -> None:
        data = json.loads((run / name).read_text())
        change(data)
        (run / name).write_text(json.dumps(data))

    return damage


def lines(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        events = run / "events.jsonl"
        events.write_text("".join(change(events.read_text().splitlines(keepends=True))))

    return damage


DAMAGE: list[tuple[Callable[[Path], None], str]] = [
    (lambda run: (run / "config.json").unlink(), "does not hold a run: it has no config.json"),
    (
        changed("config.json", lambda d: d.update(version=2)),
        r"config.json: this release reads mococo-run version 1, the ",
    ),
    (changed("config.json", lambda d: d.update(seed="x")), r"config.json: not a valid mococo-run file: .*\$\.seed"),
    (changed("config.json", lambda d: d["settings"].update(beta=0.5)), r"config.json: .* beta must be a finite number"),
    (changed("config.json", lambda d: d["settings"].update(gamma=1)), r"config.json: .* unknown field `gamma`"),
    (lambda run: (run / "archive.json").write_text("[]"), "archive.json: expected a mococo-front file"),
    (lambda run: (run / "archive.json").write_text('{"a": '), "archive.json: .* the text is damaged"),
    (lambda run: (run / "front.json").write_text("[" * 10**5), "front.json: "),
    (lambda run: (run / "front.json").write_text(" " * (2**25 + 1)), "front.json: larger than 33554432 bytes"),
    (
        lambda run: (run / "front.json").unlink() or (run / "front.json").mkdir(),
        r"front.json: cannot be read \(Is a dir",
    ),
    (changed("archive.json", lambda d: d.update(env="Other-v0")), "holds policies for Other-v0, but the run beside it"),
    (
        changed("archive.json", lambda d: d["members"][0].update(complexity=99)),
        "complexity 99 is given for a policy of ",
    ),
    (changed("archive.json", lambda d: d["members"][0].update(performance=None)), r"members\[0\]\.performance"),
    (changed("archive.json", lambda d: d["members"][0].update(count=0)), "a negative count, generation or standard"),
    (changed("archive.json", lambda d: d["members"][0]["policy"].update(version=9)), "format mococo-policy version 1"),
    (changed("archive.json", lambda d: d["members"][0]["policy"]["rb"].append(1)), "an RB genotype of subspecies"),
    (changed("archive.json", lambda d: d["members"][0]["policy"]["gabil"].pop()), "the rules in `gabil` are not those"),
    (lines(lambda all_lines: ["x\n", *all_lines[1:]]), "events.jsonl, line 1: damaged"),
    (lines(lambda all_lines: all_lines[1:]), "events.jsonl, line 1: expected generation 0, got 1"),
    (lines(lambda all_lines: [*all_lines, "\n"]), "events.jsonl, line 4: damaged"),
    (lines(lambda all_lines: ["[" * 10**5 + "\n"]), "events.jsonl, line 1: damaged"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_damage_is_named(copy: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(copy)
    with pytest.raises(FileFormatError, match=message):
        read_run(copy)


@pytest.mark.parametrize("seed", range(100))
def test_any_damage_is_refused_or_harmless(copy: Path, seed: int) -> None:
    rng = random.Random(seed)
    file = copy / rng.choice(FILES)
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 20))):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[min(place, len(data) - 1)] ^= 1 << rng.randrange(8)
            case 1:
                del data[place : place + rng.randrange(1, 200)]
            case 2:
                data[place:place] = rng.choice(
                    (b"9" * 400, b"-", b"null", b"1e999", b"\x00", b'"', b"[[", b"\xff", b"{}")
                )
            case 3:
                data = data[: max(1, place)]
        data = data or bytearray(b"0")
    file.write_bytes(data)
    with contextlib.suppress(FileFormatError):
        assert isinstance(read_run(copy), Run)
