"""Episodes step by step: states, what the policy saw, which rules fired, how they voted and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mococo.envs.derived import with_derived
from mococo.envs.here import game
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, UncoveredState
from mococo.evaluation import check_fits
from mococo.policy import Policy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOBODY = -1
"""The driver where no rule fires."""


@dataclass(frozen=True, eq=False)
class Firing:
    """A policy at b inputs. truths : (b, n_rules); strengths, votes : (b, k); drivers, choices : (b,) from 0 on.

    `choices` is the action with the most votes and `drivers` the truest of the rules that advocate it: both are
    `NOBODY` where no rule fires.
    """

    truths: Floats
    strengths: Floats
    votes: Floats
    drivers: Ints
    choices: Ints


@dataclass(frozen=True, eq=False)
class Episode:
    """An episode of t steps. states : (t + 1, n_state); inputs : (t + 1, d), derived features among them.

    outputs, rewards : (t,), and `firing` has t rows: one for each step that was taken.
    """

    states: Floats
    inputs: Floats
    outputs: Floats
    rewards: Floats
    firing: Firing
    ended: bool
    """Whether the environment ended it, not the step limit."""
    uncovered: bool
    """Whether it stopped in a state for which the policy has no action."""

    def __len__(self) -> int:
        return len(self.rewards)

    def discounted(self, gamma: float) -> float:
        """The return. As in the rollouts, the rewards are added in the order in which they came."""
        total, weight = 0.0, 1.0
        for reward in self.rewards.tolist():
            total += weight * reward
            weight *= gamma
        return total


def fire(policy: Policy, inputs: Floats) -> Firing:
    """What the rules say to inputs : (b, d), one column for each feature, the derived ones too."""
    from mococo.kernels.fuzzy import infer

    a = policy.arrays
    truths, strengths = np.zeros((len(inputs), len(a.actions))), np.zeros((len(inputs), len(policy.actions)))
    rows = np.ascontiguousarray(inputs, dtype=np.float64)
    infer(rows, a.refs, a.slopes, a.sets, a.masks, a.actions, truths, strengths)
    total = strengths.sum(axis=1, keepdims=True)
    votes = np.divide(strengths, total, out=np.zeros_like(strengths), where=total > 0)
    covered = total[:, 0] > 0
    choices = np.where(covered, strengths.argmax(axis=1), NOBODY)
    advocates = a.actions[None, :] == choices[:, None]
    truest = np.where(advocates, truths, -1.0).argmax(axis=1) if truths.size else choices
    return Firing(truths, strengths, votes, np.where(covered, truest, NOBODY), choices)


def trace(policy: Policy, env: Environment, start: ArrayLike, limit: int | None = None) -> Episode:
    """Play an episode from a start state, in this process and in plain Python.

    >>> import mococo
    >>> from mococo.envs.registry import find
    >>> rocking = mococo.Policy.from_genotypes(
    ...     (2, 2),
    ...     [0.5, 0.5, 0.5, 0.5],
    ...     [1, 2, 1, 2],
    ...     features=[("position", -1.2, 0.5), ("velocity", -0.07, 0.07)],
    ...     actions=[0, 2],
    ... )
    >>> episode = trace(rocking, find("MountainCar-v0"), [-0.5, 0.0])
    >>> len(episode), episode.ended, episode.firing.drivers[:3].tolist()
    (167, True, [0, 0, 0])
    """
    check_fits(policy, env)
    playing = game(env)
    state, seen = playing.begin(_start(start, env))
    states, inputs = [state], [_input(policy, seen)]
    outputs: list[float] = []
    rewards: list[float] = []
    ended = uncovered = False
    n_observed = len(env.observed)
    for _ in range(env.t_max if limit is None else min(limit, env.t_max)):
        try:
            output = policy.act(inputs[-1][:n_observed])
        except UncoveredState:
            uncovered = True
            break
        state, seen, reward, ended = playing.step(output)
        states.append(state)
        inputs.append(_input(policy, seen))
        outputs.append(float(np.ravel(output)[0]))
        rewards.append(float(reward))
        if ended:
            break
    looked = np.array(inputs)
    return Episode(
        np.array(states, dtype=np.float64),
        looked,
        np.array(outputs),
        np.array(rewards),
        fire(policy, looked[: len(rewards)]),
        bool(ended),
        uncovered,
    )


def _start(start: ArrayLike, env: Environment) -> tuple[float, ...]:
    numbers = np.asarray(start, dtype=np.float64)
    if numbers.shape != (env.n_state,) or not np.isfinite(numbers).all():
        raise ConfigError(f"a start is a finite state of {env.id}, shape ({env.n_state},), got shape {numbers.shape}")
    return tuple(numbers.tolist())


def _input(policy: Policy, seen: tuple[float, ...]) -> Floats:
    """(d,) what the policy looks at."""
    row: Floats = with_derived(np.array([seen]), policy.features)[0]
    return row
