"""What the explorer's page holds: all of the run, the episodes that Python plays, and no way out."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from mococo.analysis.trajectories import trace
from mococo.envs import registry
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.registry import register
from mococo.envs.spec import Environment
from mococo.errors import MissingExtra, RunError
from mococo.policy_json import PolicyRecord, from_record
from mococo.report import page as pages
from mococo.report.explorer import ExplorerData, explorer_data
from mococo.report.explorer_page import explorer_page
from mococo.report.page import as_json, page
from mococo.runs.folder import create
from mococo.runs.reading import Run, read_run
from mococo.runs.scores import FRESH_SEED, best
from mococo.runs.session import Session
from mococo.stops import Stops
from mococo.training import resolve

SMALL = {"num_gens": 4, "db_pop_size": 20, "rb_pop_size": 40}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("run") / "small"
    config = resolve(MOUNTAIN_CAR, None, SMALL)
    session = Session(create(path, MOUNTAIN_CAR, config, 1), 1, Stops())
    for _ in session.generations(1):
        pass
    session.finish(1)
    return read_run(path)


@pytest.fixture(scope="module")
def data(run: Run) -> ExplorerData:
    return explorer_data([run])


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Environment]:
    held: dict[str, Environment] = {}
    monkeypatch.setattr(registry, "_REGISTERED", held)
    return held


def moved(run: Run, env: str) -> Run:
    """The same run, as if it had been one of before the environment was kept in its folder, and of another id."""
    return replace(run, env=env, record=msgspec.structs.replace(run.record, env=env, environment=msgspec.UNSET))


def test_every_policy_is_there_once_with_its_scores(run: Run, data: ExplorerData) -> None:
    assert [policy.archive for policy in data.policies] == sorted((p.archive for p in data.policies), reverse=True)
    archive = [policy for policy in data.policies if policy.archive]
    assert len(archive) == len(run.archive)
    for told, member in zip(archive, run.archive, strict=True):
        assert from_record(told.record) == member.policy
        assert (told.performance, told.gen) == (member.performance, member.gen)
        assert (told.fresh_performance, told.fresh_interval) == (member.fresh_performance, member.fresh_interval)
    assert sum(policy.front for policy in data.policies) == sum(member.count for member in run.front)
    shown = [(from_record(policy.record), policy.performance) for policy in data.policies]
    assert len(set(shown)) == len(shown)
    top = data.policies[data.best]
    assert from_record(top.record) == best(run.archive).policy


def test_the_run_is_told(run: Run, data: ExplorerData) -> None:
    (told,) = data.runs
    assert (told.name, told.seed, told.generations, told.training_starts, told.fresh_starts) == (
        "small",
        1,
        4,
        30,
        1000,
    )
    assert told.evaluations == sum(record.evaluations for record in run.history)
    assert told.hypervolume == [record.archive_hypervolume for record in run.history]
    assert told.settings["subspecies"] == "2x2, 3x3, 4x4, 5x5"
    assert told.settings["num_gens"] == "4"
    assert told.versions["numpy"] == np.__version__
    assert (data.env, data.scene, data.note, data.t_max) == ("MountainCar-v0", "car", "", 200)


def test_episodes_are_those_that_python_plays(data: ExplorerData) -> None:
    starts = MOUNTAIN_CAR.draw_starts(5, FRESH_SEED)
    failed = 0
    for policy in data.policies:
        assert len(policy.episodes) == 5
        for told, start in zip(policy.episodes, starts, strict=True):
            episode = trace(from_record(policy.record), MOUNTAIN_CAR, start)
            seen = np.frombuffer(base64.b64decode(told.seen), "<f4").reshape(-1, 2)
            assert np.array_equal(seen.astype(np.float64), episode.inputs)
            assert (told.steps, told.ended, told.uncovered) == (len(episode), episode.ended, episode.uncovered)
            assert told.performance == (-200.0 if episode.uncovered else episode.discounted(1.0))
            failed += episode.uncovered
    assert not data.double


def test_each_action_alone_is_played_from_the_same_starts(data: ExplorerData) -> None:
    assert [len(others) for others in data.alone] == [2] * 5
    for others, told in zip(data.alone, data.policies[0].episodes, strict=True):
        start = np.frombuffer(base64.b64decode(told.seen), "<f4")[:2]
        assert [other.action for other in others] == [0, 1]
        for other in (one.episode for one in others):
            seen = np.frombuffer(base64.b64decode(other.seen), "<f4").reshape(-1, 2)
            assert np.array_equal(seen[0], start)
            assert (other.steps, other.ended, other.performance) == (200, False, -200.0)
    left, right = (np.frombuffer(base64.b64decode(other.episode.seen), "<f4").reshape(-1, 2) for other in data.alone[0])
    assert left[1, 0] < right[1, 0]


def test_numbers_that_policies_see_in_full_stay_in_full(run: Run, registered: dict[str, Environment]) -> None:
    register(replace(MOUNTAIN_CAR, id="Double", float32=False))
    data = explorer_data([moved(run, "Double")])
    assert data.double
    seen = np.frombuffer(base64.b64decode(data.policies[0].episodes[0].seen), "<f8")
    assert seen[0] == MOUNTAIN_CAR.draw_starts(5, FRESH_SEED)[0, 0]


def test_many_policies_have_fewer_episodes_each(run: Run) -> None:
    data = explorer_data([replace(run, seed=seed, front=()) for seed in range(60)])
    assert {len(policy.episodes) for policy in data.policies} == {max(1, 240 // len(data.policies))}
    assert [one.seed for one in data.runs] == list(range(60))
    assert {policy.run for policy in data.policies} == set(range(60))


def test_an_environment_that_is_not_here_costs_only_the_episodes(run: Run) -> None:
    data = explorer_data([moved(run, "Unknown-v0")])
    assert [policy.episodes for policy in data.policies] == [[]] * len(data.policies)
    assert data.note.startswith("No episodes are shown, because the environment cannot be made here: unknown env")


def test_runs_without_policies_are_refused(run: Run) -> None:
    with pytest.raises(RunError, match="none of the runs has saved policies, so there is nothing to explore"):
        explorer_data([replace(run, archive=(), front=())])


def test_the_same_run_gives_the_same_bytes_below_seven_megabytes(run: Run, data: ExplorerData) -> None:
    content = explorer_page(data, "small")
    assert content == explorer_page(explorer_data([run]), "small")
    assert len(content) < 7_000_000


def test_the_page_allows_its_own_scripts_and_nothing_else(data: ExplorerData) -> None:
    text = explorer_page(data, "small").decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == "'none'"
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 19
    digests = [base64.b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert rules["script-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert not re.search(r"<(?:link|img|iframe|script)[^>]*(?:src|href)=", text.replace(scripts[0], ""))
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:"
    for script in scripts[1:]:
        assert not re.search(markup, script.replace("http://www.w3.org/2000/svg", ""))


def test_data_cannot_leave_their_element(tmp_path: Path) -> None:
    evil = {"a": "</script><script>alert(1)</script><!--", "b": "{{scripts}} {{policy}}"}
    assert json.loads(as_json(evil)) == evil
    assert "<" not in as_json(evil)
    text = page("explorer.html", "{{data}}</title>", ("fuzzy.js",), evil).decode()
    assert text.count("<script>") == 1
    assert "{{data}}&lt;/title&gt;" in text
    assert "{{scripts}} {{policy}}" in text


def test_without_plotly_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pages.plotly_script.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "plotly.offline", None)
    with pytest.raises(MissingExtra, match=r"the explorer needs plotly, which is not installed: pip install mococo\[p"):
        pages.plotly_script()


def test_records_are_whole(data: ExplorerData) -> None:
    """What the page copies to the clipboard is a policy's file."""
    told: Any = json.loads(msgspec.json.encode(data))
    for policy in told["policies"]:
        from_record(msgspec.convert(policy["record"], PolicyRecord, strict=True))
