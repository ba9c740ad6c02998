"""Which environments there are: compiled, a user's own, Gymnasium's, and those that an extra would add."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from mococo.envs import own
from mococo.envs.registry import compiled_ids, find
from mococo.envs.spec import Environment

# Parts of Gymnasium that need a library which does not come with it, and how to get that.
_PARTS = {
    "gymnasium.envs.box2d": ("Box2D", "mococo[box2d]"),
    "gymnasium.envs.mujoco": ("mujoco", "gymnasium[mujoco]"),
    "gymnasium.envs.phys2d": ("jax", "gymnasium[jax]"),
    "gymnasium.envs.tabular": ("jax", "gymnasium[jax]"),
}


@dataclass(frozen=True)
class Other:
    """An environment of Gymnasium's registry. needs: what pip would have to install; empty where it can be made."""

    id: str
    needs: str


def compiled() -> list[Environment]:
    """The environments that come compiled."""
    return [find(env_id) for env_id in compiled_ids()]


def users() -> list[Environment]:
    """The environments of files that were named, and of installed packages."""
    return own.offered()


def others() -> list[Other]:
    """Gymnasium's others, each in its newest version."""
    import gymnasium

    newest: dict[str, int] = {}
    for spec in gymnasium.registry.values():
        if getattr(spec.entry_point, "__module__", "").startswith("gymnasium"):  # bridges to old versions of Gym
            continue
        name = f"{spec.namespace}/{spec.name}" if spec.namespace else spec.name
        newest[name] = max(newest.get(name, -1), -1 if spec.version is None else spec.version)
    ids = {name if version < 0 else f"{name}-v{version}" for name, version in newest.items()}
    return [
        Other(env_id, _needs(str(gymnasium.registry[env_id].entry_point))) for env_id in sorted(ids - {*compiled_ids()})
    ]


def _needs(entry_point: str) -> str:
    module = entry_point.partition(":")[0]
    for part, (library, package) in _PARTS.items():
        if module.startswith(part):
            return "" if importlib.util.find_spec(library) else package
    root = module.partition(".")[0]
    return "" if not root.isidentifier() or importlib.util.find_spec(root) else root
