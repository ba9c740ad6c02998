"""An environment played in this process, a step at a time: slow, and good for looking on."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from mococo.envs.simulator import Simulator
from mococo.envs.spec import Environment
from mococo.errors import EnvironmentSpecError, MococoError

Numbers = tuple[float, ...]


class Game(Protocol):
    """An episode at a time."""

    def begin(self, start: Numbers) -> tuple[Numbers, Numbers]:
        """State and observation of a start state."""

    def step(self, action: Any) -> tuple[Numbers, Numbers, float, bool]:
        """State, observation, reward, and whether the episode has ended."""


def game(env: Environment) -> Game:
    """The environment, to be played here."""
    return _Compiled(env) if env.simulator is None else _Real(env.simulator)


class _Compiled:
    """A compiled environment's own functions, run by Python."""

    def __init__(self, env: Environment) -> None:
        self._step, self._observe = env.functions
        self._state: Numbers = ()
        self._kind = np.float32 if env.float32 else np.float64

    def begin(self, start: Numbers) -> tuple[Numbers, Numbers]:
        self._state = start
        return start, self._seen()

    def step(self, action: Any) -> tuple[Numbers, Numbers, float, bool]:
        self._state, reward, ended = self._step(self._state, float(np.ravel(action)[0]))
        return self._state, self._seen(), float(reward), bool(ended)

    def _seen(self) -> Numbers:
        return tuple(np.array(self._observe(self._state), dtype=self._kind).astype(np.float64).tolist())


class _Real:
    """A real environment, whose states nobody sees: its observations stand for them."""

    def __init__(self, simulator: Simulator) -> None:
        self._env = made(simulator)

    def begin(self, start: Numbers) -> tuple[Numbers, Numbers]:
        seen = _flat(self._env.reset(seed=int(start[0]))[0])
        return seen, seen

    def step(self, action: Any) -> tuple[Numbers, Numbers, float, bool]:
        space = self._env.action_space
        if space.shape != ():
            action = np.array(action, dtype=space.dtype).reshape(space.shape)
        observation, reward, terminated, truncated, _ = self._env.step(action)
        seen = _flat(observation)
        return seen, seen, float(reward), bool(terminated or truncated)


def _flat(observation: Any) -> Numbers:
    return tuple(np.ravel(np.asarray(observation, dtype=np.float64)).tolist())


def made(simulator: Simulator) -> Any:
    """The real environment itself, in this process."""
    import gymnasium

    try:
        return simulator.maker()()
    except MococoError:
        raise
    except gymnasium.error.DependencyNotInstalled as error:
        raise EnvironmentSpecError(f"{simulator.id} needs a library that is not installed: {error}") from None
    except Exception as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise EnvironmentSpecError(f"{simulator.id} cannot be made ({told})") from error
