"""What the explorer shows, as plain data: runs, the policies that they found, and episodes of each."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence

import msgspec
import numpy as np

from mococo.analysis.trajectories import Episode, trace
from mococo.config import Config
from mococo.envs.spec import Environment
from mococo.errors import MococoError, RunError
from mococo.policy import Policy
from mococo.policy_json import PolicyRecord, to_record
from mococo.report import style
from mococo.runs.reading import Run
from mococo.runs.scores import FRESH_SEED, Scored, best
from mococo.subspecies import tag_text

_MOST_EPISODES = 5
_EPISODES_IN_ALL = 240  # so that a page of hundreds of policies stays small
_MOST_ACTIONS = 4  # of more, nobody reads what each alone would lead to
_SCENES = {
    "MountainCar-v0": "car",
    "MountainCarContinuous-v0": "car",
    "CartPole-v1": "pole",
    "Acrobot-v1": "links",
    "Pendulum-v1": "pendulum",
}


class EpisodeData(msgspec.Struct, frozen=True):
    """What a policy saw. `seen` : (steps + 1, observed features), numbers as the policy is given them, in base64."""

    steps: int
    performance: float
    ended: bool
    uncovered: bool
    seen: str


class AloneData(msgspec.Struct, frozen=True):
    """An episode in which one action, its place in the list from 0 on, is taken at every step."""

    action: int
    episode: EpisodeData


class PolicyData(msgspec.Struct, frozen=True):
    """A policy of a run, in its archive, or in F_1 of its last generation, or in both."""

    run: int
    """Place of its run."""
    archive: bool
    front: int
    """How many solutions of F_1 of the last generation it stands for: they have the same performance and complexity."""
    performance: float
    fresh_performance: float
    fresh_interval: tuple[float, float]
    fresh_uncovered: int
    gen: int
    record: PolicyRecord
    episodes: list[EpisodeData]


class RunData(msgspec.Struct, frozen=True):
    """A run in words and numbers."""

    name: str
    seed: int
    generations: int
    ended: str
    training_starts: int
    fresh_starts: int
    evaluations: int
    seconds: float
    hypervolume: list[float]
    """Of the archive, after each generation."""
    settings: dict[str, str]
    versions: dict[str, str]


class ExplorerData(msgspec.Struct, frozen=True):
    """Everything that the page shows."""

    env: str
    scene: str
    """How a state is drawn: the name of a scene in `web/scenes.js`, or nothing."""
    double: bool
    """Whether the numbers in `seen` have 64 bits, not 32."""
    t_max: int
    note: str
    """Why there are no episodes, where there are none."""
    colours: tuple[str, ...]
    runs: list[RunData]
    policies: list[PolicyData]
    alone: list[list[AloneData]]
    """For each start what comes of one action alone: why a policy has to choose at all."""
    best: int
    """Place of the policy that is shown first."""


def explorer_data(runs: Sequence[Run]) -> ExplorerData:
    """The data of runs on one environment, of which at least one has saved policies."""
    found = [(number, member) for number, run in enumerate(runs) for member in _members(run)]
    if not found:
        raise RunError("none of the runs has saved policies, so there is nothing to explore; go on with mococo resume")
    env, note = _environment(runs[0])
    count = max(1, min(_MOST_EPISODES, _EPISODES_IN_ALL // len(found)))
    starts = [] if env is None else env.draw_starts(count, FRESH_SEED).tolist()
    policies = []
    for number, (member, archive, front) in found:
        played = [] if env is None else [_episode(member.policy, env, start) for start in starts]
        policies.append(_policy_data(number, member, (archive, front), played))
    tops = [member for _, (member, archive, _) in found if archive] or [member for _, (member, _, _) in found]
    top = best(tops)
    return ExplorerData(
        env=runs[0].env,
        scene=_SCENES.get(runs[0].env, ""),
        double=env is not None and not env.float32,
        t_max=0 if env is None else env.t_max,
        note=note,
        colours=style.SERIES,
        runs=[_run_data(run) for run in runs],
        policies=policies,
        alone=[] if env is None else _alone(env, starts),
        best=next(i for i, (_, (member, _, _)) in enumerate(found) if member is top),
    )


def _members(run: Run) -> list[tuple[Scored, bool, int]]:
    """Each policy once, with whether it is in the archive and how many of the last F_1 it stands for."""
    last = {(member.policy, member.performance): member for member in run.front}
    members = []
    for member in run.archive:
        twin = last.pop((member.policy, member.performance), None)
        members.append((member, True, 0 if twin is None else twin.count))
    return members + [(member, False, member.count) for member in last.values()]


def _environment(run: Run) -> tuple[Environment | None, str]:
    try:
        return run.open_environment(), ""
    except MococoError as error:
        return None, f"No episodes are shown, because the environment cannot be made here: {error}"


def _episode(policy: Policy, env: Environment, start: list[float]) -> EpisodeData:
    episode = trace(policy, env, start)
    return EpisodeData(
        steps=len(episode),
        performance=env.performance_bounds[0] if episode.uncovered else episode.discounted(env.gamma),
        ended=episode.ended,
        uncovered=episode.uncovered,
        seen=_packed(episode, env),
    )


def _alone(env: Environment, starts: Sequence[list[float]]) -> list[list[AloneData]]:
    """Of each action, or of many outputs the least and the most."""
    n, d = len(env.actions), len(env.features)
    places = range(n) if n <= _MOST_ACTIONS else (0, n - 1) if env.continuous else ()
    steady = {
        a: Policy.from_genotypes([1] * d, [0.5] * d, [a + 1], env.features, env.actions, continuous=env.continuous)
        for a in places
    }
    return [[AloneData(a, _episode(policy, env, start)) for a, policy in steady.items()] for start in starts]


def _packed(episode: Episode, env: Environment) -> str:
    """The observed features; the derived ones follow from them."""
    seen = episode.inputs[:, : len(env.observed)]
    return base64.b64encode(seen.astype("<f4" if env.float32 else "<f8").tobytes()).decode()


def _policy_data(run: int, member: Scored, place: tuple[bool, int], episodes: list[EpisodeData]) -> PolicyData:
    return PolicyData(
        run=run,
        archive=place[0],
        front=place[1],
        performance=member.performance,
        fresh_performance=member.fresh_performance,
        fresh_interval=member.fresh_interval,
        fresh_uncovered=member.fresh_uncovered,
        gen=member.gen,
        record=to_record(member.policy),
        episodes=episodes,
    )


def _run_data(run: Run) -> RunData:
    return RunData(
        name=os.fsencode(run.path.name or run.path).decode(errors="replace"),  # JSON takes only text
        seed=run.seed,
        generations=run.generations,
        ended=run.ended,
        training_starts=run.config.eta,
        fresh_starts=run.fresh_starts,
        evaluations=sum(record.evaluations for record in run.history),
        seconds=float(np.sum([record.seconds for record in run.history])),
        hypervolume=[record.archive_hypervolume for record in run.history],
        settings=_settings(run.config),
        versions=dict(run.versions),
    )


def _settings(config: Config) -> dict[str, str]:
    values = {name: str(getattr(config, name)) for name in Config.__struct_fields__}
    return values | {"subspecies": ", ".join(tag_text(tag) for tag in config.subspecies)}
