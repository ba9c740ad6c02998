"""Mococo evolves controllers that a person can read: a handful of fuzzy IF-THEN rules for a Gymnasium environment."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mococo.config import Config
    from mococo.envs.spec import Environment
    from mococo.evaluation import evaluate
    from mococo.policy import Policy, load
    from mococo.training import train

__all__ = ["Config", "Environment", "Policy", "evaluate", "load", "train"]

_HOMES = {
    "Config": "mococo.config",
    "Environment": "mococo.envs.spec",
    "Policy": "mococo.policy",
    "evaluate": "mococo.evaluation",
    "load": "mococo.policy",
    "train": "mococo.training",
}


def __getattr__(name: str) -> object:
    # Each name is loaded when first used: numba alone takes half a second, and `mococo --help` should not wait for it.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mococo' has no attribute {name!r}")
