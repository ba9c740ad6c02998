"""Episodes of real environments: those of a plain loop, with any number of workers, and whatever happens to them."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

import mococo
from mococo import Policy
from mococo.envs.here import made
from mococo.envs.seeds import FIRST_TRAINING_SEED
from mococo.envs.spec import Environment
from mococo.errors import SimulationError, UncoveredState
from mococo.training import evolve
from mococo.workers import pool
from tests.real import simulators

SMALL: dict[str, Any] = {"num_gens": 3, "db_pop_size": 10, "rb_pop_size": 20, "eta": 3}


def policies(env: Environment, n: int, p_unspec: float = 0.1) -> list[Policy]:
    """Random ones, of every subspecies that the environment proposes."""
    rng = np.random.default_rng(3)
    tags: Any = env.settings["subspecies"]
    several = []
    for i in range(n):
        tag = tags[i % len(tags)]
        alleles = rng.integers(1, len(env.actions) + 1, int(np.prod(tag)))
        rb = np.where(rng.random(len(alleles)) < p_unspec, 0, alleles)
        several.append(
            Policy.from_genotypes(tag, rng.random(sum(tag)), rb, env.features, env.actions, continuous=env.continuous)
        )
    return several


def by_hand(policy: Policy, env: Environment, seed: int) -> tuple[float, int, bool]:
    """Return, steps and whether a state was uncovered, in the plainest loop."""
    assert env.simulator
    real = made(env.simulator)
    observation, _ = real.reset(seed=seed)
    total, weight, t = 0.0, 1.0, 0
    while t < env.t_max:
        try:
            action = policy.act(np.ravel(observation))
        except UncoveredState:
            return env.performance_bounds[0], t, True
        if env.continuous:
            action = np.asarray(action, real.action_space.dtype).reshape(real.action_space.shape)
        observation, reward, terminated, truncated, _ = real.step(action)
        total += weight * float(reward)
        weight *= env.gamma
        t += 1
        if terminated or truncated:
            break
    return total, t, False


def make(kind: str) -> Environment:
    if kind == "Arm":
        lean = "lean = angle_0 - 0.5*angle_1 + 0.25*grip"
        return mococo.environment(simulators.Arm, t_max=30, gamma=0.97, features=[lean])
    if kind == "lambda":
        return mococo.environment(lambda: gymnasium.make("CartPole-v1", max_episode_steps=60), names=[*"xvaw"])
    return mococo.environment(kind)


@pytest.mark.parametrize("kind", ["Arm", "lambda", "FrozenLake-v1", "LunarLander-v3"])
def test_episodes_are_those_of_a_plain_loop_to_the_last_bit(kind: str) -> None:
    env = make(kind)
    several, starts = policies(env, 6), env.draw_starts(3, 5)
    played = mococo.evaluate(several, env, starts=starts, threads=2)
    expected = [[by_hand(policy, env, int(seed)) for seed in starts[:, 0]] for policy in several]
    assert played.returns.tolist() == [[episode[0] for episode in row] for row in expected]
    assert played.steps.tolist() == [[episode[1] for episode in row] for row in expected]
    assert played.uncovered.tolist() == [sum(episode[2] for episode in row) for row in expected]


def test_the_same_seed_gives_the_same_front_for_any_number_of_workers() -> None:
    found = []
    for workers in (1, 2, 4):
        *_, last = evolve("LunarLander-v3", 1, threads=workers, num_gens=2, db_pop_size=8, rb_pop_size=8, eta=2)
        assert last.record.env_steps > 0
        found.append([getattr(last.archive, name).tobytes() for name in ("perf", "rb", "db")])
    assert found[0] == found[1] == found[2]


def test_a_worker_that_somebody_kills_changes_nothing() -> None:
    env = mococo.environment(simulators.ball, t_max=200)
    undisturbed = mococo.train(env, 1, threads=2, **SMALL)
    done = threading.Event()

    def kill() -> None:
        while not done.wait(0.3):
            for desk in pool.pool_of(env.simulator)._desks[:1]:  # type: ignore[arg-type]
                os.kill(desk.worker._process.pid, signal.SIGKILL)  # type: ignore[arg-type]
            return

    killer = threading.Thread(target=kill)
    killer.start()
    slowed = mococo.train(env, 1, threads=2, **{**SMALL, "eta": 40})
    done.set()
    killer.join()
    again = mococo.train(env, 1, threads=1, **{**SMALL, "eta": 40})
    assert slowed.archive.perf.tolist() == again.archive.perf.tolist()
    assert mococo.train(env, 1, threads=2, **SMALL).archive.perf.tolist() == undisturbed.archive.perf.tolist()


def test_training_starts_and_fresh_ones_never_overlap() -> None:
    env = mococo.environment("LunarLander-v3")
    assert (env.training_starts(1000) >= FIRST_TRAINING_SEED).all()
    assert (env.draw_starts(1000, 0) < FIRST_TRAINING_SEED).all()
    assert env.draw_starts(9, 0).tolist() == env.draw_starts(9, 0).tolist() != env.draw_starts(9, 1).tolist()


# ---------------------------------------------------------------- faults

FAULTS = [
    (simulators.ball_that_raises, "RuntimeError: the motor is too hot"),
    (simulators.ball_that_gives_nan, r"FloatingPointError: the observation after step \d+ is not finite"),
    (simulators.ball_that_rewards_with_nan, r"FloatingPointError: a reward in the first \d+ steps is not finite"),
    (simulators.ball_that_exits, r"ended its process \(exit code 7\)"),
    (simulators.ball_that_hangs, r"took longer than 0\.5 s for a step"),
]


def described(factory: Any, **more: Any) -> Environment:
    """With everything given, as exploration would meet the fault."""
    from dataclasses import replace

    sound = mococo.environment(simulators.ball, t_max=40, names=("x", "v"))
    assert sound.simulator
    return replace(sound, id="Ball", simulator=replace(sound.simulator, factory=factory, **more))


@pytest.mark.parametrize(("factory", "text"), FAULTS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_fault_stops_the_run_or_gives_the_lower_bound(factory: Any, text: str) -> None:
    care: dict[str, Any] = {"step_timeout": 0.5} if "hangs" in factory.__name__ else {}
    careless = described(factory, **care)
    right = Policy.from_genotypes((2, 1), [0.5] * 3, [3, 3], careless.features, careless.actions)
    left = Policy.from_genotypes((2, 1), [0.5] * 3, [1, 1], careless.features, careless.actions)
    with pytest.raises(SimulationError, match=rf"^Ball failed in the episode from seed \d+: .*{text}.*on-fault worst"):
        mococo.evaluate([left, right], careless, episodes=2, threads=1)
    careful = described(factory, on_fault="worst", **care)
    played = mococo.evaluate([left, right], careful, episodes=2, threads=1)
    assert played.faulted.tolist() == [0, 2]
    assert played.uncovered.tolist() == [0, 0]
    assert played.returns[1].tolist() == [careful.performance_bounds[0]] * 2
    assert played.returns[0].tolist() == [by_hand(left, careful, int(s))[0] for s in careful.draw_starts(2, 0)[:, 0]]


EXPLORED = [
    *FAULTS[:2],
    (simulators.ball_that_rewards_with_nan, "a reward in the first"),
    (simulators.ball_that_seldom_exits, FAULTS[3][1]),
    (simulators.ball_that_seldom_hangs, FAULTS[4][1]),
]


@pytest.mark.parametrize(("factory", "text"), EXPLORED, ids=lambda x: getattr(x, "__name__", ""))
def test_a_fault_while_the_environment_is_explored_stops_too_or_is_told(factory: Any, text: str) -> None:
    care: dict[str, Any] = {"t_max": 40} | ({"step_timeout": 0.5} if "hangs" in factory.__name__ else {})
    why = r"^ball_\w+ failed while it was explored with actions at random, in the episode from seed \d+: "
    with pytest.raises(SimulationError, match=f"{why}.*{text}.*; with --on-fault worst it is explored on"):
        mococo.environment(factory, **care)
    notes = mococo.environment(factory, on_fault="worst", **care).notes
    assert any("While it was explored it failed " in note for note in notes)
    assert any("Domains" in note for note in notes)


def test_faults_are_counted_in_a_run_and_never_do_better_than_the_lower_bound() -> None:
    env = described(simulators.ball_that_raises, on_fault="worst")
    generations = list(evolve(env, 1, threads=2, **SMALL))
    assert sum(g.record.faults for g in generations) > 0
    assert "times RuntimeError: the motor is too hot" in generations[-1].faults
    assert generations[-1].archive.perf.min() > env.performance_bounds[0]


def test_an_uncovered_policy_is_never_better_than_a_covered_one_where_bounds_are_guessed() -> None:
    from dataclasses import replace

    env = replace(described(simulators.ball), performance_bounds=(1000.0, 2000.0))  # far above what there is
    covered, holey = (
        Policy.from_genotypes((2, 1), [0.5] * 3, rb, env.features, env.actions) for rb in ([1, 2], [0, 0])
    )
    solns_perf = []
    for policy in (covered, holey):
        run = mococo.evaluate(policy, env, episodes=3)
        from mococo.evaluation import performances

        failed = np.array([[run.uncovered[0] > 0] * 3])
        solns_perf.append(float(performances(env, run.returns, failed)[0]))
    assert solns_perf[0] > solns_perf[1] == 1000.0


def test_workers_end_with_the_process_that_started_them(tmp_path: Any) -> None:
    import subprocess
    import sys

    text = (
        "import mococo, time\n"
        "from mococo.workers import pool\n"
        "env = mococo.environment('FrozenLake-v1')\n"
        "print(pool.pool_of(env.simulator)._desks[0].worker._process.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        worker = int(process.stdout.readline())
        process.kill()
    for _ in range(100):
        if not alive(worker):
            return
        time.sleep(0.1)
    pytest.fail("the worker lives on")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
