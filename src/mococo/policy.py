"""A policy: a complete fuzzy rule-based system (section 2.2), decoded from a DB and an RB genotype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mococo.decoding import decode_db, decode_rb
from mococo.envs.spec import Action, Feature
from mococo.errors import ObservationError, UncoveredState
from mococo.genotypes import (
    as_action,
    as_feature,
    check_actions,
    check_features,
    check_genotypes,
    listed,
    plain_numbers,
)
from mococo.observations import checked_observations
from mococo.subspecies import Tag, tag_text
from mococo.words import set_names, spoken_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """A CNF rule: for each feature the sets that fulfil its clause, and the action that it votes for."""

    clauses: tuple[tuple[bool, ...], ...]
    action: int
    """Place in the policy's list of actions, 1 ... k."""
    text: str

    @property
    def gabil(self) -> str:
        """The paper's encoding: a bit mask for each clause, then the action."""
        masks = ["".join("1" if selected else "0" for selected in clause) for clause in self.clauses]
        return "|".join([*masks, str(self.action)])

    @property
    def decision_points(self) -> int:
        """Fuzzy subspaces that the rule covers: its part of Eq. (2)."""
        points = 1
        for clause in self.clauses:
            points *= sum(clause)
        return points

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Policy:
    """A controller that a person can read.

    >>> policy = Policy.from_genotypes(
    ...     (2, 2),
    ...     [0.5, 0.5, 0.5, 0.5],
    ...     [1, 0, 0, 2],
    ...     features=[("position", -1.2, 0.5), ("velocity", -0.07, 0.07)],
    ...     actions=["left", "right"],
    ... )
    >>> policy.act([-1.0, -0.06])
    'left'
    >>> [rule.gabil for rule in policy.rules]
    ['10|10|1', '01|01|2']
    >>> print(policy.rules[0])
    IF position is Low AND velocity is Low THEN left
    """

    tag: Tag
    db: tuple[float, ...]
    rb: tuple[int, ...]
    features: tuple[Feature, ...]
    actions: tuple[Action, ...]
    omega: float = 0.75
    continuous: bool = False
    """Whether the output is the mean of the actions' values, weighted with their votes (Takagi-Sugeno-Kang)."""

    @staticmethod
    def from_genotypes(  # noqa: PLR0913, PLR0917 - the parts of a policy
        tag: Sequence[int],
        db: Sequence[float] | Floats,
        rb: Sequence[int] | NDArray[np.int8],
        features: Sequence[Feature | tuple[str, float, float]],
        actions: Sequence[Action | int | float | str],
        omega: float = 0.75,
        continuous: bool = False,
    ) -> Policy:
        """Build a policy; alleles of `rb` are 0 (unspecified) or 1 ... k, the places in the list of actions."""
        return Policy(
            plain_numbers("tag", tag),
            plain_numbers("db", db, float),
            plain_numbers("rb", rb),
            tuple(as_feature(feature) for feature in listed("features", features)),
            tuple(as_action(action) for action in listed("actions", actions)),
            omega,
            continuous,
        )

    def __post_init__(self) -> None:
        check_features(self.tag, self.features, self.omega)
        check_actions(self.actions, self.continuous)
        check_genotypes(self.tag, self.db, self.rb, len(self.actions))

    @property
    def complexity(self) -> int:
        """Number of decision points: the specified alleles of the RB (section 5.3)."""
        return sum(1 for allele in self.rb if allele)

    @cached_property
    def set_names(self) -> tuple[tuple[str, ...], ...]:
        """For each feature the names of its fuzzy sets."""
        return tuple(
            tuple(str(int(feature.low) + j) for j in range(m)) if feature.crisp else set_names(m, feature.ends)
            for m, feature in zip(self.tag, self.features, strict=True)
        )

    @cached_property
    def reference_coordinates(self) -> tuple[tuple[float, ...], ...]:
        """For each feature the coordinates r_1 < ... < r_m at which its sets are wholly true."""
        refs = self.arrays.refs
        return tuple(tuple(refs[f, :m].tolist()) for f, m in enumerate(self.tag))

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The merged CNF rules."""
        rules = []
        for masks, a in zip(self.arrays.masks, self.arrays.actions, strict=True):
            clauses = tuple(
                tuple(bool(mask >> j & 1) for j in range(m)) for mask, m in zip(masks, self.tag, strict=True)
            )
            rules.append(Rule(clauses, int(a) + 1, self._text(clauses, int(a))))
        return tuple(rules)

    def truths(self, obs: ArrayLike) -> Floats:
        """Truth (firing strength) of each rule : (n_rules,), for one observation."""
        return self._infer(self._single(obs))[0].reshape(-1)

    def strengths(self, obs: ArrayLike) -> Floats:
        """Sum of the truths of each action's rules : (k,)."""
        return self._infer(self._single(obs))[1].reshape(-1)

    def votes(self, obs: ArrayLike) -> Floats:
        """g_a : (k,), each action's share of the truth of all rules; all zero in an uncovered state."""
        strengths = self.strengths(obs)
        total = strengths.sum()
        return strengths / total if total > 0 else strengths

    def act(self, obs: ArrayLike) -> Any:
        """The environment's action for one observation; `UncoveredState` if no rule fires."""
        observation = self._single(obs)
        return self._means(observation)[0] if self.continuous else self.actions[self._choices(observation)[0]].value

    def predict(
        self,
        observation: ArrayLike,
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[Any] | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """Actions in the manner of Stable-Baselines3: one observation (d,) gives one action, (n, d) give (n,).

        A continuous policy gives float32 outputs, of shape (a,) and (n, a) where its environment takes `a` numbers.
        A policy has no memory and no chance, so `state` comes back as it is and the other arguments have no effect.
        """
        del episode_start, deterministic
        observations, single = checked_observations(observation, self.features)
        if self.continuous:
            values = self._means(observations)
        else:
            values = np.array([action.value for action in self.actions])[self._choices(observations)]
        return (values.squeeze(axis=0) if single else values), state

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON that a person can read."""
        from mococo.policy_json import save_policy

        save_policy(self, Path(path))

    def plot_sets(self, feature: int = 0, ax: Axes | None = None) -> Axes:
        """Draw the fuzzy sets of a feature (its place, from 0 on), on these axes or on new ones."""
        from mococo.report.sets_figure import draw_sets

        return draw_sets(self, feature, ax)

    def plot_map(self, ax: Axes | None = None, **how: Any) -> Axes:
        """Draw which rule acts where over two features. `mococo.report.map_figure.draw_map` tells all options."""
        from mococo.report.map_figure import draw_map

        return draw_map(self, ax, **how)

    def __str__(self) -> str:
        n = len(self.rules)
        lines = [f"{n} rule{'' if n == 1 else 's'}, complexity {self.complexity}, subspecies {tag_text(self.tag)}"]
        lines += [f"  {number}. {rule}" for number, rule in enumerate(self.rules, 1)]
        lines.append("Fuzzy sets, each wholly true at its coordinate and fading to its neighbours':")
        for feature, names, refs in zip(self.features, self.set_names, self.reference_coordinates, strict=True):
            if len(refs) == 1:
                continue  # the policy does not look at it
            sets = ", ".join(f"{name} {ref:.4g}" for name, ref in zip(names, refs, strict=True))
            lines.append(f"  {feature.name} [{feature.low:g}, {feature.high:g}]: {sets}")
        return "\n".join(lines)

    @cached_property
    def arrays(self) -> PolicyArrays:
        """What the kernels read."""
        sets = np.array([self.tag], dtype=np.int64)
        partition = decode_db(np.array([self.db]), sets, self.features, self.omega, max(self.tag))
        rules = decode_rb(np.array([self.rb], dtype=np.int8), sets, len(self.actions))
        n = int(rules.count[0])
        return PolicyArrays(
            partition.refs[0], partition.slopes[0], sets[0], rules.masks[:n].copy(), rules.actions[:n].copy()
        )

    def _infer(self, observations: Floats) -> tuple[Floats, Floats]:
        """Observations : (b, d) -> truths : (b, n_rules), strengths : (b, k)."""
        from mococo.kernels.fuzzy import infer

        a = self.arrays
        truths = np.zeros((len(observations), len(a.actions)))
        strengths = np.zeros((len(observations), len(self.actions)))
        infer(observations, a.refs, a.slopes, a.sets, a.masks, a.actions, truths, strengths)
        return truths, strengths

    def _choices(self, observations: Floats) -> NDArray[np.int64]:
        """For each observation the place of the action with the most votes; ties go to the lowest."""
        places: NDArray[np.int64] = np.argmax(self._covered_strengths(observations), axis=1)
        return places

    def _means(self, observations: Floats) -> NDArray[np.float32]:
        """For each observation the mean of the actions' values, as rollouts hand it to the environment."""
        strengths = self._covered_strengths(observations)
        values = np.array([np.ravel(action.value) for action in self.actions], dtype=np.float64)
        weighted, total = np.zeros((len(strengths), values.shape[1])), np.zeros((len(strengths), 1))
        for a, value in enumerate(values):  # one after the other, as the rollout kernels add
            weighted += strengths[:, a, None] * value
            total += strengths[:, a, None]
        return (weighted / total).astype(np.float32)

    def _covered_strengths(self, observations: Floats) -> Floats:
        strengths = self._infer(observations)[1]
        uncovered = np.flatnonzero(strengths.max(axis=1) <= 0)
        if len(uncovered):
            where = ", ".join(
                f"{feature.name} {x:.6g}" for feature, x in zip(self.features, observations[uncovered[0]], strict=True)
            )
            raise UncoveredState(
                f"no rule fires at {where}, so the policy has no action there; catch UncoveredState to choose one there"
            )
        return strengths

    def _single(self, obs: ArrayLike) -> Floats:
        observations, single = checked_observations(obs, self.features)
        if not single:
            raise ObservationError(
                f"expected one observation of {len(self.features)} numbers, got shape {np.shape(obs)}; "
                f"predict takes many at once"
            )
        return observations

    def _text(self, clauses: tuple[tuple[bool, ...], ...], action: int) -> str:
        parts = []
        for feature, names, clause in zip(self.features, self.set_names, clauses, strict=True):
            if len(clause) == 1:
                continue  # the policy does not look at it
            chosen = [name for name, selected in zip(names, clause, strict=True) if selected]
            parts.append(f"{feature.name} is {'any' if all(clause) else spoken_list(chosen)}")
        return f"IF {' AND '.join(parts)} THEN {self.actions[action].words}"


@dataclass(frozen=True)
class PolicyArrays:
    """What the kernels read: refs, slopes : (d, most sets), sets : (d,), masks : (n_rules, d), actions : (n_rules,)."""

    refs: Floats
    slopes: Floats
    sets: NDArray[np.int64]
    masks: NDArray[np.int64]
    actions: NDArray[np.int64]


def load(path: str | Path) -> Policy:
    """Read a policy that was saved as JSON. Nothing in the file is executed."""
    from mococo.policy_json import load_policy

    return load_policy(Path(path))
