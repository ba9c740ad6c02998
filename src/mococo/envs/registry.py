"""Environments by id."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from mococo.envs.own import from_file, is_file, offered
from mococo.envs.spec import Environment
from mococo.errors import EnvironmentSpecError

EnvironmentLike = str | Environment | Callable[[], Any]
"""An id, an environment, or a function that makes one of Gymnasium's."""

_COMPILED = {
    "Acrobot-v1": ("mococo.envs.acrobot", "ACROBOT"),
    "CartPole-v1": ("mococo.envs.cart_pole", "CART_POLE"),
    "MountainCar-v0": ("mococo.envs.mountain_car", "MOUNTAIN_CAR"),
    "MountainCarContinuous-v0": ("mococo.envs.continuous_mountain_car", "CONTINUOUS_MOUNTAIN_CAR"),
    "Pendulum-v1": ("mococo.envs.pendulum", "PENDULUM"),
}
_DESCRIBED = {"LunarLander-v3": ("mococo.envs.lunar_lander", "LUNAR_LANDER")}
_REGISTERED: dict[str, Environment] = {}


def known_ids() -> list[str]:
    """Ids of all environments that can be named."""
    return sorted({*_COMPILED, *_DESCRIBED, *_REGISTERED})


def compiled_ids() -> list[str]:
    """Ids of the environments that come compiled."""
    return sorted(_COMPILED)


def register(environment: Environment) -> None:
    """Make an environment of your own findable by its id."""
    if environment.id in {*_COMPILED, *_DESCRIBED}:
        raise EnvironmentSpecError(f"{environment.id} is an environment of Mococo's; give yours an id of its own")
    _REGISTERED[environment.id] = environment


def find(env: EnvironmentLike) -> Environment:
    """The environment of this id, or that a function makes, or the environment itself."""
    if isinstance(env, Environment):
        return env
    if callable(env):
        from mococo.envs.making import environment

        return environment(env)
    if not isinstance(env, str):
        raise EnvironmentSpecError(
            f"an environment is named by its id, given as a mococo.Environment, or made by a function, got {env!r}"
        )
    held = known(env)
    if held is not None:
        return held
    from mococo.envs.making import environment

    return environment(env)


def known(env_id: str) -> Environment | None:
    """The environment that is described here, or by the user, under this id."""
    if env_id in _REGISTERED:
        return _REGISTERED[env_id]
    shipped = {**_COMPILED, **_DESCRIBED}
    if env_id in shipped:
        module, name = shipped[env_id]
        found: Environment = getattr(importlib.import_module(module), name)
        return found
    for own in offered():
        register(own)
    return _REGISTERED.get(env_id)


def named(words: str, **choices: Any) -> Environment:
    """What a person means on the command line: an id, or FILE.py, or FILE.py:NAME; with what he wants otherwise."""
    from mococo.envs.making import environment

    if not is_file(words):
        return environment(words, **choices)
    own = from_file(words)
    register(own)
    return environment(own, **choices)
