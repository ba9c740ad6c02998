"""Environments of one, three and five features beside the same dynamics in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, pi, sin, sqrt, tanh
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mococo
from mococo.envs.spec import Action, Environment, Feature, clip
from mococo.training import evolve
from tests.parity import kernels

PULL = 0.3
WEIGHTS = (0.5, -0.25, 0.125)


def line_step(state: Any, action: float) -> tuple[Any, float, bool]:
    x = state[0] + 0.1 * (action - 1.0) - PULL * 0.1 * sin(3.0 * state[0])
    return (x,), -abs(x), abs(x) < 0.005


def line_observe(state: Any) -> Any:
    return state


def _drift(a: float, b: float, c: float) -> float:
    return WEIGHTS[0] * tanh(a) + WEIGHTS[1] * cos(b * pi) + WEIGHTS[2] * sqrt(abs(c))


def space_step(state: Any, action: float) -> tuple[Any, float, bool]:
    """Observes less than it is, and not as it is."""
    a, b, c, hidden = state
    push = action - 1.0
    a = clip(a + 0.05 * push + 0.02 * _drift(a, b, c), -2.0, 2.0)
    b = clip(0.9 * b + 0.1 * a * c, -1.0, 1.0)
    c = clip(c + 0.1 * exp(-a * a) - 0.05, -1.0, 1.0)
    hidden += 1.0
    reward = 1.0 - a * a if hidden > 3.0 else 0.5
    return (a, b, c, hidden), reward, a > 1.9 and hidden > 5.0


def space_observe(state: Any) -> Any:
    a, b, c, _ = state
    return 0.5 * a, b + c, c


def five_step(state: Any, action: float) -> tuple[Any, float, bool]:
    a, b, c, d, e = state
    return (0.9 * b, 0.9 * c, 0.9 * d, 0.9 * e, clip(0.5 * a + 0.3 * (action - 1.0), -1.0, 1.0)), a, False


def same_observe(state: Any) -> Any:
    return state


def starts(n_state: int) -> Callable[[int, int], NDArray[np.float64]]:
    def draw(n: int, seed: int) -> NDArray[np.float64]:
        return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n_state))

    return draw


def environment(name: str, n_features: int, n_state: int, step: Any, observe: Any, **more: Any) -> Environment:
    draw = starts(n_state)
    return Environment(
        id=name,
        features=tuple(Feature(f"x{i}", -1.0, 1.0) for i in range(n_features)),
        actions=(Action(0, "down"), Action(2, "up"), Action(1, "stay")),
        performance_bounds=(-100.0, 100.0),
        t_max=60,
        n_state=n_state,
        step=step,
        observe=observe,
        draw_starts=draw,
        training_starts=lambda n: draw(n, 0),
        **more,
    )


LINE = environment("Line-v0", 1, 1, line_step, line_observe, gamma=0.97)
SPACE = environment("Space-v0", 3, 4, space_step, space_observe, gamma=0.97, float32=False)
FIVE = environment("Five-v0", 5, 5, five_step, same_observe, gamma=0.99)
TAGS = {
    "Line-v0": [(2,), (5,), (3,)],
    "Space-v0": [(2, 3, 2), (5, 2, 3)],
    "Five-v0": [(2, 2, 2, 2, 2), (3, 2, 2, 2, 3)],
}
CASES = [(LINE, "planar"), (LINE, "general"), (SPACE, "general"), (FIVE, "general")]


def policies(env: Environment, p_unspec: float, n: int = 6) -> list[mococo.Policy]:
    return kernels.random(np.random.default_rng(13), n, 3, p_unspec, TAGS[env.id], env)


# The library's own sine and cosine may differ from libm's in the last bits, which a sum of rewards shows. With libm's,
# the same operations in the same order give the same bits.
@pytest.mark.parametrize(("env", "kernel"), CASES, ids=lambda x: getattr(x, "id", x))
def test_episodes_with_libms_functions_are_those_in_plain_python(env: Environment, kernel: str) -> None:
    for p_unspec in (0.0, 0.3, 1.0):
        several, z = policies(env, p_unspec), env.training_starts(5)
        found = kernels.run(kernel, several, z, env, libm=True)
        assert kernels.differences(found, kernels.oracle(several, z, env)) == []
        if p_unspec == 1.0:
            assert found[2].all()
            assert (found[0] == -100.0).all()
        if p_unspec == 0.0:
            assert not found[2].any()


@pytest.mark.parametrize(("env", "kernel"), [(LINE, "planar"), (SPACE, "general")], ids=lambda x: getattr(x, "id", x))
def test_episodes_with_our_functions_take_the_same_steps(env: Environment, kernel: str) -> None:
    several, z = policies(env, 0.2), env.training_starts(5)
    returns, steps, uncovered = kernels.run(kernel, several, z, env)
    expected = kernels.oracle(several, z, env)
    assert steps.tolist() == expected[1].tolist()
    assert uncovered.tolist() == expected[2].tolist()
    assert returns == pytest.approx(expected[0], rel=1e-8, abs=1e-8)


MIXED = [(2, 3, 2), (5, 2, 1), (1, 2, 3), (1, 4, 1), (3, 2, 2), (2, 1, 5), (1, 1, 3)]


def test_policies_that_look_at_some_features_only_share_a_call_with_those_that_look_at_all() -> None:
    """Two used features or fewer go to one kernel, more to the other; the rows must come back in their order."""
    z = SPACE.training_starts(5)
    several = kernels.random(np.random.default_rng(14), 14, 3, 0.1, MIXED, SPACE)
    found = mococo.evaluate(several, SPACE, starts=z)
    returns, steps, uncovered = kernels.run("general", several, z, SPACE)
    assert found.returns.tobytes() == returns.tobytes()
    assert found.steps.tobytes() == steps.tobytes()
    assert found.uncovered.tolist() == uncovered.sum(axis=1).tolist()
    few = [p for p in several if sum(m > 1 for m in p.tag) <= 2]
    assert kernels.same(kernels.run("planar", few, z, SPACE), kernels.run("general", few, z, SPACE))
    libms = kernels.run("general", several, z, SPACE, libm=True)
    assert kernels.differences(libms, kernels.oracle(several, z, SPACE)) == []


@pytest.mark.parametrize("env", [LINE, SPACE], ids=lambda env: env.id)
def test_evaluate_takes_an_environment_of_the_users(env: Environment) -> None:
    several = policies(env, 0.2)
    evaluation = mococo.evaluate(several, env, episodes=40, seed=3, threads=2)
    kernel = "planar" if env is LINE else "general"
    returns, steps, uncovered = kernels.run(kernel, several, env.draw_starts(40, 3), env)
    assert evaluation.returns.tobytes() == returns.tobytes()
    assert evaluation.steps.tobytes() == steps.tobytes()
    assert evaluation.uncovered.tolist() == uncovered.sum(axis=1).tolist()


def test_training_works_on_an_environment_of_the_users() -> None:
    """One feature, three actions, a discount; and improves on what it began with."""
    subspecies = [(3,), (4,)]
    run = list(evolve(LINE, seed=1, subspecies=subspecies, num_gens=8, db_pop_size=20, rb_pop_size=40))
    assert run[-1].archive.best.performance >= run[0].archive.best.performance
    best = run[-1].archive.best
    found = mococo.evaluate(best.policy, LINE, starts=LINE.training_starts(30))
    assert found.performance.tolist() == [best.performance]
