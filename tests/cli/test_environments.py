"""Environments as a person names them: compiled, Gymnasium's, and his own, in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import msgspec
import pytest

from mococo.envs import own, registry
from tests.cli.conftest import SMALL, Run

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_environment.py"
TANK = """
import gymnasium
import numpy as np
from gymnasium import spaces


class Tank(gymnasium.Env):
    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0, 2)
        return np.array([self.level, 0.0]), {}

    def step(self, action):
        change = 0.2 * (float(action[0]) - 0.3 * np.sqrt(max(self.level, 0.0)))
        self.level += change
        return np.array([self.level, change]), -abs(self.level - 1.0), False, False, {}


gymnasium.register("UsersTank-v0", Tank, max_episode_steps=20)
"""


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test names, no other knows."""
    monkeypatch.setenv(own.VARIABLE, "")
    monkeypatch.setattr(own, "_modules", {})
    monkeypatch.setattr(registry, "_REGISTERED", {})
    yield
    gymnasium.registry.pop("UsersTank-v0", None)


def test_the_example_is_short_checks_and_trains(mococo: Run) -> None:
    code = [line for line in EXAMPLE.read_text().partition("import numpy")[2].splitlines() if line.strip()]
    assert len(code) < 40
    checked = mococo("check-env", EXAMPLE, "--steps", 2000)
    assert checked.code == 0, checked.out
    assert "ok     compiled, every step is that of plain Python, bit for bit" in checked.out
    assert checked.out.endswith("Berth-v0: no faults\n")
    trained = mococo("train", EXAMPLE, *SMALL, "--eta", 10, "-o", "berth", "--quiet")
    assert trained.code == 0, trained.err
    assert "IF distance is" in mococo("show", "berth").out
    assert mococo("verify-run", "berth", "--quick").code == 0


def test_the_example_says_what_is_wrong_with_it(mococo: Run) -> None:
    text = EXAMPLE.read_text()
    Path("low.py").write_text(text.replace("(-3300.0, 0.0)", "(-10.0, 0.0)"))
    answer = mococo("check-env", "low.py", "--steps", 600)
    assert answer.code == 3
    assert "fault  returns lie between" in answer.out
    assert "Berth-v0: 1 fault" in answer.out
    Path("chance.py").write_text(text.replace("speed = clip(speed", "speed = np.random.uniform() + clip(speed"))
    answer = mococo("check-env", "chance.py", "--steps", 600)
    assert answer.code == 3
    assert "put chance into the start states" in " ".join(answer.out.split())


def test_check_env_compares_with_gymnasium_and_refuses_what_is_not_compiled(mococo: Run) -> None:
    answer = mococo("check-env", "Pendulum-v1", "--steps", 1000, "--json")
    texts = [finding["text"] for finding in msgspec.json.decode(answer.out)["findings"]]
    assert "observations, rewards, ends and returns are equal, bit for bit" in texts[-1]
    answer = mococo("check-env", "FrozenLake-v1")
    assert (answer.code, answer.out) == (2, "")
    assert "FrozenLake-v1 is Gymnasium's own, played for real: there is nothing to compare" in answer.err


def test_a_class_that_a_file_registers_is_trained_on_with_its_estimates_told_and_kept(mococo: Run) -> None:
    Path("tank.py").write_text(TANK)
    answer = mococo("train", "UsersTank-v0", "--import", "tank.py", *SMALL, "--eta", 2, "--threads", 1, "-o", "tank",
                    "--names", "level,change", "--feature", "soon = level + 5*change")  # fmt: skip
    assert answer.code == 0, answer.err
    told = " ".join(answer.err.split())
    assert "estimated from" in told
    assert "level [" in told
    assert "Performance bounds, estimated:" in told
    assert told.count("So the subspecies") == 1
    kept = msgspec.json.decode(Path("tank/config.json").read_bytes())["environment"]
    assert [feature["name"] for feature in kept["features"]] == ["level", "change", "soon"]
    assert kept["estimated_bounds"] is True
    assert mococo("verify-run", "tank", "--quick").code == 0
    assert "UsersTank-v0" in mococo("envs").out


def test_a_run_does_not_import_what_its_user_has_not_named(mococo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tank.py").write_text(TANK)
    words = ["train", "UsersTank-v0", "--import", "tank.py", *SMALL, "--eta", 2, "--threads", 1, "-o", "t", "--quiet"]
    assert mococo(*words).code == 0
    monkeypatch.setenv(own.VARIABLE, "")
    gymnasium.registry.pop("UsersTank-v0")
    from mococo.workers import pool

    pool._pools.clear()
    answer = mococo("resume", "t", "--num-gens", 6)
    assert answer.code == 2
    assert "unknown environment 'UsersTank-v0'" in answer.err
    assert "--import" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train", "nosuch.py"], "nosuch.py is not there; expected a Python file with a mococo.Environment"),
        (["train", "empty.py"], "empty.py holds no mococo.Environment; it needs one at its top level"),
        (["train", "wrong.py"], "wrong.py, line 2: ZeroDivisionError: division by zero"),
        (["train", "tank:Tank-v0"], "unknown environment 'tank:Tank-v0'; have it registered first: --import tank.py"),
        (["train", "CartPole-v1", "--env-kwargs", "gravity=3"], "CartPole-v1 is compiled as it is, and takes no arg"),
        (["train", "CartPole-v1", "--on-fault", "worst"], "CartPole-v1 is compiled, and does not fail"),
        (["train", "CartPole-v1", "--domains", "speed=[0,1]"], "there is no feature 'speed' to give a domain"),
        (["train", "CarRacing-v3"], "looks like an image"),
        (["train", "CartPole-v1", "--import"], "--import needs the Python file"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_cannot_be_is_told_in_one_line(mococo: Run, words: list[str], told: str) -> None:
    Path("empty.py").write_text("x = 1\n")
    Path("wrong.py").write_text("x = 1\ny = 1 / 0\n")
    answer = mococo(*words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1
    assert not Path("runs").exists()


def test_the_list_of_environments(mococo: Run) -> None:
    out = mococo("envs").out
    assert out.index("Compiled") < out.index("Acrobot-v1") < out.index("Of Gymnasium") < out.index("FrozenLake-v1")
    kinds = {record["id"]: record["kind"] for record in msgspec.json.decode(mococo("envs", "--json").out)}
    assert kinds["CartPole-v1"] == "compiled"
    assert kinds["FrozenLake-v1"] == "installed"
    out = mococo("envs", f"--import={EXAMPLE}").out
    assert out.index("Your own, compiled too") < out.index("Berth-v0")
