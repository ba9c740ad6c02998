"""Whether an environment's spec is what it says: it runs, alike in Python and compiled, and keeps its own promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mococo.envs.spec import Environment, State
from mococo.envs.trial import observed, stepped, try_out
from mococo.errors import EnvironmentSpecError

Floats = NDArray[np.float64]

N_STARTS = 1000
_LITTLE = 0.05  # of what a feature's domain should be used, and of the observations that may lie outside it


@dataclass(frozen=True)
class Finding:
    """What was found about one point. kind: "ok", "note", or "fault", which the environment's author must mend."""

    kind: str
    text: str


@dataclass(frozen=True)
class Played:
    """Episodes with random actions. observations : (n_steps, d); differences between compiled and plain steps."""

    returns: Floats
    lengths: NDArray[np.int64]
    observations: Floats
    difference: float
    where: str


def check_env(env: Environment, steps: int = 50_000, seed: int = 0) -> list[Finding]:
    """Findings about the spec by itself."""
    findings = list(_about_starts(env, seed))
    try:
        try_out(env)
        played = _play(env, steps, seed)
    except EnvironmentSpecError as error:
        return [*findings, Finding("fault", str(error))]
    text = f"{len(played.observations):,} steps of {len(played.returns):,} episodes with random actions: all finite"
    findings.append(Finding("ok", text))
    findings.append(_about_compiled(played))
    findings += _about_bounds(env, played)
    findings += _about_domains(env, played)
    return findings


def random_action(env: Environment, rng: np.random.Generator) -> float:
    """Any action that policies can take."""
    values = env.action_values
    if env.continuous:
        return float(rng.uniform(values.min(), values.max()))
    return float(rng.choice(env.legal_actions or values))


def _about_starts(env: Environment, seed: int) -> Iterator[Finding]:
    kinds: dict[str, Callable[[], Floats]] = {
        "draw_starts": lambda: env.draw_starts(N_STARTS, seed),
        "training_starts": lambda: env.training_starts(N_STARTS),
    }
    for name, draw in kinds.items():
        starts = np.asarray(draw())
        if starts.shape != (N_STARTS, env.n_state) or not np.isfinite(starts).all():
            yield Finding(
                "fault", f"{name} must give finite states, shape ({N_STARTS}, {env.n_state}), got {starts.shape}"
            )
        elif not np.array_equal(starts, draw()):
            yield Finding("fault", f"{name} gives other states when it is called again; draw them from a seed")
        else:
            yield Finding("ok", f"{name}: {N_STARTS:,} finite states, the same when drawn again")
    if np.array_equal(env.draw_starts(N_STARTS, seed), env.draw_starts(N_STARTS, seed + 1)):
        yield Finding(
            "note",
            "every seed gives the same starts: no start is fresh, so nothing tells a lucky policy from a good one",
        )


def _play(env: Environment, steps: int, seed: int) -> Played:
    """Episodes until `steps` were taken, each step in plain Python and compiled with the C library's functions."""
    fast = _fast(env)
    rng = np.random.default_rng(seed)
    returns: list[float] = []
    lengths: list[int] = []
    seen: list[tuple[float, ...]] = []
    difference, where = 0.0, ""
    starts = iter(env.draw_starts(max(1, steps), seed))
    while sum(lengths) < steps:
        state: State = tuple(next(starts).tolist())
        total, length, discount, done = 0.0, 0, 1.0, False
        while not done and length < env.t_max:
            action = random_action(env, rng)
            seen.append(observed(env, state))
            after, reward, done = stepped(env, state, action)
            other, other_reward, other_done = fast(state, action)
            apart = max(
                abs(a - b) for a, b in zip((*after, reward, done), (*other, other_reward, other_done), strict=True)
            )
            if apart > difference:
                difference, where = apart, f"from {state} with action {action:g}"
            state, total, length, discount = after, total + discount * reward, length + 1, discount * env.gamma
        returns.append(total)
        lengths.append(length)
    return Played(np.array(returns), np.array(lengths), np.array(seen), difference, where)


def _fast(env: Environment) -> Callable[[State, float], tuple[State, float, bool]]:
    """The step, compiled with the C library's functions."""
    from mococo.rollout import compiled, not_compiled

    step: Callable[[State, float], tuple[State, float, bool]] = compiled(env, 5, libm=True).step
    state = tuple(env.draw_starts(1, 0)[0].tolist())
    try:
        step(state, float(env.action_values[0]))
    except Exception as error:
        raise not_compiled(env, error) from error
    return step


def _about_compiled(played: Played) -> Finding:
    if played.difference == 0:
        return Finding("ok", "compiled, every step is that of plain Python, bit for bit")
    kind = "note" if played.difference < 1e-9 else "fault"
    return Finding(kind, f"compiled, a step differs from plain Python by up to {played.difference:.2g}, {played.where}")


def _about_bounds(env: Environment, played: Played) -> Iterator[Finding]:
    low, high = env.performance_bounds
    least, most = float(played.returns.min()), float(played.returns.max())
    got = f"returns lie between {least:g} and {most:g}"
    if least < low:
        yield Finding(
            "fault",
            f"{got}, below the lower performance bound {low:g}, which policies get that have no rule for a state; "
            f"lower it, or failing would be better than trying",
        )
    elif most > high:
        yield Finding("note", f"{got}, above the upper performance bound {high:g}; raise it")
    else:
        yield Finding("ok", f"{got}, within the performance bounds [{low:g}, {high:g}]")
    ended = int((played.lengths < env.t_max).sum())
    yield Finding("ok", f"{ended:,} of {len(played.lengths):,} episodes ended before t_max, {env.t_max}")


def _about_domains(env: Environment, played: Played) -> Iterator[Finding]:
    for feature, values in zip(env.observed, played.observations.T, strict=True):
        low, high = float(values.min()), float(values.max())
        outside = float(((values < feature.low) | (values > feature.high)).mean())
        used = (min(high, feature.high) - max(low, feature.low)) / (feature.high - feature.low)
        text = f"{feature.name} lay in [{low:.4g}, {high:.4g}], its domain is [{feature.low:g}, {feature.high:g}]"
        if outside > _LITTLE:
            yield Finding("note", f"{text}: {outside:.0%} of the observations are beyond, where all look alike")
        elif used < _LITTLE:
            yield Finding("note", f"{text}: hardly used, so sets may lie where nothing happens")
        else:
            yield Finding("ok", text)
