"""TensorBoard and Weights & Biases, both without a network: what is written is read back."""

from __future__ import annotations

import importlib
import json
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mococo
from mococo.errors import MissingExtra
from mococo.loggers import TensorBoard, WeightsAndBiases, scalars
from mococo.training import Result
from tests.cli.conftest import COMMAND, environment, train_words

SMALL = {"num_gens": 4, "db_pop_size": 12, "rb_pop_size": 24}


def told(result: Result) -> dict[str, list[tuple[int, float]]]:
    """What should be logged of a run, without what depends on the time."""
    found: dict[str, list[tuple[int, float]]] = {}
    for record in result.history:
        for name, value in scalars(record).items():
            if not name.endswith("_per_second"):
                found.setdefault(name, []).append((record.gen, value))
    return found


def close(found: dict[str, list[tuple[int, float]]], expected: dict[str, list[tuple[int, float]]]) -> bool:
    """Equal as far as single precision goes."""
    return {name: values for name, values in found.items() if name in expected} == {
        name: [(step, pytest.approx(value, rel=1e-6)) for step, value in values] for name, values in expected.items()
    }


# ---------------------------------------------------------------- TensorBoard


def events(folder: Path) -> Iterator[Any]:
    """The events of all files in a folder, oldest first: records of length, checksum, message, checksum."""
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    for path in sorted(folder.glob("events.out.tfevents.*"), key=lambda path: path.stat().st_mtime_ns):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack_from("<Q", data)
            yield Event.FromString(data[12 : 12 + length])
            data = data[12 + length + 4 :]


def tensorboard_scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """As TensorBoard would show them: what a resumed run begins anew is purged."""
    found: dict[str, list[tuple[int, float]]] = {}
    for event in events(folder):
        if event.HasField("session_log"):
            found = {name: [pair for pair in pairs if pair[0] < event.step] for name, pairs in found.items()}
        for value in event.summary.value:
            if value.HasField("simple_value"):
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    return found


def test_tensorboard_gets_every_generation_and_the_rules(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    result = mococo.train("MountainCar-v0", callbacks=[TensorBoard(tmp_path)], **SMALL)
    assert close(tensorboard_scalars(tmp_path), told(result))
    texts = {
        value.tag: value.tensor.string_val[0].decode()
        for event in events(tmp_path)
        for value in event.summary.value
        if value.HasField("tensor")
    }
    best = result.archive.best
    rules = "\n".join(f"{n}. {rule.text}" for n, rule in enumerate(best.policy.rules, 1))
    assert texts[f"rules/complexity-{best.complexity:02d}/text_summary"] == rules


def test_a_resumed_run_goes_on_in_tensorboard_where_it_stopped(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    from mococo.cli.main import main

    path = tmp_path / "run"
    assert main([*train_words(path, "--tensorboard", "--num-gens", "3")]) == 0
    assert main(["resume", str(path), "--tensorboard", "--num-gens", "6", "--quiet"]) == 0
    found = tensorboard_scalars(path / "tensorboard")
    assert [step for step, _ in found["hypervolume/front"]] == list(range(6))
    assert main([*train_words(path, "--tensorboard", "--num-gens", "2", "--overwrite")]) == 0
    found = tensorboard_scalars(path / "tensorboard")  # the files of the run that was replaced are gone
    assert [step for step, _ in found["hypervolume/front"]] == [0, 1]


# ---------------------------------------------------------------- Weights & Biases


def wandb_records(path: Path) -> Iterator[Any]:
    """The messages of a .wandb file: LevelDB's log format, blocks of 32 KiB, each chunk with a head of seven bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, place, whole = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        rest = 32768 - place % 32768
        if rest < 7:
            place += rest
            continue
        length, kind = struct.unpack_from("<HB", data, place + 4)
        whole += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # a whole message, or its last part
            yield Record.FromString(whole)
            whole = b""


def wandb_scalars(path: Path) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for record in wandb_records(path):
        if record.WhichOneof("record_type") == "history":
            row = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
            for name, value in row.items():
                found.setdefault(name, []).append((row["_step"], value))
    return found


def test_weights_and_biases_offline_gets_every_generation(tmp_path: Path) -> None:
    wandb = pytest.importorskip("wandb")
    settings = {"silent": True, "console": "off", "x_disable_stats": True}
    watch = WeightsAndBiases("mococo", {"seed": 0}, dir=str(tmp_path), mode="offline", settings=settings)
    result = mococo.train("MountainCar-v0", callbacks=[watch], **SMALL)
    wandb.teardown()  # its own process writes, and may do so after the run has ended
    (path,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    assert close(wandb_scalars(path), told(result))


def test_without_an_account_one_line_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    alone = environment(HOME=str(tmp_path), WANDB_SILENT="true")
    alone = {name: value for name, value in alone.items() if name not in ("WANDB_API_KEY", "WANDB_MODE")}
    words = [COMMAND, *train_words(tmp_path / "run", "--wandb", "mine")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=alone)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("mococo: Weights & Biases cannot be used (No API key configured.")
    assert done.stderr.endswith("; to log to a local folder instead, set WANDB_MODE=offline\n")
    assert "Traceback" not in done.stderr


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"tensorboardX is not installed; get it with: pip install 'mococo\[tensorb"):
        TensorBoard(tmp_path)
    with pytest.raises(MissingExtra, match=r"wandb is not installed; get it with: pip install 'mococo\[wandb\]'"):
        WeightsAndBiases("mine")
