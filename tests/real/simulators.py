"""Small real environments, one for each thing that may happen; workers import them from here."""

from __future__ import annotations

import math
import os
import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Ball(gymnasium.Env[Any, Any]):
    """A ball on a line: pushed left or right, it shall stay near the middle. Goes wrong as it is told."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Discrete(3)

    def __init__(self, wrong: str = "", where: float = 0.5) -> None:
        self.wrong, self.where = wrong, where

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-0.3, 0.3, 2)
        return self.state.copy(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        x, v = self.state
        v += 0.1 * (int(action) - 1) + 0.02 * x
        self.state = np.array([x + 0.1 * v, v])
        reward = 1.0 - abs(x)
        if self.wrong and x > self.where:
            reward = self.go_wrong(reward)
        return self.state.copy(), reward, bool(abs(x) > 1.0), False, {}

    def go_wrong(self, reward: float) -> float:
        match self.wrong:
            case "raise":
                raise RuntimeError("the motor is too hot")
            case "exit":
                os._exit(7)
            case "hang":
                time.sleep(1000)
            case "nan":
                self.state[1] = math.nan
            case "nan reward":
                return math.nan
        return reward


class Arm(gymnasium.Env[Any, Any]):
    """Everything at once: a dictionary of spaces to see, and two numbers to do."""

    observation_space = spaces.Dict(
        {
            "angle": spaces.Box(-np.inf, np.inf, (2,), np.float32),
            "grip": spaces.MultiBinary(1),
            "mode": spaces.Discrete(3),
        }
    )
    action_space = spaces.Box(np.array([-1, 0], np.float32), np.array([1, 2], np.float32))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.angle, self.t = self.np_random.normal(size=2), 0
        return self.seen(), {}

    def seen(self) -> dict[str, Any]:
        return {"angle": self.angle.astype(np.float32), "grip": np.array([self.t % 2], np.int8), "mode": self.t % 3}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action), action
        self.angle = 0.9 * self.angle + 0.1 * action
        self.t += 1
        return self.seen(), -float(np.abs(self.angle).sum()), False, False, {}


def ball() -> Any:
    return Ball()


def ball_that_raises() -> Any:
    return Ball("raise")


def ball_that_gives_nan() -> Any:
    return Ball("nan")


def ball_that_rewards_with_nan() -> Any:
    return Ball("nan reward")


def ball_that_hangs() -> Any:
    return Ball("hang")


def ball_that_exits() -> Any:
    return Ball("exit")


class Seldom(Ball):
    """Goes wrong in the episodes of few seeds only."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.bad = seed is not None and seed % 7 == 3
        return super().reset(seed=seed, options=options)

    def go_wrong(self, reward: float) -> float:
        return super().go_wrong(reward) if self.bad else reward


def ball_that_seldom_hangs() -> Any:
    return Seldom("hang")


def ball_that_seldom_exits() -> Any:
    return Seldom("exit")
