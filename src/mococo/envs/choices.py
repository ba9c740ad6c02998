"""What a user may say of an environment: all that its spaces do not tell, or tell otherwise than he wants it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from mococo.envs.derived import parse_feature
from mococo.envs.spec import Action, Environment, Feature
from mococo.errors import EnvironmentSpecError, nearest


class Choices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every field may be left out."""

    kwargs: dict[str, Any] = {}
    """Arguments for `gymnasium.make`."""
    names: tuple[str, ...] = ()
    """Names for the observed numbers, in their order."""
    features: tuple[str, ...] = ()
    """Derived features, such as `lean = angle + 0.5*angular_velocity`."""
    domains: dict[str, tuple[float, float]] = {}
    """Domains of observed features."""
    actions: tuple[float | tuple[float, ...], ...] = ()
    """The actions, or for a Box the values, that rules may advocate."""
    gamma: float | None = None
    """Discount factor."""
    t_max: int | None = None
    """Longest episode in steps."""
    performance_bounds: tuple[float, float] | None = None
    """Lowest and highest performance."""
    on_fault: str | None = None
    """When a real environment fails: `stop`, or count the policy as `worst`."""
    step_timeout: float | None = None
    """Seconds that one of its steps may take."""


def make_choices(values: dict[str, Any]) -> Choices:
    """Checked; a text may stand for one derived feature."""
    for name in values:
        if name not in Choices.__struct_fields__:
            raise EnvironmentSpecError(f"unknown choice {name!r}. {nearest(name, Choices.__struct_fields__)}")
    plain = dict(values)
    for name in ("features", "names"):
        if isinstance(plain.get(name), str):
            plain[name] = (plain[name],)
    try:
        return msgspec.convert(plain, Choices)
    except msgspec.ValidationError as error:
        raise EnvironmentSpecError(f"an environment's choices are not what was expected: {error}") from None


def tailored(env: Environment, choices: Choices) -> Environment:
    """The environment as the user wants it."""
    if choices.kwargs and env.simulator is None:
        raise EnvironmentSpecError(
            f"{env.id} is compiled as it is, and takes no arguments; give its factory in Python, for example "
            f'mococo.environment(lambda: gymnasium.make("{env.id}", ...))'
        )
    features = _renamed(env.features, choices.names, env.id)
    features = _with_domains(features, choices.domains)
    for text in choices.features:
        features = (*features, parse_feature(text, features))
    changes: dict[str, Any] = {"features": features}
    if choices.actions:
        changes["actions"] = _actions(env, choices.actions)
    for name in ("gamma", "t_max"):
        if getattr(choices, name) is not None:
            changes[name] = getattr(choices, name)
    if choices.performance_bounds is not None:
        changes |= {"performance_bounds": choices.performance_bounds, "estimated_bounds": True}
    if choices.on_fault is not None or choices.step_timeout is not None:
        changes["simulator"] = _careful(env, choices)
    return replace(env, **changes)


def _careful(env: Environment, choices: Choices) -> Any:
    if env.simulator is None:
        raise EnvironmentSpecError(f"{env.id} is compiled, and does not fail: no on_fault and no step_timeout")
    return replace(
        env.simulator,
        on_fault=choices.on_fault or env.simulator.on_fault,
        step_timeout=env.simulator.step_timeout if choices.step_timeout is None else choices.step_timeout,
    )


def _renamed(features: Sequence[Feature], names: Sequence[str], env_id: str) -> tuple[Feature, ...]:
    if not names:
        return tuple(features)
    observed = [feature for feature in features if not feature.terms]
    if len(names) != len(observed) or len(set(names)) != len(names):
        raise EnvironmentSpecError(
            f"{env_id} gives {len(observed)} numbers, which need as many different names, got {', '.join(names)}"
        )
    new = {feature.name: name for feature, name in zip(observed, names, strict=True)}
    return tuple(
        replace(f, name=new.get(f.name, f.name), terms=tuple((new[name], weight) for name, weight in f.terms))
        for f in features
    )


def _with_domains(features: Sequence[Feature], domains: dict[str, tuple[float, float]]) -> tuple[Feature, ...]:
    known = [feature.name for feature in features]
    for name in domains:
        if name not in known:
            raise EnvironmentSpecError(f"there is no feature {name!r} to give a domain. {nearest(name, known)}")
    return tuple(
        replace(f, low=domains[f.name][0], high=domains[f.name][1]) if f.name in domains else f for f in features
    )


def _actions(env: Environment, values: Sequence[float | tuple[float, ...]]) -> tuple[Action, ...]:
    words = {action.value: action.words for action in env.actions}
    for value in values:
        parts = value if isinstance(value, tuple) else (value,)
        if not all(math.isfinite(part) for part in parts) or (env.legal_actions and value not in env.legal_actions):
            legal = ", ".join(f"{a:g}" for a in env.legal_actions) or "finite numbers"
            raise EnvironmentSpecError(f"{env.id} takes the actions {legal}, got {value!r}")
    if len(set(values)) != len(values):
        raise EnvironmentSpecError(f"each action is given once, got {list(values)!r}")
    kind = "output" if env.continuous else "action"
    return tuple(Action(value, words.get(value, f"{kind} {_told(value)}")) for value in values)


def _told(value: float | tuple[float, ...]) -> str:
    return ", ".join(f"{part:g}" for part in (value if isinstance(value, tuple) else (value,)))
