"""Environments of a user's own: in Python files that he names, and in packages that he has installed.

A file is run only because a person named it, on the command line or in an environment variable; a run's folder holds
no more than the environment's id.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from mococo.envs.spec import Environment
from mococo.errors import EnvironmentSpecError, nearest

VARIABLE = "MOCOCO_IMPORT"
"""Holds the files whose environments can be named by their ids, separated as in PATH."""
GROUP = "mococo.environments"
"""The entry points under which an installed package offers environments, or modules that hold some."""

_FILE = re.compile(r"(.+\.py)(?::(\w+))?")
_modules: dict[Path, ModuleType] = {}


def is_file(named: str) -> bool:
    """Whether a person means a file: FILE.py or FILE.py:NAME."""
    return _FILE.fullmatch(named) is not None


def add_file(path: str) -> None:
    """Have the environments of a file known by their ids, in this process and in those that it starts."""
    whole = str(Path(path).absolute())
    named = [file for file in os.environ.get(VARIABLE, "").split(os.pathsep) if file]
    if whole not in named:
        os.environ[VARIABLE] = os.pathsep.join([*named, whole])


def from_file(named: str) -> Environment:
    """The environment of FILE.py, or the one called NAME of FILE.py:NAME."""
    match = _FILE.fullmatch(named)
    assert match is not None
    path, name = match.groups()
    held = _held(_module(Path(path)))
    add_file(path)
    if name:
        if name not in held:
            raise EnvironmentSpecError(f"{path} holds no environment called {name!r}. {nearest(name, held)}")
        return held[name]
    if len(held) != 1:
        raise EnvironmentSpecError(
            f"{path} holds {len(held)} environments; say which: {' or '.join(f'{path}:{other}' for other in held)}"
        )
    return next(iter(held.values()))


def offered() -> list[Environment]:
    """The environments of the files in MOCOCO_IMPORT and of installed packages."""
    files = [Path(file) for file in os.environ.get(VARIABLE, "").split(os.pathsep) if file]
    modules = [_module(file) for file in files]
    found = [env for module in modules if not _registers(module) for env in _held(module).values()]
    for point in entry_points(group=GROUP):
        value = point.load()
        found += [value] if isinstance(value, Environment) else _held(value).values()
    return found


def _held(module: ModuleType) -> dict[str, Environment]:
    """The environments that a module defines, by their names in it."""
    found = {name: value for name, value in vars(module).items() if isinstance(value, Environment)}
    if not found:
        raise EnvironmentSpecError(
            f"{module.__file__} holds no mococo.Environment; it needs one at its top level, for example "
            f"TANK = mococo.Environment(...), or a call of gymnasium.register"
        )
    return found


def _registers(module: ModuleType) -> bool:
    """Whether what it offers is a Gymnasium environment alone, which can be named by its id once the module has run."""
    theirs = getattr(sys.modules.get("gymnasium"), "registry", {})
    names = {module.__name__, Path(str(module.__file__)).stem}
    homes = {
        getattr(spec.entry_point, "__module__", str(spec.entry_point).partition(":")[0]) for spec in theirs.values()
    }
    return not names.isdisjoint(homes) and not any(isinstance(value, Environment) for value in vars(module).values())


def _module(path: Path) -> ModuleType:
    """The file as a module, run once."""
    path = path.absolute()
    if path in _modules:
        return _modules[path]
    if not path.is_file():
        raise EnvironmentSpecError(f"{path} is not there; expected a Python file with a mococo.Environment")
    name = f"{path.stem}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # as for any script, so that it can import what lies beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        sys.modules.pop(name)
        raise EnvironmentSpecError(f"{path}{_line(error, path)}: {type(error).__name__}: {error}") from error
    _modules[path] = module
    return module


def _line(error: Exception, path: Path) -> str:
    """Where in the file it went wrong."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.filename == str(path) else ""
    trace, line = error.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
