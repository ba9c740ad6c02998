"""An environment beside a Gymnasium class: the same starts and actions, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mococo.analysis.check_env import Finding, random_action
from mococo.envs.spec import Environment, State
from mococo.errors import EnvironmentSpecError, nearest


def known(gym_id: str) -> bool:
    """Whether Gymnasium has an environment of this id."""
    import gymnasium

    return gym_id in gymnasium.registry


def compare(env: Environment, gym_id: str, steps: int = 50_000, seed: int = 0) -> list[Finding]:
    """Findings about what is different."""
    import gymnasium

    if not known(gym_id):
        raise EnvironmentSpecError(f"Gymnasium has no environment {gym_id!r}. {nearest(gym_id, gymnasium.registry)}")
    try:
        theirs = gymnasium.make(gym_id, disable_env_checker=True)
    except gymnasium.error.DependencyNotInstalled as error:
        raise EnvironmentSpecError(f"{gym_id} cannot be made: {error}") from None
    findings = list(_about_description(env, theirs))
    if all(finding.kind != "fault" for finding in findings):
        findings += _about_steps(env, theirs, steps, seed)
    theirs.close()
    return findings


def _about_description(env: Environment, theirs: Any) -> Iterator[Finding]:
    limit, shape = theirs.spec.max_episode_steps, theirs.observation_space.shape
    if shape != (len(env.observed),):
        yield Finding(
            "fault", f"Gymnasium's observations have shape {shape}, but there are {len(env.observed)} features"
        )
    if limit != env.t_max:
        yield Finding("fault", f"Gymnasium's episodes have {limit} steps at most, but t_max is {env.t_max}")
    for action in env.actions:
        if not theirs.action_space.contains(_as_gymnasium(env, float(action.value))):  # type: ignore[arg-type]
            yield Finding("fault", f"action {action.value} is not in Gymnasium's {theirs.action_space}")


def _as_gymnasium(env: Environment, action: float) -> Any:
    return np.array([action], dtype=np.float32) if env.continuous else int(action)


@dataclass
class _Tally:
    """Counts of what was compared, and the first and the largest difference."""

    steps: int = 0
    episodes: int = 0
    equal_steps: int = 0
    equal_returns: int = 0
    first: str = ""
    largest: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, ours: Any, theirs: Any) -> bool:
        """Compare numbers; True if they are equal."""
        apart = float(np.max(np.abs(np.subtract(ours, theirs, dtype=np.float64))))
        if apart == 0:
            return True
        self.largest[name] = max(apart, self.largest.get(name, 0.0))
        self.first = (
            self.first or f"step {self.steps} (episode {self.episodes + 1}): {name} {ours} here, {theirs} there"
        )
        return False


def _about_steps(env: Environment, theirs: Any, steps: int, seed: int) -> Iterator[Finding]:
    tally, rng = _Tally(), np.random.default_rng(seed)
    while tally.steps < steps:
        observation, _ = theirs.reset(seed=seed + tally.episodes)
        state = _state(env, theirs, observation)
        if state is None:
            text = "not compared: Gymnasium's has no such `state`, and its observations do not tell the state"
            yield Finding("note", text)
            return
        _episode(env, theirs, state, tally, rng)
    text = f"{tally.steps:,} steps of {tally.episodes:,} episodes beside Gymnasium's {theirs.spec.id}"
    if not tally.first:
        yield Finding("ok", f"{text}: observations, rewards, ends and returns are equal, bit for bit")
        return
    largest = ", ".join(f"{name} {apart:.2g}" for name, apart in tally.largest.items())
    yield Finding(
        "fault",
        f"{text}: {tally.equal_steps / tally.steps:.2%} of the steps and {tally.equal_returns / tally.episodes:.2%} of "
        f"the returns are equal. The first difference: {tally.first}. The largest: {largest}",
    )


def _state(env: Environment, theirs: Any, observation: Any) -> State | None:
    """Gymnasium's state after a reset; its observation where that is the state."""
    held = getattr(theirs.unwrapped, "state", None)
    for candidate in (held, observation):
        numbers = np.ravel(candidate) if candidate is not None else np.empty(0)
        if len(numbers) == env.n_state and numbers.dtype.kind in "fi":
            state = tuple(float(x) for x in numbers)
            if candidate is held or tuple(env.functions[1](state)) == state:
                return state
    return None


def _episode(env: Environment, theirs: Any, state: State, tally: _Tally, rng: np.random.Generator) -> None:
    step, observe = env.functions
    ours_total = theirs_total = 0.0
    ended = False
    while not ended:
        action = float(np.float32(random_action(env, rng))) if env.continuous else random_action(env, rng)
        observation, reward, terminated, truncated, _ = theirs.step(_as_gymnasium(env, action))
        state, our_reward, done = step(state, action)
        tally.steps += 1
        seen = np.array(observe(state))
        same = [
            tally.add("observation", seen.astype(np.float32) if env.float32 else seen, observation),
            tally.add("reward", our_reward, float(reward)),
            tally.add("end", float(done), float(terminated)),
        ]
        tally.equal_steps += all(same)
        ours_total, theirs_total = ours_total + our_reward, theirs_total + float(reward)
        ended = terminated or truncated or done
    tally.episodes += 1
    tally.equal_returns += ours_total == theirs_total
