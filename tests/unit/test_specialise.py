"""Step functions compiled into the kernels: every edit gives another module, and what cannot be compiled is refused."""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mococo
from mococo import Policy, specialise
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.errors import EnvironmentSpecError
from mococo.specialise import NotCompilable, Slots, cache_folder, module_text, specialised

OBSERVE = "def observe(state): return state\n"
PLAIN = """
RATE = 0.5
def helper(x):
    return x * RATE
def step(state, action):
    return (helper(state[0]) + action,), -1.0, state[0] > 1.0
"""

Load = Callable[[str], ModuleType]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Write a module of a user's and import it."""
    numbers = itertools.count()
    names = []

    def load(text: str) -> ModuleType:
        name = f"users_module_{next(numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text + OBSERVE)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        del sys.modules[name]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test's own, in which nothing has been loaded yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MOCOCO_CACHE_DIR", str(folder))
    monkeypatch.setattr(specialise, "_loaded", {})
    return folder


def slots(module: ModuleType, **changes: Any) -> Slots:
    given: dict[str, Any] = {
        "name": "Users-v0",
        "step": module.step,
        "observe": module.observe,
        "n_state": 1,
        "n_observed": 1,
        "derived": (),
        "knots": 5,
    }
    return Slots(**{**given, **changes})


def name_of(module: ModuleType, **changes: Any) -> str:
    return specialised(slots(module, **changes)).__name__


# ---------------------------------------------------------------- edits


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("state[0] > 1.0", "state[0] > 2.0"),
        ("-1.0", "-2.0"),
        ("x * RATE", "x / RATE"),
        ("RATE = 0.5", "RATE = 0.25"),
    ],
    ids=["step", "reward", "helper", "constant"],
)
def test_an_edit_gives_another_module(load: Load, cache: Path, old: str, new: str) -> None:
    before, after = load(PLAIN), load(PLAIN.replace(old, new))
    assert name_of(before) != name_of(after)


def test_an_edit_is_seen_by_what_was_compiled(load: Load, cache: Path) -> None:
    before, after = load(PLAIN), load(PLAIN.replace("x * RATE", "x / RATE"))
    assert specialised(slots(before)).step((0.5,), 1.0) == before.step((0.5,), 1.0) == ((1.25,), -1.0, False)
    assert specialised(slots(after)).step((0.5,), 1.0) == after.step((0.5,), 1.0) == ((2.0,), -1.0, False)


def test_a_constant_changed_while_running_is_seen_too(load: Load, cache: Path) -> None:
    module = load(PLAIN)
    before = name_of(module)
    module.RATE = 0.125  # type: ignore[attr-defined]
    assert name_of(module) != before
    assert specialised(slots(module)).step((0.5,), 1.0) == module.step((0.5,), 1.0)


def test_a_helpers_helper_counts(load: Load, cache: Path) -> None:
    text = "def inner(x): return x + 1.0\n" + PLAIN.replace("x * RATE", "inner(x) * RATE")
    assert name_of(load(text)) != name_of(load(text.replace("x + 1.0", "x + 2.0")))


def test_the_same_text_gives_the_same_module_wherever_it_stands(load: Load, cache: Path) -> None:
    assert name_of(load(PLAIN)) == name_of(load(PLAIN))


@pytest.mark.parametrize("changes", [{"knots": 8}, {"float32": False}, {"libm": True}, {"continuous": True}], ids=str)
def test_what_is_compiled_in_besides_gives_another_module(load: Load, cache: Path, changes: dict[str, Any]) -> None:
    module = load("from math import cos\ndef step(s, a): return (cos(s[0]),), -1.0, False\n")
    assert name_of(module) != name_of(module, **changes)


def test_another_observation_gives_another_module(load: Load, cache: Path) -> None:
    module = load(PLAIN + "def twice(state): return (2.0 * state[0],)\n")
    assert name_of(module) != name_of(module, observe=module.twice)


def test_an_edit_of_the_kernels_gives_another_module(load: Load, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(PLAIN)
    before = name_of(module)
    texts = specialise._kernel_texts()
    monkeypatch.setattr(specialise, "_kernel_texts", lambda: texts + "# edited\n")
    assert name_of(module) != before


def test_a_module_is_written_once_and_named_after_its_environment(load: Load, cache: Path) -> None:
    module = load(PLAIN)
    first = specialised(slots(module, name="My Env/v0 ö"))
    assert specialised(slots(module, name="My Env/v0 ö")) is first
    files = [path.name for path in cache.iterdir() if path.suffix == ".py"]
    assert files == [f"{first.__name__}.py"]
    assert files[0].startswith("mococo_My_Env_v0__")


# ---------------------------------------------------------------- powers


POWERS = """
import numpy as np
def step(s, a):
    single = np.float32(s[0])
    return (s[0] ** 2, float(single ** 2), (s[0] + 1.0) ** 0.5 ** 2, 3 ** 2 * s[0]), -1.0, False
"""


def test_powers_are_the_c_librarys_where_that_is_asked_for(load: Load, cache: Path) -> None:
    module = load(POWERS)
    exact, fast = (specialised(slots(module, n_state=4, libm=libm)).step for libm in (True, False))
    rng = np.random.default_rng(0)
    differ = 0
    for x in rng.uniform(-20.0, 20.0, 20_000).tolist():
        state = (abs(x), 0.0, 0.0, 0.0)
        expected = module.step(state, 1.0)
        assert exact(state, 1.0) == expected
        differ += fast(state, 1.0) != expected
    # Else this would show nothing. Not every C library rounds other than a product does.
    assert differ > 0 or not sys.platform.startswith("linux")


# ---------------------------------------------------------------- what may be compiled


@pytest.mark.parametrize(
    "text",
    [
        "def step(s, a): return (s[0] * 2.0,), -1.0, False\n",
        "import math\ndef step(s, a): return (math.cos(s[0]) + math.pi,), -1.0, False\n",
        "import math as m\ndef step(s, a): return (m.atan2(s[0], 2.0),), -1.0, False\n",
        "from math import cos as cosine, exp\ndef step(s, a): return (cosine(s[0]) * exp(s[0]),), -1.0, False\n",
        "import numpy as np\ndef step(s, a): return (np.sqrt(s[0]),), -1.0, False\n",
        "K = (1.0, 2.0)\ndef step(s, a): return (s[0] * K[1],), -1.0, False\n",
        "INF = float('inf')\ndef step(s, a): return (min(s[0], INF),), -1.0, False\n",
        "FLAG = True\ndef step(s, a): return (s[0] if FLAG else 0.0,), -1.0, False\n",
        "def make(k):\n    def step(s, a): return (s[0] * k,), -1.0, False\n    return step\nstep = make(3.0)\n",
        "from typing import Any\ndef step(s: Any, a: 'float') -> Any:\n    return (s[0],), -1.0, False\n",
        "def step(\n    s,\n    a,\n):\n    '''Doc.'''\n    return (s[0],), -1.0, False\n",
        "import numba\n@numba.njit\ndef step(s, a): return (s[0] * 2.0,), -1.0, False\n",
        "def abs(x): return 99.0\ndef step(s, a): return (abs(s[0]),), -1.0, False\n",
        "LANES = KNOTS = 7.0\ndef step(s, a): return (s[0] * LANES * KNOTS,), -1.0, False\n",
        "def step(s, a, k=2.0): return (s[0] * k,), -1.0, False\n",
        "def step(s, a):\n    def inner(x): return 2.0 * x\n    return (inner(s[0]),), -1.0, False\n",
        "def step(s, a): return (observe(s)[0] * 2.0,), -1.0, False\n",
        "from mococo.envs.spec import clip\ndef step(s, a): return (clip(s[0], 0.0, 0.1),), -1.0, False\n",
    ],
)
def test_a_plain_function_does_the_same_compiled(load: Load, cache: Path, text: str) -> None:
    module = load(text)
    ((x,), reward, done) = specialised(slots(module)).step((0.3,), 1.0)
    ((expected,), expected_reward, expected_done) = module.step((0.3,), 1.0)
    assert x == pytest.approx(expected, rel=1e-8)
    assert (reward, done) == (expected_reward, expected_done)


@pytest.mark.parametrize(
    "text",
    [
        "from math import sinh\ndef step(s, a): return (sinh(s[0]),), -1.0, False\n",
        "import math\ndef step(s, a): return (math.log10(s[0]),), -1.0, False\n",
        "import math\ndef step(s, a): return (math.copysign(1.0, s[0]),), -1.0, False\n",
        "import math\ndef step(s, a): return (min(s[0], math.inf),), -1.0, False\n",
        "import math\ndef step(s, a): return (0.0 if math.isnan(s[0]) else 1.0,), -1.0, False\n",
        "K = 2.0\ndef step(s, a, k=K): return (s[0] * k,), -1.0, False\n",
        "K = (float('inf'), 1.0)\ndef step(s, a): return (min(s[0], K[0]),), -1.0, False\n",
        "K = 2.0\ndef step(s, a):\n    def f(x): return x * K\n    return (f(s[0]),), -1.0, False\n",
    ],
    ids=["sinh", "log10", "copysign", "inf", "isnan", "default", "tuple with inf", "inner function"],
)
def test_other_plain_functions_do_the_same_compiled_or_are_refused_with_an_error_of_ours(
    load: Load, cache: Path, text: str
) -> None:
    module = load(text)
    try:
        compiled = specialised(slots(module))
    except NotCompilable:
        return
    assert compiled.step((0.3,), 1.0)[0] == pytest.approx(module.step((0.3,), 1.0)[0], rel=1e-8)


def test_a_decorator_that_changes_a_function_is_compiled_or_refused(load: Load, cache: Path) -> None:
    module = load(
        "import functools\n"
        "def doubled(f):\n"
        "    @functools.wraps(f)\n"
        "    def g(s, a):\n"
        "        s, reward, done = f(s, a)\n"
        "        return s, 2.0 * reward, done\n"
        "    return g\n"
        "@doubled\n"
        "def step(s, a): return (s[0],), -1.0, False\n"
    )
    assert module.step((0.3,), 1.0)[1] == -2.0
    try:
        compiled = specialised(slots(module))
    except NotCompilable:
        return
    assert compiled.step((0.3,), 1.0)[1] == -2.0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("step = lambda s, a: ((s[0],), -1.0, False)\n", "<lambda> must be written with def, not as a lambda"),
        (
            "f = lambda x: x\ndef step(s, a): return (f(s[0]),), -1.0, False\n",
            "must be written with def, not as a lambda",
        ),
        (
            "K = [1.0]\ndef step(s, a): return (K[0],), -1.0, False\n",
            "step uses 'K', a list; a compiled step",
        ),
        ("K = {'a': 1.0}\ndef step(s, a): return (K['a'],), -1.0, False\n", "step uses 'K', a dict; a compiled step"),
        ("K = 'x'\ndef step(s, a): return (s[0] if K else 0.0,), -1.0, False\n", "step uses 'K', a str"),
        ("class C: k = 1.0\nc = C()\ndef step(s, a): return (c.k,), -1.0, False\n", "step uses 'c', a C"),
        ("import random\ndef step(s, a): return (random.random(),), -1.0, False\n", "step uses 'random', a module"),
        (
            "class S:\n    def __call__(self, s, a): return s, -1.0, False\nstep = S()\n",
            "is not a plain Python",
        ),
        (
            "class S:\n    def step(self, s, a): return s, -1.0, False\nstep = S().step\n",
            "is not a plain Python",
        ),
        ("step = divmod\n", "is not a plain Python"),
        ("import functools\nstep = functools.partial(pow, 2)\n", "is not a plain Python"),
        (
            "space = {}\nexec('def step(s, a): return s, -1.0, False', space)\nstep = space['step']\n",
            "source of step",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused(load: Load, cache: Path, text: str, error: str) -> None:
    with pytest.raises(NotCompilable, match=error):
        module_text(slots(load(text)))
    assert not cache.exists()


@pytest.mark.parametrize("name", ["speed", "cos"])
def test_a_name_that_is_not_defined_is_refused(load: Load, cache: Path, name: str) -> None:
    module = load(f"import math\ndef step(s, a): return (math.cos(s[0]) * {name},), -1.0, False\n")
    with pytest.raises(NotCompilable, match=f"step uses '{name}', which is not defined"):
        module_text(slots(module))


def test_an_environment_that_cannot_be_compiled_says_so_by_name() -> None:
    env = replace(MOUNTAIN_CAR, id="Lambda-v0", step=lambda s, a: (s, -1.0, False))
    policy = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 2, 1, 2], env.features, [0, 2])
    text = "Lambda-v0 cannot be compiled: <lambda> must be written with def, not as a lambda"
    for call in (lambda: mococo.evaluate(policy, env), lambda: mococo.train(env)):
        with pytest.raises(EnvironmentSpecError, match=text):
            call()


# ---------------------------------------------------------------- the cache folder


def test_the_cache_folder_is_the_one_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCOCO_CACHE_DIR", str(tmp_path / "new" / "folder"))
    assert cache_folder() == tmp_path / "new" / "folder"
    assert cache_folder().is_dir()
    assert list(cache_folder().iterdir()) == []


def test_else_it_lies_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOCOCO_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "mococo"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "mococo"


def test_where_nothing_can_be_written_a_folder_of_the_process_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests may run as root, whom no permission stops; a file in the way stops root too."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(specialise, "_temporary", [])
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("MOCOCO_CACHE_DIR", str(path))
        folder = cache_folder()
        assert folder.is_dir()
        assert folder == cache_folder()
        assert tmp_path not in folder.parents
        assert (tmp_path / "file").read_text() == ""
    specialise._temporary.pop().cleanup()


def test_a_generated_file_that_was_tampered_with_is_written_anew(
    load: Load, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(PLAIN)
    name = specialised(slots(module)).__name__
    file = cache / f"{name}.py"
    good = file.read_text()
    for bad in ("raise RuntimeError('tampered')\n", good.replace("RATE=0.5", "RATE=0.9"), "\x00", ""):
        file.write_text(bad)
        monkeypatch.setattr(specialise, "_loaded", {})
        assert specialised(slots(module)).step((0.5,), 1.0) == module.step((0.5,), 1.0)
        assert file.read_text() == good
    file.write_bytes(b"\xff\xfe")
    monkeypatch.setattr(specialise, "_loaded", {})
    specialised(slots(module))
    assert file.read_text() == good
    assert [path for path in cache.iterdir() if path.suffix == ".tmp"] == []


def test_a_generated_file_that_is_there_is_used(load: Load, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(PLAIN)
    name = specialised(slots(module)).__name__
    before = (cache / f"{name}.py").stat().st_mtime_ns
    monkeypatch.setattr(specialise, "_loaded", {})
    specialised(slots(module))
    assert (cache / f"{name}.py").stat().st_mtime_ns == before


SCRIPT = """
import mococo
from mococo.envs.mountain_car import MOUNTAIN_CAR
policy = mococo.Policy.from_genotypes((2, 2), [0.5] * 4, [1, 2, 1, 2], MOUNTAIN_CAR.features, [0, 2])
print(mococo.evaluate(policy, "MountainCar-v0", episodes=100).performance[0])
"""


@pytest.mark.parametrize("place", ["missing", "a file"])
def test_a_fresh_process_works_with_a_cache_folder_that_is(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "cache"
    if place == "a file":
        folder.write_text("")
    environment = {**os.environ, "MOCOCO_CACHE_DIR": str(folder), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    policy = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 2, 1, 2], MOUNTAIN_CAR.features, [0, 2])
    expected = mococo.evaluate(policy, "MountainCar-v0", episodes=100).performance[0]
    assert float(done.stdout) == expected
    if place == "missing":
        assert [path.suffix for path in folder.glob("*.py")] == [".py"]
    else:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cache"]  # the process cleans up after itself
