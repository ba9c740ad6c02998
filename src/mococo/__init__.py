"""Mococo evolves controllers that a person can read: a handful of fuzzy IF-THEN rules for a Gymnasium environment."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mococo.config import Config
    from mococo.envs.making import environment
    from mococo.envs.registry import register
    from mococo.envs.spec import Action, Environment, Feature, clip
    from mococo.errors import UncoveredState
    from mococo.evaluation import evaluate
    from mococo.policy import Policy, load
    from mococo.training import train

__all__ = [
    "Action",
    "Config",
    "Environment",
    "Feature",
    "Policy",
    "UncoveredState",
    "clip",
    "environment",
    "evaluate",
    "load",
    "register",
    "train",
]

_HOMES = {
    "Action": "mococo.envs.spec",
    "Config": "mococo.config",
    "Environment": "mococo.envs.spec",
    "Feature": "mococo.envs.spec",
    "Policy": "mococo.policy",
    "UncoveredState": "mococo.errors",
    "clip": "mococo.envs.spec",
    "environment": "mococo.envs.making",
    "evaluate": "mococo.evaluation",
    "load": "mococo.policy",
    "register": "mococo.envs.registry",
    "train": "mococo.training",
}


def __getattr__(name: str) -> object:
    # Each name is loaded when first used: numba alone takes half a second, and `mococo --help` should not wait for it.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mococo' has no attribute {name!r}")
