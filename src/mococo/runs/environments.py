"""The environment in a run's record: exactly the one that it was trained on, whatever an id stands for today."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from mococo.envs.choices import Choices
from mococo.envs.derived import formula
from mococo.envs.registry import find, known
from mococo.envs.seeds import draw_seeds, training_seeds
from mococo.envs.simulator import Simulator
from mococo.envs.spec import Action, Environment, Feature
from mococo.errors import EnvironmentSpecError, FileFormatError, MococoError

COMPILED, GYMNASIUM, FUNCTION = "compiled", "gymnasium", "function"


class FeatureRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature with its domain."""

    name: str
    low: float
    high: float
    ends: tuple[str, str]
    crisp: bool
    terms: tuple[tuple[str, float], ...]


class ActionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action's value and words."""

    value: int | float | str | tuple[float, ...]
    words: str


class EnvironmentRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that was given, estimated or chosen."""

    made: str
    """`compiled`; by `gymnasium` from its id and kwargs; or by a `function` of the user's."""
    kwargs: dict[str, Any]
    features: tuple[FeatureRecord, ...]
    actions: tuple[ActionRecord, ...]
    continuous: bool
    performance_bounds: tuple[float, float]
    estimated_bounds: bool
    t_max: int
    gamma: float
    on_fault: str
    step_timeout: float | None


def record_of(env: Environment) -> EnvironmentRecord:
    """The environment as plain data."""
    simulator = env.simulator or Simulator(env.id)
    made = COMPILED if env.simulator is None else GYMNASIUM if simulator.factory is None else FUNCTION
    try:
        kwargs = msgspec.json.decode(msgspec.json.encode(dict(simulator.kwargs)))
    except (TypeError, msgspec.MsgspecError) as error:
        raise EnvironmentSpecError(f"{env.id}: its arguments cannot be kept in a run's folder ({error})") from None
    return EnvironmentRecord(
        made=made,
        kwargs=kwargs,
        features=tuple(FeatureRecord(f.name, f.low, f.high, f.ends, f.crisp, f.terms) for f in env.features),
        actions=tuple(ActionRecord(a.value, a.words) for a in env.actions),
        continuous=env.continuous,
        performance_bounds=env.performance_bounds,
        estimated_bounds=env.estimated_bounds,
        t_max=env.t_max,
        gamma=env.gamma,
        on_fault=simulator.on_fault,
        step_timeout=simulator.step_timeout,
    )


def environment_of(env_id: str, record: EnvironmentRecord | None, *, where: object) -> Environment:
    """The environment of a run; `where` is the file that tells of it."""
    if record is None:
        return find(env_id)
    base = _base(env_id, record)
    try:
        return replace(
            base,
            features=tuple(Feature(f.name, f.low, f.high, f.ends, f.crisp, f.terms) for f in record.features),
            actions=tuple(Action(a.value, a.words) for a in record.actions),
            performance_bounds=record.performance_bounds,
            t_max=record.t_max,
            gamma=record.gamma,
            estimated_bounds=record.estimated_bounds,
            simulator=base.simulator
            and replace(base.simulator, on_fault=record.on_fault, step_timeout=record.step_timeout),
            notes=(),
        )
    except MococoError as error:
        raise FileFormatError(f"{where}: {error}") from None


def choices_of(env: Environment, base: Environment | None) -> Choices:
    """What has to be said of `base`, or else of what Gymnasium tells by itself, to have this environment again."""
    old = base.features if base else env.observed
    kept, derived = env.features[: len(old)], env.features[len(old) :]
    names = tuple(f.name for f in env.observed)
    domains = {f.name: (f.low, f.high) for f, o in zip(kept, old, strict=True) if not base or _ends(f) != _ends(o)}
    values = [a.value for a in env.actions]
    said: dict[str, Any] = {
        "names": names if not base or names != tuple(f.name for f in base.observed) else (),
        "domains": domains,
        "features": tuple(f"{f.name} = {formula(f)} in [{f.low!r}, {f.high!r}]" for f in derived),
        "actions": () if values == ([a.value for a in base.actions] if base else _counted(values)) else values,
    }
    for name in ("gamma", "t_max"):
        if not base or getattr(env, name) != getattr(base, name):
            said[name] = getattr(env, name)
    if env.performance_bounds != base.performance_bounds if base else env.estimated_bounds:
        said["performance_bounds"] = env.performance_bounds
    if env.simulator:
        plain = base.simulator if base and base.simulator else Simulator(env.id)
        for name in ("kwargs", "on_fault", "step_timeout"):
            if getattr(env.simulator, name) != getattr(plain, name):
                said[name] = getattr(env.simulator, name)
    return msgspec.convert(said, Choices)


def _counted(values: Sequence[Any]) -> Sequence[Any]:
    """The actions that a Discrete space has by itself: those that a user names are no whole numbers any more."""
    return values if all(isinstance(value, int) for value in values) else ()


def _ends(feature: Feature) -> tuple[float, float]:
    return feature.low, feature.high


def _base(env_id: str, record: EnvironmentRecord) -> Environment:
    """What a record cannot hold: functions, or how Gymnasium makes it."""
    if record.made == GYMNASIUM:
        _check_module(env_id)
        return Environment(
            id=env_id,
            features=(Feature("x", 0.0, 1.0),),
            actions=(Action(0, ""),),
            performance_bounds=(0.0, 1.0),
            t_max=1,
            n_state=1,
            step=None,
            observe=None,
            draw_starts=draw_seeds,
            training_starts=training_seeds,
            float32=False,
            continuous=record.continuous,
            simulator=Simulator(env_id, kwargs=record.kwargs),
        )
    base = known(env_id)
    if base is None and record.made == FUNCTION:
        raise EnvironmentSpecError(
            f"the environment {env_id} was made by a function in Python; name the file that holds it: --import FILE.py"
        )
    if base is None:
        raise EnvironmentSpecError(
            f"the environment {env_id} is not one of Mococo's; name the file that holds it: --import FILE.py"
        )
    return base


def _check_module(env_id: str) -> None:
    """Gymnasium imports the module of an id like `module:Name-v0`; a file must not make it do so."""
    module = env_id.partition(":")[0]
    if ":" in env_id and module not in sys.modules:
        raise EnvironmentSpecError(
            f"the environment {env_id} comes from the module {module}, which is not imported because a file says so; "
            f"import it yourself, in a file that you name with --import"
        )
