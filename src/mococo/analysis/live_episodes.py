"""Episodes on Gymnasium's own environments, in this process, one moment after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mococo.analysis.trajectories import Firing, fire
from mococo.errors import EnvironmentSpecError, MococoError, UncoveredState
from mococo.observations import checked_observations
from mococo.policy import Policy

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moment:
    """A state of an episode, before the policy acts in it. seen : (n_observed,); `firing` has one row."""

    step: int
    seen: Floats
    firing: Firing
    total: float
    """The rewards so far."""
    output: Any
    """What the environment is given; None where the episode is over."""
    ended: bool
    """Whether the environment has ended it, not the step limit."""
    uncovered: bool
    """Whether no rule fires here, so that the policy has no action."""

    @property
    def last(self) -> bool:
        """Whether the episode is over."""
        return self.output is None


def moments(policy: Policy, env: Any, seed: int, gamma: float = 1.0, limit: int | None = None) -> Iterator[Moment]:
    """An episode of a `gymnasium.Env` that `reset(seed=seed)` begins, the moment after the last step included."""
    observation, _ = env.reset(seed=seed)
    total, weight, step = 0.0, 1.0, 0
    ended = over = False
    while True:
        seen = np.ravel(np.asarray(observation, dtype=np.float64))
        inputs, _ = checked_observations(seen, policy.features)
        firing = fire(policy, inputs)
        over = over or (limit is not None and step >= limit)
        output, uncovered = (None, False) if over else _output(policy, seen)
        yield Moment(step, seen, firing, total, output, ended, uncovered)
        if output is None:
            return
        observation, reward, ended, cut, _ = env.step(_fitting(output, env.action_space))
        total += weight * float(reward)
        weight *= gamma
        step += 1
        over = ended or cut


def _output(policy: Policy, seen: Floats) -> tuple[Any, bool]:
    """The policy's action, and whether it has none."""
    try:
        return policy.act(seen), False
    except UncoveredState:
        return None, True


def _fitting(output: Any, space: Any) -> Any:
    """The action as a value of the environment's space."""
    from gymnasium.spaces import Discrete

    if isinstance(space, Discrete):
        return int(output)
    return np.asarray(output, dtype=space.dtype).reshape(space.shape)


def made(env_id: str, **kwargs: Any) -> Any:
    """`gymnasium.make`, with one clear error for whatever it cannot do."""
    import gymnasium

    try:
        return gymnasium.make(env_id, **kwargs)
    except MococoError:
        raise
    except gymnasium.error.DependencyNotInstalled as error:
        raise EnvironmentSpecError(f"{env_id} needs a library that is not installed: {error}") from None
    except (gymnasium.error.Error, ModuleNotFoundError, ImportError) as error:
        told = " ".join(str(error).split())
        raise EnvironmentSpecError(f"Gymnasium cannot make {env_id}: {told}") from None
