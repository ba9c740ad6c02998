"""`mococo.train`: an environment and settings to a front of readable policies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mococo.algorithm import Evaluate, Generation, State, eval_soln_set, fuzzy_mococo, initial_state
from mococo.config import Config, make_config
from mococo.envs.gymnasium_env import proposed
from mococo.envs.proposal import budget, check_budget
from mococo.envs.registry import EnvironmentLike, find
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, shown
from mococo.evaluation import RolloutEvaluator, check_seed, user_evaluation
from mococo.front import Decoder, Front
from mococo.policy import Policy
from mococo.population import Problem, SolutionSet
from mococo.refinement import Refiner
from mococo.subspecies import tag_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UserEvaluation = Callable[[Sequence[Policy]], ArrayLike]


@dataclass(frozen=True)
class Record:
    """A generation in a few numbers."""

    gen: int
    evaluations: int
    """Policies evaluated in this generation."""
    env_steps: int
    """Environment steps taken in this generation; 0 where the evaluation does not count them."""
    best: dict[int, float]
    """Best performance at each complexity of the generation's F_1."""
    hypervolume: float
    """Area of F_1 over the worst performance and the largest complexity."""
    archive_hypervolume: float
    archive_size: int
    seconds: float
    faults: int = 0
    """Episodes of this generation in which a real environment failed."""
    refined: int = 0
    """How many of the evaluations were of neighbours of the archive's policies: see `mococo.refinement`."""
    archive_best: dict[int, float] = field(default_factory=dict)
    """Performance at each complexity of the archive, in which those neighbours may be."""


@dataclass(frozen=True)
class Checkpoint:
    """All that is needed to go on after a generation as if nothing had happened."""

    state: State
    archive: Front
    f1: Front
    """F_1 of the last generation."""


@dataclass(frozen=True)
class Progress:
    """What `evolve` yields after each generation."""

    record: Record
    solns: SolutionSet
    archive: Front
    state: State
    """All that is needed to go on from here."""
    decoder: Decoder
    faults: str = ""
    """What went wrong in a real environment's episodes since the start, or since the run was resumed."""

    @property
    def front(self) -> Front:
        """F_1 of this generation."""
        return Front.of(self.solns, self.record.gen, self.decoder)

    @property
    def checkpoint(self) -> Checkpoint:
        """Where `evolve` can start again."""
        return Checkpoint(self.state, self.archive, self.front)


@dataclass(frozen=True)
class Result:
    """A finished run."""

    env: Environment
    config: Config
    seed: int
    front: Front
    """F_1 of the last generation: what the paper reports."""
    archive: Front
    """The non-dominated policies ever found, one for each pair of performance and complexity."""
    history: tuple[Record, ...]
    ended: str = ""
    """Why a callback ended the run; empty where all generations were run."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the hypervolume over the generations, on these axes or on new ones."""
        from mococo.report.seeds_figure import draw_hypervolume

        return draw_hypervolume([self.history], ax)


class Callback(Protocol):
    """Watches a run. A class of your own need not inherit from this, only have both methods."""

    def on_generation(self, progress: Progress) -> str | None:
        """After each generation. A text ends the run here, and tells why."""

    def on_end(self, result: Result) -> object:
        """After the last generation."""


def train(
    env: EnvironmentLike,
    seed: int = 0,
    config: Config | None = None,
    *,
    evaluate: UserEvaluation | None = None,
    threads: int | None = None,
    callbacks: Sequence[Callback] = (),
    **settings: Any,
) -> Result:
    """Run Fuzzy MoCoCo to the end. Settings by name override those of `config`.

    `callbacks` watch the run, and may end it: see `mococo.training.Callback`, `mococo.stops` and `mococo.loggers`.

    >>> import mococo
    >>> result = mococo.train("MountainCar-v0", seed=1, num_gens=3, db_pop_size=20, rb_pop_size=40)
    >>> [record.gen for record in result.history]
    [0, 1, 2]
    >>> result.archive.best.performance >= result.front.best.performance
    True
    """
    environment, seed = find(env), check_seed(seed)
    resolved = resolve(environment, config, settings)
    _check_callbacks(callbacks)
    history = []
    for progress in evolve(environment, seed, resolved, evaluate=evaluate, threads=threads):
        history.append(progress.record)
        ended = "; ".join(filter(None, [callback.on_generation(progress) for callback in callbacks]))
        if ended:
            break
    result = Result(environment, resolved, seed, progress.front, progress.archive, tuple(history), ended)
    for callback in callbacks:
        callback.on_end(result)
    return result


def evolve(
    env: EnvironmentLike,
    seed: int = 0,
    config: Config | None = None,
    *,
    evaluate: UserEvaluation | None = None,
    threads: int | None = None,
    start: Checkpoint | None = None,
    **settings: Any,
) -> Iterator[Progress]:
    """Run Fuzzy MoCoCo generation by generation.

    `evaluate` replaces the rollouts: it is given the policies of a generation, and after them the archive's neighbours
    if `refine` is not 0, and returns their performances, for example from a test rig.
    `start` is a checkpoint of the same run, from which it goes on as if it had never stopped.
    """
    environment = find(env)
    resolved = resolve(environment, config, settings)
    problem = Problem(
        resolved.subspecies,
        len(environment.actions),
        environment.performance_bounds,
        resolved.min_complexity,
        resolved.failed == "worst",
    )
    decoder = Decoder.of(environment, resolved)
    evaluator: Evaluate
    if evaluate is None:
        starts = environment.training_starts(resolved.eta)
        evaluator = RolloutEvaluator(environment, resolved.subspecies, resolved.omega, starts, threads)
    else:
        evaluator = user_evaluation(evaluate, decoder.policy)
    state = initial_state(problem, resolved, check_seed(seed)) if start is None else start.state
    archive = Front.empty(decoder) if start is None else start.archive
    refiner = Refiner(evaluator, problem, resolved.refine)
    refiner.look_at(archive, state.rng)
    steps_before, faults_before, clock = 0, 0, time.perf_counter()
    for generation in fuzzy_mococo(refiner, problem, resolved, state):
        near = eval_soln_set(refiner.near, refiner.answer, problem)
        for solns in (generation.solns, near):
            archive = archive.merged(Front.of(solns, generation.gen, decoder))
        refiner.look_at(archive, generation.state.rng)
        steps, now = getattr(evaluator, "env_steps", 0), time.perf_counter()
        faults = getattr(evaluator, "faults", None)
        record = _record(generation, archive, problem, (steps - steps_before, len(near)), now - clock)
        if faults is not None:
            record = replace(record, faults=faults.total - faults_before)
            faults_before = faults.total
        steps_before, clock = steps, now
        yield Progress(record, generation.solns, archive, generation.state, decoder, str(faults or ""))


def _check_callbacks(callbacks: Sequence[Callback]) -> None:
    if not isinstance(callbacks, Sequence):
        raise ConfigError(f"callbacks must be a list, got {shown(callbacks)}")
    for callback in callbacks:
        for method in ("on_generation", "on_end"):
            if not callable(getattr(callback, method, None)):
                raise ConfigError(
                    f"a callback needs the methods on_generation(progress) and on_end(result), got {shown(callback)} "
                    f"without {method}"
                )


def without_auto(env: Environment, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with subspecies proposed for this environment where they are to be `auto`."""
    named = dict(settings)
    genes = budget(named["subspecies"]) if isinstance(named.get("subspecies"), str) else None
    if genes is not None:
        check_budget(genes, named["subspecies"])
        named["subspecies"] = proposed(env, genes).tags
    return named


def resolve(env: Environment, config: Config | None, settings: dict[str, Any]) -> Config:
    """The settings of a run: by name, over `config`, over the environment's own."""
    settings = without_auto(env, settings)
    if config is not None and not isinstance(config, Config):
        raise ConfigError(f"config must be a mococo.Config, got {type(config).__name__}; give settings by name instead")
    resolved = make_config(settings, make_config(env.settings) if config is None else config)
    resolved.check_for(len(env.features), len(env.actions))
    for tag in resolved.subspecies:
        for m, feature in zip(tag, env.features, strict=True):
            if feature.crisp and m not in {1, feature.categories}:
                raise ConfigError(
                    f"crisp feature {feature.name!r} has one set for each of its {feature.categories} values, or 1 "
                    f"where policies do not look at it, got {m} in subspecies {tag_text(tag)}"
                )
    return resolved


def _record(
    generation: Generation, archive: Front, problem: Problem, counts: tuple[int, int], seconds: float
) -> Record:
    env_steps, refined = counts
    solns = generation.solns
    worst = (problem.perf_bounds[0], problem.comp_bounds[1])
    f1 = Front.of(solns, generation.gen, archive.decoder)
    best, archive_best = (
        {int(c): float(front.perf[front.comp == c].max()) for c in np.unique(front.comp)} for front in (f1, archive)
    )
    return Record(
        gen=generation.gen,
        evaluations=len(solns) + refined,
        env_steps=env_steps,
        best=best,
        hypervolume=f1.hypervolume(*worst),
        archive_hypervolume=archive.hypervolume(*worst),
        archive_size=len(archive),
        seconds=seconds,
        refined=refined,
        archive_best=archive_best,
    )
