"""How worker processes make a real Gymnasium environment, and what is done when it fails."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from multiprocessing.reduction import ForkingPickler
from types import FunctionType
from typing import TYPE_CHECKING, Any

from mococo.errors import EnvironmentSpecError

if TYPE_CHECKING:
    import gymnasium

ON_FAULT = ("stop", "worst")
Factory = Callable[[], "gymnasium.Env[Any, Any]"]


@dataclass(frozen=True)
class Simulator:
    """What makes an environment: its id and arguments for `gymnasium.make`, or a factory."""

    id: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    factory: Factory | None = None
    on_fault: str = "stop"
    """What an environment that raises, hangs, gives NaN or kills its process does: `stop` the run, or give the policy
    the `worst` performance."""
    step_timeout: float | None = None
    """Seconds that a step or a reset may take; None waits for ever."""

    def __post_init__(self) -> None:
        if self.on_fault not in ON_FAULT:
            raise EnvironmentSpecError(f"on_fault must be {' or '.join(ON_FAULT)}, got {self.on_fault!r}")
        timeout = self.step_timeout
        if timeout is not None and not (isinstance(timeout, int | float) and 0 < timeout < 1e9):
            raise EnvironmentSpecError(f"step_timeout must be a number of seconds > 0, got {timeout!r}")

    def maker(self) -> Maker:
        """What a worker is given."""
        if self.factory is not None:
            return Maker(self.factory, {})
        import gymnasium

        from mococo.envs.making import gymnasium_id

        # The spec, not the id: what this process has registered, another does not know.
        return Maker(gymnasium.spec(gymnasium_id(self.id)), dict(self.kwargs))


@dataclass(frozen=True)
class Maker:
    """Makes an environment: a specification of Gymnasium's with arguments, or a function without any."""

    source: Any
    kwargs: Mapping[str, Any]

    def __call__(self) -> gymnasium.Env[Any, Any]:
        """The environment, with its observations flattened to one array where they are several."""
        import gymnasium
        from gymnasium import spaces

        if isinstance(self.source, gymnasium.envs.registration.EnvSpec):
            env = gymnasium.make(self.source, disable_env_checker=True, **self.kwargs)
        else:
            env = self.source()
        if isinstance(env.observation_space, spaces.Dict | spaces.Tuple):
            env = gymnasium.wrappers.FlattenObservation(env)
        return env

    @property
    def travels(self) -> bool:
        """Whether it can be sent to another Python process: not if only this one knows a lambda or a local class."""
        try:
            _Travelling(io.BytesIO()).dump(self)
        except Exception:  # whatever a user's object raises, it stays here
            return False
        return True


class _Travelling(ForkingPickler):
    """What a connection sends an object with; refuses what another process could not import."""

    def reducer_override(self, thing: Any) -> Any:
        """Look at the module of each function and class."""
        if isinstance(thing, type | FunctionType):
            root = thing.__module__.partition(".")[0]
            if root not in sys.builtin_module_names and PathFinder.find_spec(root) is None:
                raise TypeError(f"{thing.__qualname__} is defined in the script itself")
        return NotImplemented
