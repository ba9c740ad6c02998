"""Environments by id."""

from __future__ import annotations

import importlib

from mococo.envs.own import from_file, is_file, offered
from mococo.envs.spec import Environment
from mococo.errors import EnvironmentSpecError, nearest

_COMPILED = {
    "Acrobot-v1": ("mococo.envs.acrobot", "ACROBOT"),
    "CartPole-v1": ("mococo.envs.cart_pole", "CART_POLE"),
    "MountainCar-v0": ("mococo.envs.mountain_car", "MOUNTAIN_CAR"),
    "MountainCarContinuous-v0": ("mococo.envs.continuous_mountain_car", "CONTINUOUS_MOUNTAIN_CAR"),
    "Pendulum-v1": ("mococo.envs.pendulum", "PENDULUM"),
}
_REGISTERED: dict[str, Environment] = {}


def known_ids() -> list[str]:
    """Ids of all environments that can be named."""
    return sorted({*_COMPILED, *_REGISTERED})


def register(environment: Environment) -> None:
    """Make an environment of your own findable by its id."""
    if environment.id in _COMPILED:
        raise EnvironmentSpecError(f"{environment.id} is an environment of Mococo's; give yours an id of its own")
    _REGISTERED[environment.id] = environment


def find(env: str | Environment) -> Environment:
    """The environment of this id, or the environment itself."""
    if isinstance(env, Environment):
        return env
    if not isinstance(env, str):
        raise EnvironmentSpecError(f"an environment is named by its id or given as a mococo.Environment, got {env!r}")
    if env in _REGISTERED:
        return _REGISTERED[env]
    if env in _COMPILED:
        module, name = _COMPILED[env]
        found: Environment = getattr(importlib.import_module(module), name)
        return found
    for own in offered():
        register(own)
    if env in _REGISTERED:
        return _REGISTERED[env]
    hint = nearest(env, known_ids())
    advice = "" if hint.startswith("Did") else " One of your own: name its file with --import"
    raise EnvironmentSpecError(f"unknown environment {env!r}. {hint}{advice}")


def named(words: str) -> Environment:
    """What a person means on the command line: an id, or FILE.py, or FILE.py:NAME."""
    if not is_file(words):
        return find(words)
    own = from_file(words)
    register(own)
    return own
