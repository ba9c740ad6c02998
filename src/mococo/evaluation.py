"""Solutions and policies to performances: compiled rollouts in threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mococo.decoding import Partitions, RuleBases, decode_db, decode_rb
from mococo.envs.registry import find
from mococo.envs.spec import Environment
from mococo.errors import ConfigError, PolicyError, shown
from mococo.policy import Policy
from mococo.population import SolutionSet
from mococo.rollout import Batch, Engine, check_threads, knots_for
from mococo.subspecies import Tag

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Evaluation:
    """Episodes of n policies. returns, steps : (n, n_starts); uncovered : (n,) episodes that met an uncovered state.

    An episode ends at an uncovered state, with the environment's lower bound as its return.
    """

    returns: Floats
    steps: Ints
    uncovered: Ints

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
        self._engine = Engine(env, self._knots, check_threads(threads))
        self.env_steps = 0
        """Steps of all solutions' episodes so far; those of equal solutions count each time."""
        self.simulated_steps = 0
        """Steps that were really simulated."""

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
        returns, steps, uncovered = self._engine.roll_out(batch, self._starts, fail_fast=True)
        per_pair = steps.sum(axis=1)
        self.env_steps += int(per_pair[inverse].sum())
        self.simulated_steps += int(per_pair.sum())
        performance: Floats = np.where(uncovered.any(axis=1), env.performance_bounds[0], returns.mean(axis=1))
        return performance[inverse]

    @staticmethod
    def _distinct(solns: SolutionSet) -> tuple[Ints, Ints]:
        """Equal pairs of genotypes are common once a population converges, and are rolled out once."""
        from mococo.kernels.repeats import distinct_pairs

        r1, r2 = solns.r1, solns.r2
        bits = np.ascontiguousarray(r1.genotype, dtype=np.float64).view(np.int64)
        return distinct_pairs(bits, r1.tag, r2.genotype.astype(np.int64), r2.tag, solns.first, solns.second)


def evaluate(
    policies: Policy | Sequence[Policy],
    env: str | Environment,
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
        if not isinstance(episodes, int) or isinstance(episodes, bool) or episodes < 1:
            raise ConfigError(f"episodes must be a whole number >= 1, got {episodes!r}")
        states = environment.draw_starts(episodes, check_seed(seed))
    else:
        states = _check_starts(starts, environment)
    shape = (len(several), len(states))
    returns, steps, uncovered = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, bool)
    # The kernels take one list of actions at a time.
    kinds = [tuple(action_values(policy).tolist()) for policy in several]
    for kind in sorted(set(kinds)):
        rows = [i for i, other in enumerate(kinds) if other == kind]
        batch = _batch_of([several[i] for i in rows], np.array(kind))
        engine = Engine(environment, batch.partitions.refs.shape[2], check_threads(threads))
        returns[rows], steps[rows], uncovered[rows] = engine.roll_out(batch, states, fail_fast=False)
    return Evaluation(returns, steps, uncovered.sum(axis=1))


def _policies(policies: Any) -> list[Policy]:
    several = [policies] if isinstance(policies, Policy) else list(policies) if isinstance(policies, Iterable) else None
    if several is None or not all(isinstance(policy, Policy) for policy in several):
        raise PolicyError(
            f"expected a mococo.Policy or a list of them, got {str(policies)[:60]}; mococo.load reads files"
        )
    return several


def action_values(policy: Policy) -> Floats:
    """(k,) the policy's actions as numbers."""
    return np.array([float(action.value) for action in policy.actions])  # type: ignore[arg-type]


def check_fits(policy: Policy, env: Environment) -> None:
    """Refuse a policy that cannot act in an environment."""
    if len(policy.features) != len(env.features):
        raise PolicyError(
            f"{env.id} gives {len(env.features)} numbers to a policy ({', '.join(f.name for f in env.features)}), "
            f"but this policy looks at {len(policy.features)} ({', '.join(f.name for f in policy.features)})"
        )
    if policy.continuous != env.continuous:
        kinds = {False: "one of its actions", True: "a mean of its actions' values"}
        raise PolicyError(f"{env.id} takes {kinds[env.continuous]}, but this policy gives {kinds[policy.continuous]}")
    for action in policy.actions:
        number = isinstance(action.value, int | float)
        if not number or (env.legal_actions and action.value not in env.legal_actions):
            legal = ", ".join(f"{a:g}" for a in env.legal_actions) or "numbers"
            raise PolicyError(f"{env.id} takes the actions {legal}, but this policy has {action.value!r}")


def check_seed(seed: int) -> int:
    """A seed that numpy takes."""
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
        raise ConfigError(f"starts must be finite states of {env.id}, got {str(starts)[:60]}") from None
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
