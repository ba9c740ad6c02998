"""`mococo.environment`: what a user has (an id, a function that makes it) as an environment to train policies on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mococo.envs.choices import Choices, make_choices, tailored
from mococo.envs.simulator import Simulator
from mococo.envs.spec import Environment
from mococo.errors import EnvironmentSpecError, nearest


def environment(
    source: str | Environment | Callable[[], Any], *, name: str | None = None, **choices: Any
) -> Environment:
    """An environment by its id, or made by a function without arguments, with what you want otherwise.

    `choices` are those of `mococo.envs.choices.Choices`: `kwargs`, `names`, `features`, `domains`, `actions`, `gamma`,
    `t_max`, `performance_bounds`, `on_fault`, `step_timeout`. `name` is what a run calls an environment of a function.

    >>> import mococo
    >>> env = mococo.environment("MountainCar-v0", features=["soon = position + 10*velocity"])
    >>> [feature.name for feature in env.features]
    ['position', 'velocity', 'soon']
    """
    from mococo.envs.registry import find, known

    chosen = make_choices(choices)
    if callable(source) and not isinstance(source, Environment):
        _check_no_kwargs(chosen)
        label = name or getattr(source, "__qualname__", type(source).__name__).replace("<", "").replace(">", "")
        return described(Simulator(label, factory=source), chosen)
    held = known(source) if isinstance(source, str) else find(source)
    if held is None:
        return described(Simulator(gymnasium_id(str(source)), kwargs=chosen.kwargs), chosen)
    env = held
    if chosen.kwargs and env.simulator is not None and env.simulator.factory is None:
        env = replace(env, simulator=replace(env.simulator, kwargs={**env.simulator.kwargs, **chosen.kwargs}))
    wanted = tailored(env, chosen)
    if len(wanted.features) == len(env.features):
        return wanted
    from mococo.envs.gymnasium_env import explore_env, with_proposal

    return with_proposal(wanted, explore_env(wanted))  # its own subspecies do not know of the new features


def _check_no_kwargs(choices: Choices) -> None:
    if choices.kwargs:
        raise EnvironmentSpecError("a function makes its environment without arguments; give them inside of it")


def described(simulator: Simulator, choices: Choices) -> Environment:
    """A real environment with the user's choices, looked at with these in force."""
    from mococo.envs.gymnasium_env import from_gymnasium

    careful: Mapping[str, Any] = {
        name: value for name in ("on_fault", "step_timeout") if (value := getattr(choices, name)) is not None
    }
    return from_gymnasium(replace(simulator, **careful), choices)


def gymnasium_id(name: str) -> str:
    """The id, if Gymnasium knows it, or a file that the user has named tells it."""
    import gymnasium

    from mococo.envs.own import offered

    offered()
    try:
        gymnasium.spec(name)
    except ModuleNotFoundError as error:
        raise EnvironmentSpecError(f"{name} cannot be found: {error}") from None
    except gymnasium.error.DeprecatedEnv as error:
        raise EnvironmentSpecError(f"{name} cannot be used: {error}") from None
    except gymnasium.error.Error:
        module, _, inner = name.rpartition(":")
        if module:  # a run's folder may name an id; it never names what is imported
            advice = f"have it registered first: --import {module}.py {inner}, or in Python import {module}"
            raise EnvironmentSpecError(f"unknown environment {name!r}; {advice}") from None
        hint = _near(name, list(gymnasium.registry))
        other_version = f"mean {name.rpartition('-v')[0] or name}-v".lower() in hint.lower()
        advice = "" if other_version else " One of your own: name its file with --import"
        raise EnvironmentSpecError(f"unknown environment {name!r}. {hint}{advice}") from None
    return name


def _near(name: str, theirs: list[str]) -> str:
    """The nearest id, or only those that are described here: all of Gymnasium's would fill the screen."""
    from mococo.envs.registry import known_ids

    hint = nearest(name, {*known_ids(), *theirs})
    return hint if hint.startswith("Did") else nearest(name, known_ids())
