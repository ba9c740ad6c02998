"""The whole state of a search on disk, so that a run goes on as if it had never stopped.

An npz file of plain arrays: both parent and both child populations, the archive, F_1 of the generation, and the random
generator's state as JSON text. Loading allows no objects, so nothing in the file can be executed; sizes are checked
before anything is unpacked, and every array against the run's settings.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mococo.algorithm import State
from mococo.config import Config
from mococo.errors import FileFormatError
from mococo.files import write_atomic
from mococo.front import Decoder, Front
from mococo.population import Population
from mococo.subspecies import lambda_1, lambda_2
from mococo.training import Checkpoint

NAME = "checkpoint.npz"
VERSION = 1
_POPULATIONS = ("p1", "p2", "q1", "q2")
_FRONTS = ("archive", "f1")
_ARRAYS = ("sigma", "db", "rb", "perf", "comp", "gen")
_MOST_ENTRIES = 64
_OVERHEAD = 1024  # bytes of an array's header, with room to spare
_ADVICE = "remove it to let the run begin again from its seed"


class _Generator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """State of numpy's PCG64; its 128-bit numbers as texts, which JSON keeps whole everywhere."""

    state: str
    inc: str
    has_uint32: int
    uinteger: int


def save_checkpoint(folder: Path, checkpoint: Checkpoint, config: Config, whose: str) -> None:
    """Replace the folder's checkpoint. `whose` names the run, as `owner` does."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, run=_bytes(whose.encode()), **_arrays(checkpoint, config))
    write_atomic(folder / NAME, buffer.getvalue())


def _arrays(checkpoint: Checkpoint, config: Config) -> dict[str, Any]:
    """What is in the file."""
    state = checkpoint.state
    arrays: dict[str, Any] = {
        "version": np.int64(VERSION),
        "gen": np.int64(state.gen),
        "settings": _bytes(fingerprint(config).encode()),
        "rng": _bytes(msgspec.json.encode(_pack(state.rng))),
    }
    for name in _POPULATIONS:
        population = getattr(state, name)
        arrays |= {f"{name}_{field.name}": getattr(population, field.name) for field in fields(Population)}
    for name in _FRONTS:
        arrays |= {f"{name}_{array}": getattr(getattr(checkpoint, name), array) for array in _ARRAYS}
    return arrays


def equal(one: Checkpoint, other: Checkpoint, config: Config) -> bool:
    """Whether two checkpoints of a run are the same to the bit."""
    mine, theirs = _arrays(one, config), _arrays(other, config)
    return all(mine[name].tobytes() == theirs[name].tobytes() for name in mine)


def load_checkpoint(folder: Path, config: Config, decoder: Decoder, whose: str) -> Checkpoint:
    """The folder's checkpoint, checked against the settings of its run and the run's name."""
    path = folder / NAME
    try:
        arrays = _read(path, config)
        return _build(arrays, config, decoder, whose)
    except FileNotFoundError:
        raise FileFormatError(f"{path} does not exist, so there is nothing to go on from") from None
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror or error})") from None
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}; {_ADVICE}") from None
    except (
        zipfile.BadZipFile,
        ValueError,
        KeyError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        struct.error,
    ) as error:
        raise FileFormatError(f"{path}: damaged ({error}); {_ADVICE}") from None


def owner(env: str, seed: int) -> str:
    """The run that a checkpoint is of; what else it depends on is in the settings."""
    return f"{env}, seed {seed}"


def fingerprint(config: Config) -> str:
    """Changes with every setting that a resumed run must keep."""
    kept = {name: value for name, value in msgspec.structs.asdict(config).items() if name != "num_gens"}
    return hashlib.sha256(msgspec.json.encode(kept, order="sorted")).hexdigest()


def _bytes(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text, dtype=np.uint8)


def _pack(rng: Any) -> _Generator:
    inner = rng["state"]
    return _Generator(hex(inner["state"]), hex(inner["inc"]), rng["has_uint32"], rng["uinteger"])


def _unpack(text: bytes) -> dict[str, Any]:
    try:
        record = msgspec.json.decode(text, type=_Generator)
        state = {
            "bit_generator": "PCG64",
            "state": {"state": int(record.state, 16), "inc": int(record.inc, 16)},
            "has_uint32": record.has_uint32,
            "uinteger": record.uinteger,
        }
        np.random.default_rng().bit_generator.state = state
    except (msgspec.MsgspecError, ValueError, OverflowError, TypeError):
        raise FileFormatError("the state of the random numbers is damaged") from None
    return state


def _read(path: Path, config: Config) -> dict[str, NDArray[Any]]:
    """The arrays, after a look at the sizes that the file's directory claims."""
    if path.exists() and not path.is_file():
        raise FileFormatError("expected a file, got a folder, a pipe or a device")
    individuals = 2 * (config.db_pop_size + config.rb_pop_size)
    solutions = 8 * individuals
    row = 64 + 8 * max(lambda_1(tag) for tag in config.subspecies) + max(lambda_2(tag) for tag in config.subspecies)
    most = (individuals + 2 * solutions) * row + _MOST_ENTRIES * _OVERHEAD
    if path.stat().st_size > 2 * most:  # before the directory of the file is read, which may be long
        raise FileFormatError("larger than the checkpoint of such a run can be")
    with zipfile.ZipFile(path) as file:
        entries = file.infolist()
        if len(entries) > _MOST_ENTRIES or sum(entry.file_size for entry in entries) > most:
            raise FileFormatError("larger than the checkpoint of such a run can be")
        # We never compress. What is as large on the disk as in memory cannot be a bomb, whatever the settings claim.
        if any(
            entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size for entry in entries
        ):
            raise FileFormatError("an array is compressed, as Mococo never writes it")
        if sum(entry.file_size for entry in entries) > path.stat().st_size:
            raise FileFormatError("its arrays overlap")
        arrays = {}
        for entry in entries:
            with file.open(entry) as member:
                data = member.read(entry.file_size + 1)
            if len(data) > entry.file_size:
                raise FileFormatError("an array is larger than the file says")
            arrays[entry.filename.removesuffix(".npy")] = _array(data)
    return arrays


def _array(data: bytes) -> NDArray[Any]:
    """One array; its header must not promise more than is there."""
    stream = io.BytesIO(data)
    major, _ = np.lib.format.read_magic(stream)
    if major != 1:
        raise FileFormatError("an array has an unknown header")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    if (
        dtype.hasobject
        or int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize != len(data) - stream.tell()
    ):
        raise FileFormatError("an array does not have the size that its header says")
    stream.seek(0)
    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _build(arrays: dict[str, NDArray[Any]], config: Config, decoder: Decoder, whose: str) -> Checkpoint:
    version = int(_taken(arrays, "version", (), np.int64))
    if version != VERSION:
        raise FileFormatError(f"this release reads checkpoint version {VERSION}, the file has version {version}")
    if _taken(arrays, "settings", (64,), np.uint8).tobytes() != fingerprint(config).encode():
        raise FileFormatError("it was written with other settings than those in config.json")
    if "run" not in arrays or arrays["run"].tobytes() != whose.encode():
        raise FileFormatError(f"it is not of this run: {whose}")
    gen = int(_taken(arrays, "gen", (), np.int64))
    if gen < 1:
        raise FileFormatError(f"it claims to be of generation {gen}")
    rng = _unpack(arrays["rng"].tobytes())
    populations = {}
    for name in _POPULATIONS:
        is_db = name.endswith("1")
        populations[name] = _population(arrays, name, config, is_db=is_db, n_actions=len(decoder.actions))
    fronts = [_front(arrays, name, config, decoder) for name in _FRONTS]
    return Checkpoint(State(gen, **populations, rng=rng), *fronts)


def _population(
    arrays: dict[str, NDArray[Any]], name: str, config: Config, *, is_db: bool, n_actions: int
) -> Population:
    n = config.db_pop_size if is_db else config.rb_pop_size
    longest = max(lambda_1(tag) if is_db else lambda_2(tag) for tag in config.subspecies)
    tag = _within(_taken(arrays, f"{name}_tag", (n,), np.int64), 0, len(config.subspecies) - 1)
    genotype = _taken(arrays, f"{name}_genotype", (n, longest), np.float64 if is_db else np.int8)
    return Population(
        tag,
        _within(genotype, 0, 1 if is_db else n_actions),
        _taken(arrays, f"{name}_perf", (n,), np.float64),
        _taken(arrays, f"{name}_comp", (n,), np.float64),
        _within(_taken(arrays, f"{name}_rank", (n,), np.int64), 0, 2**40),
        _taken(arrays, f"{name}_crowd", (n,), np.float64),
    )


def _front(arrays: dict[str, NDArray[Any]], name: str, config: Config, decoder: Decoder) -> Front:
    n = len(arrays[f"{name}_sigma"]) if arrays[f"{name}_sigma"].ndim == 1 else 0
    longest_1 = max(lambda_1(tag) for tag in config.subspecies)
    longest_2 = max(lambda_2(tag) for tag in config.subspecies)
    return Front(
        decoder,
        _within(_taken(arrays, f"{name}_sigma", (n,), np.int64), 0, len(config.subspecies) - 1),
        _within(_taken(arrays, f"{name}_db", (n, longest_1), np.float64), 0, 1),
        _within(_taken(arrays, f"{name}_rb", (n, longest_2), np.int8), 0, len(decoder.actions)),
        _within(_taken(arrays, f"{name}_perf", (n,), np.float64), -1e300, 1e300),
        _within(_taken(arrays, f"{name}_comp", (n,), np.float64), 0, longest_2),
        _within(_taken(arrays, f"{name}_gen", (n,), np.int64), 0, 2**40),
    )


def _taken(arrays: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    if name not in arrays:
        raise FileFormatError(f"it has no {name}")
    array = arrays[name]
    if array.shape != shape or array.dtype != dtype:
        raise FileFormatError(f"{name} should be {shape} of {np.dtype(dtype)}, it is {array.shape} of {array.dtype}")
    return np.array(array, order="C")


def _within(array: NDArray[Any], low: float, high: float) -> NDArray[Any]:
    if not np.all((array >= low) & (array <= high)):
        raise FileFormatError(f"it holds numbers that should lie between {low:g} and {high:g}")
    return array
