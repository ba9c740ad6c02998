"""Solutions and policies to performances: compiled rollouts in threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mococo.config import plain
from mococo.decoding import Partitions, RuleBases, decode_db, decode_rb
from mococo.envs.registry import EnvironmentLike, find
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, PolicyError, shown
from mococo.playing.engine import Faults, WorkerEngine
from mococo.policy import Policy
from mococo.population import SolutionSet
from mococo.rollout import Batch, Engine, check_threads, knots_for
from mococo.subspecies import Tag

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Evaluation:
    """Episodes of n policies. returns, steps : (n, n_starts); uncovered : (n,) episodes that met an uncovered state.

    An episode ends at an uncovered state, with the environment's lower bound as its return; one in which a real
    environment failed counts as faulted : (n,), with the same return.
    """

    returns: Floats
    steps: Ints
    uncovered: Ints
    faulted: Ints

    @property
    def performance(self) -> Floats:
        """(n,) mean returns, Eq. (1)."""
        return np.asarray(self.returns.mean(axis=1))


class RolloutEvaluator:
    """`algorithm.Evaluate` by rollouts of a compiled environment; results do not depend on the number of threads."""

    def __init__(
        self, env: Environment, subspecies: Sequence[Tag], omega: float, starts: Floats, threads: int | None = None
    ) -> None:
        self._env = env
        self._sets = np.array(subspecies, dtype=np.int64)
        self._omega = omega
        self._starts = starts
        self._knots = knots_for(int(self._sets.max()))
        self._engine = engine_for(env, self._knots, threads)
        self.env_steps = 0
        """Steps of all solutions' episodes so far; those of equal solutions count each time."""
        self.simulated_steps = 0
        """Steps that were really simulated."""

    @property
    def faults(self) -> Faults | None:
        """What went wrong in the episodes of a real environment."""
        return self._engine.faults if isinstance(self._engine, WorkerEngine) else None

    def __call__(self, solns: SolutionSet) -> Floats:
        """(m,) mean returns; the lower bound for a failing rule base, which meets an uncovered state."""
        env = self._env
        distinct, inverse = self._distinct(solns)
        dbs, first = np.unique(solns.first[distinct], return_inverse=True)
        rbs, second = np.unique(solns.second[distinct], return_inverse=True)
        r1, r2 = solns.r1[dbs], solns.r2[rbs]
        batch = Batch(
            np.column_stack([first, second]),
            decode_db(r1.genotype.astype(np.float64), self._sets[r1.tag], env.features, self._omega, self._knots),
            decode_rb(r2.genotype.astype(np.int8), self._sets[r2.tag], len(env.actions)),
            env.action_values,
        )
        played = self._engine.roll_out(batch, self._starts, fail_fast=True)
        per_pair = played.steps.sum(axis=1)
        self.env_steps += int(per_pair[inverse].sum())
        self.simulated_steps += int(per_pair.sum())
        return performances(env, played.returns, played.uncovered | played.faulted)[inverse]

    @staticmethod
    def _distinct(solns: SolutionSet) -> tuple[Ints, Ints]:
        """Equal pairs of genotypes are common once a population converges, and are rolled out once."""
        from mococo.kernels.repeats import distinct_pairs

        r1, r2 = solns.r1, solns.r2
        bits = np.ascontiguousarray(r1.genotype, dtype=np.float64).view(np.int64)
        return distinct_pairs(bits, r1.tag, r2.genotype.astype(np.int64), r2.tag, solns.first, solns.second)


def engine_for(env: Environment, knots: int, threads: int | None) -> Engine | WorkerEngine:
    """What rolls out policies on this environment: threads on a compiled one, as many processes on a real one."""
    if env.simulator is not None:
        return WorkerEngine(env, check_threads(threads))
    return Engine(env, knots, check_threads(threads))


def performances(env: Environment, returns: Floats, failed: NDArray[np.bool_]) -> Floats:
    """(n,) mean returns, Eq. (1); the lower bound for policies that failed in any of their (n, n_starts) episodes.

    Where the bound is a guess, a policy that covers every state can turn out to be worse. It must not rank behind one
    that does not, so it counts as the next number above.
    """
    floor = env.performance_bounds[0]
    means = returns.mean(axis=1)
    if env.estimated_bounds:
        means = np.maximum(means, np.nextafter(floor, np.inf))
    return np.asarray(np.where(failed.any(axis=1), floor, means))


def evaluate(
    policies: Policy | Sequence[Policy],
    env: EnvironmentLike,
    starts: ArrayLike | None = None,
    episodes: int = 1000,
    seed: int = 0,
    threads: int | None = None,
) -> Evaluation:
    """Episodes of each policy from the same starts: `starts`, or `episodes` fresh ones drawn with `seed`.

    >>> import mococo
    >>> rocking = mococo.Policy.from_genotypes(
    ...     (2, 2),
    ...     [0.5, 0.5, 0.5, 0.5],
    ...     [1, 2, 1, 2],
    ...     features=[("position", -1.2, 0.5), ("velocity", -0.07, 0.07)],
    ...     actions=[0, 2],
    ... )
    >>> mococo.evaluate(rocking, "MountainCar-v0", episodes=100).performance.round(0).tolist()
    [-124.0]
    """
    environment = find(env)
    several = _policies(policies)
    for policy in several:
        check_fits(policy, environment)
    if starts is None:
        episodes = plain(episodes)
        if not isinstance(episodes, int) or isinstance(episodes, bool) or episodes < 1:
            raise ConfigError(f"episodes must be a whole number >= 1, got {episodes!r}")
        states = environment.draw_starts(episodes, check_seed(seed))
    else:
        states = _check_starts(starts, environment)
    shape = (len(several), len(states))
    returns, steps, uncovered = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, bool)
    faulted = np.zeros(shape, bool)
    # The engines take one list of actions, and of derived features, at a time.
    kinds = [(tuple(a.value for a in p.actions), tuple(f.terms for f in p.features)) for p in several]
    for kind in dict.fromkeys(kinds):
        rows = [i for i, other in enumerate(kinds) if other == kind]
        first = several[rows[0]]
        batch = _batch_of([several[i] for i in rows], action_values(first))
        seen = environment if kind[1] == _terms(environment) else replace(environment, features=first.features)
        engine = engine_for(seen, batch.partitions.refs.shape[2], threads)
        returns[rows], steps[rows], uncovered[rows], faulted[rows] = engine.roll_out(batch, states, fail_fast=False)
    return Evaluation(returns, steps, uncovered.sum(axis=1), faulted.sum(axis=1))


def _policies(policies: Any) -> list[Policy]:
    several = [policies] if isinstance(policies, Policy) else list(policies) if isinstance(policies, Iterable) else None
    if several is None or not all(isinstance(policy, Policy) for policy in several):
        raise PolicyError(
            f"expected a mococo.Policy or a list of them, got {shown(policies, 60)}; mococo.load reads files, "
            f"and members of a front or archive have a .policy each"
        )
    return several


def _terms(env: Environment) -> tuple[tuple[tuple[str, float], ...], ...]:
    return tuple(feature.terms for feature in env.features)


def action_values(policy: Policy) -> Floats:
    """(k,) the policy's actions as numbers; (k, n) where each is several."""
    return np.array([action.value for action in policy.actions], dtype=np.float64)


def check_fits(policy: Policy, env: Environment) -> None:
    """Refuse a policy that cannot act in an environment."""
    observed = [feature.name for feature in policy.features if not feature.terms]
    if len(observed) != len(env.observed):
        raise PolicyError(
            f"{env.id} gives {len(env.observed)} numbers to a policy ({', '.join(f.name for f in env.observed)}), "
            f"but this policy looks at {len(observed)} ({', '.join(observed)})"
        )
    if policy.continuous != env.continuous:
        kinds = {False: "one of its actions", True: "a mean of its actions' values"}
        raise PolicyError(f"{env.id} takes {kinds[env.continuous]}, but this policy gives {kinds[policy.continuous]}")
    for action in policy.actions:
        shape = np.shape(env.actions[0].value)
        number = not isinstance(action.value, str) and np.shape(action.value) == shape
        if not number or (env.legal_actions and action.value not in env.legal_actions):
            legal = ", ".join(f"{a:g}" for a in env.legal_actions) or (f"of {shape[0]} numbers" if shape else "numbers")
            raise PolicyError(f"{env.id} takes the actions {legal}, but this policy has {action.value!r}")


def check_seed(seed: int) -> int:
    """A seed that numpy takes, as Python's own number."""
    seed = plain(seed)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise ConfigError(f"seed must be a whole number >= 0, got {shown(seed)}")
    return seed


def _batch_of(policies: Sequence[Policy], values: Floats) -> Batch:
    """Policies, each with a partition and a rule base of its own, side by side."""
    n, d = len(policies), len(policies[0].features)
    knots = knots_for(max(max(policy.tag) for policy in policies))
    sets = np.array([policy.tag for policy in policies], dtype=np.int64)
    refs = np.full((n, d, knots), 1e300)
    slopes = np.zeros((n, d, knots))
    for i, policy in enumerate(policies):
        most = max(policy.tag)
        refs[i, :, :most], slopes[i, :, :most] = policy.arrays.refs, policy.arrays.slopes
    count = np.array([len(policy.arrays.actions) for policy in policies])
    masks = np.concatenate([policy.arrays.masks for policy in policies])
    actions = np.concatenate([policy.arrays.actions for policy in policies])
    rules = RuleBases(np.cumsum(count) - count, count, masks, actions)
    return Batch(np.repeat(np.arange(n)[:, None], 2, axis=1), Partitions(sets, refs, slopes), rules, values)


def _check_starts(starts: ArrayLike, env: Environment) -> Floats:
    try:
        states = np.asarray(starts, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConfigError(f"starts must be finite states of {env.id}, got {shown(starts, 60)}") from None
    if states.ndim != 2 or states.shape[1] != env.n_state or len(states) == 0 or not np.isfinite(states).all():
        raise ConfigError(
            f"starts must be finite states of {env.id}, shape (n, {env.n_state}), got shape {states.shape}"
        )
    return np.ascontiguousarray(states)


class PolicySequence(Sequence[Any]):
    """The solutions of a set as policies, made one at a time: what a user's own evaluation is given."""

    def __init__(self, solns: SolutionSet, make: Callable[[int, Any, Any], Policy]) -> None:
        self._solns = solns
        self._make = make

    def __len__(self) -> int:
        return len(self._solns)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        s = self._solns
        return self._make(int(s.tag[index]), s.r1.genotype[s.first[index]], s.r2.genotype[s.second[index]])


def user_evaluation(
    function: Callable[[Sequence[Policy]], ArrayLike], make: Callable[[int, Any, Any], Policy]
) -> Callable[[SolutionSet], Floats]:
    """A user's function from policies to performances, as `algorithm.Evaluate`."""
    if not callable(function):
        raise ConfigError(f"evaluate must be a function from policies to performances, got {function!r}")

    def call(solns: SolutionSet) -> Floats:
        answer = function(PolicySequence(solns, make))
        try:
            performances = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise ConfigError(
                f"the evaluation must give one finite performance for each of the {len(solns)} policies, "
                f"got {str(answer)[:60]}"
            ) from None
        if performances.shape != (len(solns),) or not np.isfinite(performances).all():
            raise ConfigError(
                f"the evaluation must give one finite performance for each of the {len(solns)} policies, "
                f"got shape {performances.shape}"
                + ("" if performances.shape != (len(solns),) else " with values that are not finite")
            )
        return performances

    return call
