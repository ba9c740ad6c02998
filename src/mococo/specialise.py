"""The rollout kernels compiled together with one environment's functions.

A step function passed to a kernel as a value could not be inlined or kept on disk. So a module is written in which the
environment's functions, with all that they use, stand in the place of `kernels.slots`, followed by the text of the
kernels. Its name carries a hash of that text and of everything that it imports from here, so an edit anywhere gives
another file and never a stale one; numba's own cache then works as for any module.
"""

from __future__ import annotations

import ast
import builtins
import dis
import hashlib
import importlib.metadata
import importlib.util
import inspect
import math
import os
import platform
import sys
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

Number = int | float | bool

# The kernels' texts in the order in which they are joined.
_TEMPLATES = ("rollouts.py", "general.py", "value_iteration.py")
_KERNELS = Path(__file__).parent / "kernels"
_loaded: dict[str, ModuleType] = {}


class NotCompilable(Exception):  # noqa: N818 - it says what a function is
    """A step or observe function uses something that cannot be compiled; the text says what."""


@dataclass(frozen=True)
class Slots:
    """What the environment puts in the place of `slots`."""

    name: str
    step: Callable[..., Any]
    observe: Callable[..., Any]
    n_state: int
    n_observed: int
    knots: int
    derived: tuple[tuple[tuple[int, float], ...], ...] = ()
    """For each derived feature its terms: places of observed numbers, and weights."""
    float32: bool = True
    continuous: bool = False
    libm: bool = False
    """Use libm's sine, cosine and powers, as Python does, instead of the library's polynomials and products: slower."""


def specialised(slots: Slots) -> ModuleType:
    """The module with `planar` and `general` for this environment, written and loaded on first use."""
    text = module_text(slots)
    stamp = hashlib.sha256(
        "\n".join([text, _kernel_texts(), importlib.metadata.version("numba"), platform.python_version()]).encode()
    )
    name = f"mococo_{_identifier(slots.name)}_{stamp.hexdigest()[:20]}"
    if name not in _loaded:
        path = _write(cache_folder(), name, text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # numba looks a function's module up by name
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise NotCompilable(f"its functions do not stand alone: {error}") from error
        _loaded[name] = module
    return _loaded[name]


def cache_folder() -> Path:
    """MOCOCO_CACHE_DIR, or the user's cache folder, or one for this process where neither can be written."""
    given = os.environ.get("MOCOCO_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for folder in [Path(given)] if given else [home / "mococo"]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(_process_folder().name)


_temporary: list[tempfile.TemporaryDirectory[str]] = []


def _process_folder() -> tempfile.TemporaryDirectory[str]:
    if not _temporary:
        _temporary.append(tempfile.TemporaryDirectory(prefix="mococo-"))
    return _temporary[0]


def _write(folder: Path, name: str, text: str) -> Path:
    """The module's file, replaced in one step if it is not there or not exactly this text."""
    path = folder / f"{name}.py"
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, UnicodeDecodeError):
        pass
    handle, draft = tempfile.mkstemp(dir=folder, prefix=name, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(draft).replace(path)
    return path


def _identifier(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40]


def _kernel_texts() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(_KERNELS.glob("*.py")))


def module_text(slots: Slots) -> str:
    """The text of the specialised module."""
    collected = _Collected(slots.libm)
    step = collected.add(slots.step)
    observe = collected.add(slots.observe)
    cast = "np.float64(np.float32({}))" if slots.float32 else "{}"
    state = [f"floats[{s} * LANES + i]" for s in range(slots.n_state)]
    # After an episode's end a state may grow without bound, and of huge numbers libm takes the cosine slowly.
    held = " if live != 0 else floats[{0} * LANES + i]" if slots.libm else ""
    kept = [f"    floats[{s} * LANES + i] = state[{s}]{held.format(s)}" for s in range(slots.n_state)]
    seen = [f"    floats[{o} * LANES + i] = {cast.format(f'observation[{o}]')}" for o in range(slots.n_observed)]
    seen += [
        f"    floats[{slots.n_observed + j} * LANES + i] = "
        + " + ".join(["0.0", *(f"{weight!r} * floats[{o} * LANES + i]" for o, weight in terms)])
        for j, terms in enumerate(slots.derived)
    ]
    coordinates = ", ".join(f"knots[b, f, {j}]" for j in range(slots.knots))
    lines = [
        '"""Written by Mococo; edits are overwritten."""',
        "from __future__ import annotations",
        "import math as _libm",
        *(["from mococo.kernels import power as _power"] if slots.libm else []),
        "import numpy as np",
        "from mococo.kernels.decode import ABSENT",
        "from mococo.kernels.fuzzy import UNCOVERED, locate, strengths, winner",
        "from mococo.kernels.jit import inlined, kernel, lanes",
        "LANES = 32",
        f"KNOTS = {slots.knots}",
        f"N_STATE = {slots.n_state}",
        f"N_OBSERVED = {slots.n_observed + len(slots.derived)}",
        f"CONTINUOUS = {slots.continuous}",
        *collected.lines,
        f"step = {step}",
        f"observe = {observe}",
        "@inlined\ndef load_state(floats, i):",
        f"    return ({', '.join(state)},)",
        "@inlined\ndef store_state(floats, i, state, live):",
        *kept,
        "@inlined\ndef store_observation(floats, i, observation):",
        *seen,
        "@inlined\ndef knot_tuple(knots, b, f):",
        f"    return ({coordinates},)",
    ]
    return "\n".join(lines) + "\n" + "\n".join(_template(name) for name in _TEMPLATES)


def _template(name: str) -> str:
    """A kernel's text without its imports, which the specialised module has already."""
    text = (_KERNELS / name).read_text(encoding="utf-8")
    body = text.split("Floats = NDArray[np.float64]", 1)[1]
    return "from numpy.typing import NDArray\nFloats = NDArray[np.float64]" + body


class _Collected:
    """Texts of functions and of all they use, dependencies first, under names that cannot collide."""

    def __init__(self, libm: bool) -> None:
        self.lines: list[str] = []
        self._libm = libm
        self._names: dict[int, str] = {}
        self._kept: list[object] = []  # so that an id stays that of the same object

    def add(self, function: Callable[..., Any]) -> str:
        """Add a function's text; the name it has in the module."""
        function = getattr(function, "py_func", function)  # a user may have compiled it already
        if id(function) in self._names:
            return self._names[id(function)]
        if not isinstance(function, FunctionType):
            raise NotCompilable(f"{function!r} is not a plain Python function")
        if hasattr(function, "__wrapped__"):
            raise NotCompilable(f"{function.__name__} is decorated; what its decorator does would be lost")
        values = _used_values(function)
        scope = f"_{len(self._names)}_{function.__name__}"
        self._names[id(function)] = scope
        self._kept.append(function)
        bound = [f"{name}={self._expression(function, name, value)}" for name, value in sorted(values.items())]
        # Each function gets a maker of its own, so that its global names are local to it.
        source = _plain_source(function)
        source = _with_powers(source) if self._libm else source
        self.lines += [f"def _make{scope}({', '.join(bound)}):", textwrap.indent(source, "    ")]
        self.lines += [f"    return inlined({function.__name__})", f"{scope} = _make{scope}()"]
        return scope

    def _expression(self, function: Callable[..., Any], name: str, value: object) -> str:
        if isinstance(value, bool | int | float | np.number):
            return _number(value)
        if isinstance(value, tuple) and all(isinstance(v, bool | int | float) for v in value):
            return f"({' '.join(_number(v) + ',' for v in value)})"
        trig = "_libm" if self._libm else "_trig"
        if value is math:
            self._need_trig()
            return trig
        if value is np:
            return "np"
        if getattr(value, "__module__", None) == "math" and hasattr(math, getattr(value, "__name__", "")):
            self._need_trig()
            known = trig if value in (math.cos, math.sin) else "_libm"
            return f"{known}.{value.__name__}"  # type: ignore[attr-defined]
        if callable(value) and isinstance(getattr(value, "py_func", value), FunctionType):
            return self.add(value)
        raise NotCompilable(
            f"{function.__name__} uses {name!r}, a {type(value).__name__}; a compiled step function may use numbers, "
            f"tuples of numbers, plain functions, math and numpy"
        )

    def _need_trig(self) -> None:
        line = "from mococo.kernels import trig as _trig"
        if not self._libm and line not in self.lines:
            self.lines.insert(0, line)


def _number(value: object) -> str:
    plain = value.item() if isinstance(value, np.number) else value
    return f"float('{plain!r}')" if isinstance(plain, float) and not math.isfinite(plain) else repr(plain)


def _used_values(function: FunctionType) -> dict[str, object]:
    """What the function, and functions within it, take from outside, by name."""
    values: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        values[name] = cell.cell_contents
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(code):
            if instruction.opname not in {"LOAD_GLOBAL", "LOAD_NAME"}:
                continue
            name = str(instruction.argval)
            if name in function.__globals__:
                values[name] = function.__globals__[name]
            elif not hasattr(builtins, name):
                raise NotCompilable(f"{function.__name__} uses {name!r}, which is not defined")
    return values


def _plain_source(function: FunctionType) -> str:
    """The function's text from its `def` on, without decorators."""
    of_exec = function.__code__.co_filename == "<string>"  # Python 3.13 takes it for a line of its module's file
    try:
        lines = [] if of_exec else textwrap.dedent(inspect.getsource(function)).splitlines()
    except (OSError, TypeError):
        lines = []
    if not lines:
        raise NotCompilable(
            f"the source of {function.__name__} cannot be found; define it in a file or a notebook cell"
        )
    start = next((n for n, line in enumerate(lines) if line.startswith("def ")), None)
    if start is None:
        raise NotCompilable(f"{function.__name__} must be written with def, not as a lambda")
    # Annotations would be looked up when the text runs, and their names are not collected.
    return "\n".join(lines[start:])


def _with_powers(source: str) -> str:
    """The text with the C library's powers where an exponent is written out: x ** 2."""
    return ast.unparse(_Powers().visit(ast.parse(source)))


class _Powers(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)):
            return node
        power = ast.Attribute(ast.Name("_power", ast.Load()), "power", ast.Load())
        return ast.Call(power, [node.left, node.right], [])
