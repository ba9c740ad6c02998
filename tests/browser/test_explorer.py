"""The explorer in a browser: it shows what is in the data, and computes what Python computes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import mococo
from benchmarks.many_runs import many_runs
from mococo.analysis.trajectories import fire, trace
from mococo.envs import registry
from mococo.envs.here import game
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.envs.registry import find, register
from mococo.envs.spec import Action, Feature
from mococo.observations import with_derived
from mococo.policy_json import to_record
from mococo.report.explorer import explorer_data
from mococo.report.explorer_page import explorer_page
from mococo.report.map_figure import action_grid
from mococo.runs.environments import record_of
from mococo.runs.reading import Run, read_run
from mococo.runs.scores import FRESH_SEED, best
from tests.browser.conftest import Open, Opened

BETWEEN_CLICKS = 350  # milliseconds; Plotly takes quicker ones for a double click
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def run(run_folder: Path) -> Run:
    return read_run(run_folder)


@pytest.fixture(scope="module")
def _page(opened: Open, report_file: Path) -> Iterator[Opened]:
    with opened(report_file) as seen:
        yield seen


@pytest.fixture
def explorer(_page: Opened) -> Opened:
    """The page as it was when it was opened: to open it each time would take most of the time."""
    _page.page.evaluate(
        """() => {
            Episode.play(false);
            theme("");
            Object.assign(state, { episode: 0, a: data.best, speed: 1, alone: null });
            byId("speed").value = 1;
            for (const box of document.querySelectorAll("details")) box.open = false;
            choose("b", null);
            choose("a", data.best);
            scrollTo(0, 0);
        }"""
    )
    _page.complaints.clear()
    return _page


def data_of(file: Path) -> Any:
    text = file.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin : text.index("</script>", begin)])


def rules_shown(seen: Opened, slot: str = "") -> list[str]:
    """The sentences of the rules, in their order; of one policy, where two are compared."""
    cards = seen.page.evaluate(
        "() => [...document.querySelectorAll('.rule')].map((card) => "
        "[card.querySelector('.badge').textContent, card.querySelector('.sentence').textContent])"
    )
    mine = [(badge, text) for badge, text in cards if badge.startswith(slot)]
    return [text for _, text in sorted(mine, key=lambda card: int(card[0].lstrip("AB")))]


def cell(seen: Opened, name: str, column: int = 1) -> str:
    """A value of the table of scores."""
    row = seen.page.locator("#score-table tr", has=seen.page.locator("th", has_text=name)).first
    return row.locator("td").nth(column - 1).inner_text()


def test_it_opens_from_a_disk_without_asking_the_network(explorer: Opened, report_file: Path) -> None:
    explorer.page.keyboard.press("c")  # everything is drawn at least once
    explorer.page.click("#play")
    explorer.page.click("#theme")
    assert explorer.complaints == []
    asked = [url for url in explorer.requests if not url.startswith(("data:", "blob:"))]
    assert asked == [report_file.as_uri()]
    assert report_file.stat().st_size < 7_000_000
    policy = explorer.page.get_attribute("meta[http-equiv]", "content") or ""
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy.split("style-src")[0]
    added = explorer.page.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        " document.body.append(script); return window.ran ?? 0; }"
    )
    assert added == 0


def test_it_begins_with_the_best_policy_and_says_why_it_acts(explorer: Opened, run: Run) -> None:
    top = best(run.archive)
    assert rules_shown(explorer) == [rule.text for rule in top.policy.rules]
    start = MOUNTAIN_CAR.draw_starts(5, FRESH_SEED)[0]
    firing = fire(top.policy, start.astype(np.float32).astype(np.float64)[None])
    driver = int(firing.drivers[0])
    why = explorer.page.inner_text("#why")
    assert f"by rule {driver + 1}, true to {firing.truths[0, driver]:.2f}: " in why
    assert top.policy.actions[firing.choices[0]].words in why
    assert explorer.page.locator(".rule.drives .badge").inner_text() == str(driver + 1)
    fresh, (low, high) = top.fresh_performance, top.fresh_interval
    assert cell(explorer, "Fresh").startswith(f"{fresh:.2f}".replace("-", "−"))
    assert cell(explorer, "95 % interval") == f"{low:.2f} to {high:.2f}".replace("-", "−")
    assert cell(explorer, "Uncovered") == f"no rule fired in {top.fresh_uncovered} of 1,000 fresh episodes"
    assert "the episode has ended" in explorer.page.text_content("#words li:last-child")


def test_it_tells_what_one_action_alone_would_do(explorer: Opened) -> None:
    """Why the car goes left first: to the right alone it never arrives."""
    starts = MOUNTAIN_CAR.draw_starts(5, FRESH_SEED)
    told = explorer.page.locator("#alone li")
    assert told.count() == len(MOUNTAIN_CAR.actions)
    for place in (0, 3):
        explorer.page.select_option("#start", str(place))
        for a, action in enumerate(MOUNTAIN_CAR.actions):
            env, state, steps = MOUNTAIN_CAR, tuple(starts[place].tolist()), 0
            positions, ended = [float(np.float32(state[0]))], False
            playing = game(env)
            playing.begin(state)
            while not ended and steps < env.t_max:
                _, seen, _, ended = playing.step(action.value)
                positions.append(seen[0])
                steps += 1
            words = told.nth(a).inner_text().replace("−", "-")
            assert words.startswith(
                f"always {action.words} ends at the limit after {steps} steps with return -200.00, with "
            )
            assert f"position between {min(positions):.3g} and {max(positions):.3g}" in words
    told.nth(1).locator("button").click()
    path = explorer.page.evaluate("() => byId('map-a').data.find((trace) => trace.name === 'always push right').x")
    assert path == pytest.approx(positions)


def test_a_tie_is_called_a_tie(explorer: Opened) -> None:
    """Two actions with equal votes: nobody should look for the rule that was stronger."""
    policy = mococo.Policy.from_genotypes((2, 1), [0.5] * 3, [1, 2], MOUNTAIN_CAR.features, MOUNTAIN_CAR.actions)
    middle = sum(policy.reference_coordinates[0]) / 2
    model = msgspec.to_builtins(to_record(policy))
    said = explorer.page.evaluate(
        "([record, x]) => { const model = Fuzzy.model(record), input = [x, 0], firing = Fuzzy.infer(model, input);"
        " const episodes = [{ steps: 1, inputs: [input] }];"
        " const slot = { model, tints: ['#000000', '#ffffff'], firing: [firing], episodes };"
        " return [firing.strengths, Story.why(slot, 0).map((part) => part.textContent ?? part).join('')]; }",
        [model, middle],
    )
    strengths, why = said
    assert (strengths[0] == strengths[1]) == ("a tie, which the first action wins" in why)
    assert strengths[0] == pytest.approx(strengths[1])


def test_a_click_a_key_and_a_slider_choose_the_policy_they_mean(explorer: Opened, run: Run) -> None:
    members = sorted(run.archive, key=lambda member: (member.complexity, member.performance))
    assert len(members) > 3

    def is_shown(n: int) -> None:
        assert rules_shown(explorer) == [rule.text for rule in members[n].policy.rules]
        assert f"complexity {members[n].complexity}, " in explorer.page.inner_text("#episode-title")
        assert cell(explorer, "Complexity").startswith(f"{members[n].complexity} ")

    for n, place in enumerate(points(explorer, members)):
        explorer.page.mouse.click(*place)
        is_shown(n)
        explorer.page.wait_for_timeout(BETWEEN_CLICKS)
    explorer.page.keyboard.press("k")
    is_shown(len(members) - 2)
    explorer.page.focus("#slider-a")
    explorer.page.keyboard.press("Home")
    is_shown(0)
    explorer.page.keyboard.press("ArrowRight")
    is_shown(1)
    explorer.page.click("#table-box summary")
    explorer.page.locator("#front-table button").nth(2).click()
    is_shown(2)


def points(seen: Opened, members: Any) -> list[tuple[float, float]]:
    """Where the policies are on the screen."""
    at = "([x, y]) => { const p = byId('front-plot'), b = p.getBoundingClientRect(), f = p._fullLayout;"
    at += " return [b.x + f.xaxis._offset + f.xaxis.l2p(x), b.y + f.yaxis._offset + f.yaxis.l2p(y)]; }"
    return [tuple(seen.page.evaluate(at, [m.complexity, m.performance])) for m in members]


def test_two_policies_are_compared_rule_by_rule(explorer: Opened, run: Run) -> None:
    members = sorted(run.archive, key=lambda member: (member.complexity, member.performance))
    top = best(run.archive)
    explorer.page.check("#compare")
    simpler = members[members.index(top) - 1]
    for other in (simpler, members[0]):
        assert rules_shown(explorer, "A") == [rule.text for rule in top.policy.rules]
        assert rules_shown(explorer, "B") == [rule.text for rule in other.policy.rules]
        assert explorer.page.locator(".scene").count() == 2
        assert cell(explorer, "Complexity", 2).startswith(f"{other.complexity} ")
        for pair in explorer.page.locator(".versus tbody tr").all():
            actions = [action.inner_text() for action in pair.locator(".sentence .action").all()]
            assert len(set(actions)) == 1
        if other is simpler:
            explorer.page.focus("#slider-b")
            explorer.page.keyboard.press("Home")
    explorer.page.uncheck("#compare")
    assert explorer.page.locator(".scene").count() == 1
    explorer.page.mouse.click(*points(explorer, [simpler])[0])
    explorer.page.wait_for_timeout(BETWEEN_CLICKS)
    explorer.page.keyboard.down("Shift")
    explorer.page.mouse.click(*points(explorer, [members[0]])[0])
    explorer.page.keyboard.up("Shift")
    assert rules_shown(explorer, "B") == [rule.text for rule in members[0].policy.rules]


def test_the_animation_ends_where_python_does(explorer: Opened, run: Run) -> None:
    top = best(run.archive)
    for place in (0, 3):
        episode = trace(top.policy, MOUNTAIN_CAR, MOUNTAIN_CAR.draw_starts(5, FRESH_SEED)[place])
        explorer.page.select_option("#start", str(place))
        explorer.page.select_option("#speed", "5")
        explorer.page.click("#play")
        n = len(episode)
        explorer.page.wait_for_function(f"() => document.querySelector('.scene').dataset.step === '{n}'")
        assert explorer.page.inner_text("#step-told") == f"step {n} of {n}"
        told = "the episode has ended" if episode.ended else "the step limit is reached"
        score = f"{episode.discounted(1.0):.2f}".replace("-", "−")
        assert f"After {n} steps {told}: return {score}." in explorer.page.inner_text("#why")
        moved = explorer.page.get_attribute(".scene .body", "transform") or ""
        x, y = (float(part) for part in moved.split(")")[0].removeprefix("translate(").split(","))
        position = episode.inputs[-1, 0]
        assert x == pytest.approx((position + 1.2) / 1.8 * 560 + 20, abs=0.001)
        assert y == pytest.approx(250 - 34 - (math.sin(3 * position) + 1) * 78, abs=0.001)


def policies_of_all_kinds() -> list[mococo.Policy]:
    """With one set and with many, crisp, derived and unused features, and a mean for an output."""
    rng = np.random.default_rng(4)
    plain = (Feature("a", -1, 2), Feature("b", 0, 5))
    crisp = (Feature("a", -1, 2), Feature("legs", -1, 1, crisp=True))
    derived = (*plain, Feature("sum", -3, 3, terms=(("a", 0.3), ("b", -1.7))))
    kinds = [((2, 2), plain, False), ((4, 5), plain, False), ((7, 3), crisp, False), ((1, 4), plain, False),
             ((3, 1, 2), derived, False), ((2, 2, 3), derived, True), ((3, 3), plain, True)]  # fmt: skip
    actions = [Action(-1.5, "back"), Action(0, "rest"), Action(2, "on")]
    found = []
    for tag, features, continuous in kinds:
        rb = rng.integers(0, 4, math.prod(tag))
        rb[:3] = (1, 2, 3)
        found.append(mococo.Policy.from_genotypes(tag, rng.random(sum(tag)), rb, features, actions, 0.75, continuous))
    return found


def test_the_page_computes_as_python_does(explorer: Opened) -> None:
    """Every truth, vote, driver and output, bit for bit, also at the sets' own coordinates and outside the domains."""
    rng = np.random.default_rng(5)
    for policy in policies_of_all_kinds():
        record = msgspec.to_builtins(to_record(policy))
        observed = [feature for feature in policy.features if not feature.terms]
        spots = [[f.low - 1, f.high + 1, *policy.reference_coordinates[i]] for i, f in enumerate(observed)]
        seen = np.array([[rng.choice(spot) for spot in spots] for _ in range(60)])
        seen[30:] = rng.uniform([f.low for f in observed], [f.high for f in observed], (30, len(observed)))
        firing = fire(policy, with_derived(seen, policy.features))
        answers = explorer.page.evaluate(
            "([record, seen]) => { const model = Fuzzy.model(record); return seen.map((x) => {"
            " const f = Fuzzy.infer(model, Fuzzy.whole(model, x));"
            " return [f.rules, f.votes, f.driver, f.choice, Fuzzy.mean(model, f.strengths)]; }); }",
            [record, seen.tolist()],
        )
        for answer, row in zip(answers, range(60), strict=True):
            assert answer[0] == firing.truths[row].tolist()
            assert answer[1] == firing.votes[row].tolist()
            assert answer[2:4] == [firing.drivers[row], firing.choices[row]]
            if policy.continuous and firing.choices[row] >= 0:
                assert answer[4] == policy.act(seen[row]).item()


def test_the_map_is_that_of_the_figures(explorer: Opened) -> None:
    for policy in policies_of_all_kinds():
        record = msgspec.to_builtins(to_record(policy))
        spans = [(f.low, f.high) for f in policy.features[:2]]
        rest = [0.4] * len(policy.features)
        grid = action_grid(policy, (0, 1), spans, rest, cells=40)
        found = explorer.page.evaluate(
            "([record, spans, rest]) => { const g = Fuzzy.grid(Fuzzy.model(record), [0, 1], spans, rest, 40);"
            " return [Array.from(g.drivers), Array.from(g.choices), g.xs]; }",
            [record, spans, rest],
        )
        assert found[0] == grid.firing.drivers.tolist()
        assert found[1] == grid.firing.choices.tolist()
        np.testing.assert_allclose(found[2], grid.xs, rtol=1e-12)


def test_copied_json_is_a_policy(opened: Open, report_file: Path, run: Run, tmp_path: Path) -> None:
    top = best(run.archive)
    with opened(report_file, permissions=["clipboard-read", "clipboard-write"]) as seen:
        seen.page.click("[data-copy='JSON-A']")
        seen.page.wait_for_function("() => document.querySelector(\"[data-copy='JSON-A']\").textContent === 'Copied'")
        (tmp_path / "policy.json").write_text(seen.page.evaluate("() => navigator.clipboard.readText()"))
        seen.page.click("[data-copy='rules-A']")
        seen.page.wait_for_function("() => document.querySelector(\"[data-copy='rules-A']\").textContent === 'Copied'")
        rules = seen.page.evaluate("() => navigator.clipboard.readText()")
    assert mococo.load(tmp_path / "policy.json") == top.policy
    assert rules.splitlines() == [f"{n}. {rule}" for n, rule in enumerate(top.policy.rules, 1)]


def test_names_of_others_are_only_text(opened: Open, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    features = (Feature(EVIL, -1.2, 0.5, (EVIL, "'\"&")), Feature("velocity", -0.07, 0.07))
    actions = (Action(0, EVIL), Action(2, "<img src=x onerror=alert(2)>"))
    register(replace(MOUNTAIN_CAR, id=EVIL, features=features, actions=actions))
    evil = [
        replace(member, policy=replace(member.policy, features=features, actions=actions)) for member in run.archive
    ]
    hostile = replace(run, env=EVIL, archive=tuple(evil), front=(), path=tmp_path / "<b>x", ended="<i>")
    page = explorer_page(explorer_data([hostile]), "</title><script>alert(3)</script>")
    (tmp_path / "evil.html").write_bytes(page)
    with opened(tmp_path / "evil.html") as seen:
        seen.page.keyboard.press("c")
        for shown in ("#heading", "#rule-list", "#set-list", "#legend", "#why", "#run-told", "#map-a .xtitle"):
            assert EVIL in (seen.page.locator(shown).first.text_content() or ""), shown
        assert "</title><script>alert(3)</script>" in seen.page.title()
        assert seen.page.locator("main script, main img, h1 *").count() == 0
        assert seen.complaints == []


def test_thirty_runs_of_twenty_policies(opened: Open, run: Run, tmp_path: Path) -> None:
    runs = many_runs(run, 30, 20)
    data = explorer_data(runs)
    (tmp_path / "many.html").write_bytes(explorer_page(data, "many"))
    with opened(tmp_path / "many.html") as seen:
        page = seen.page
        shared = {(m.complexity, m.performance) for one in runs for m in one.archive}
        assert page.evaluate("() => groups.length") == len(shared)
        assert page.evaluate("() => groups.reduce((sum, group) => sum + group.count, 0)") == 600
        twins = page.evaluate("() => groups.find((group) => group.ids.length > 1).ids")
        page.evaluate("(id) => choose('a', id)", twins[0])
        assert f"A is 1 of {len(twins)} policies at this point" in page.inner_text("#twins")
        page.click("#twins button:last-child")
        assert rules_shown(seen) == data.policies[twins[1]].record.rules
        page.click("#runs summary")
        page.click("#runs button:has-text('none')")
        assert page.evaluate("() => groups.length") == 0
        page.locator("#runs input").nth(7).check()
        assert page.evaluate("() => groups.length") == len({(m.complexity, m.performance) for m in runs[7].archive})
        top = best(runs[7].archive)
        assert cell(seen, "Run") == "seed-7 (seed 7)"
        assert cell(seen, "Training").startswith(f"{top.performance:.2f}".replace("-", "−"))
        assert seen.complaints == []


def test_narrow_dark_and_printed(opened: Open, report_file: Path) -> None:
    with opened(report_file, viewport={"width": 360, "height": 700}, color_scheme="dark") as seen:
        seen.page.keyboard.press("c")
        assert seen.page.evaluate("() => document.documentElement.scrollWidth") <= 360
        dark = seen.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        seen.page.click("#theme")
        assert seen.page.evaluate("() => getComputedStyle(document.body).backgroundColor") != dark
        seen.page.emulate_media(media="print")
        assert not seen.page.is_visible("#player")
        assert seen.page.is_visible("#rule-list")
        assert len(seen.page.pdf()) > 10_000
        assert seen.complaints == []


def drawn(seen: Opened, shape: str, *names: str) -> list[float]:
    """Numbers of an element of the scene."""
    return [float(seen.page.get_attribute(f".scene {shape}", name) or "nan") for name in names]


@pytest.mark.parametrize(
    ("env_id", "words"),
    [
        ("CartPole-v1", "A pole on a cart"),
        ("Acrobot-v1", "Two links"),
        ("Pendulum-v1", "A pendulum"),
        ("MountainCarContinuous-v0", "A car in a valley"),
        ("unknown", "The way of the episode through"),
    ],
)
def test_every_environment_has_its_scene(explorer: Opened, run: Run, env_id: str, words: str) -> None:
    """What is drawn at the end is the state that Python reaches."""
    env = find("CartPole-v1" if env_id == "unknown" else env_id)
    tag = (2,) * len(env.features)
    rb = [1 + i % len(env.actions) for i in range(2 ** len(tag))]
    policy = mococo.Policy.from_genotypes(
        tag, [0.5] * sum(tag), rb, env.features, env.actions, continuous=env.continuous
    )
    member = replace(run.archive[0], policy=policy, complexity=policy.complexity)
    record = msgspec.structs.replace(run.record, env=env.id, environment=record_of(env))
    data = explorer_data([replace(run, env=env.id, archive=(member,), front=(), record=record)])
    explorer.page.evaluate(
        "([policy, scene, alone]) => { data.before = [data.scene, data.alone];"
        " [data.scene, data.alone] = [scene, alone]; const id = policies.length;"
        " policies.push({...policy, id, complexity: 9, tag: '2x2'}); choose('a', id); Episode.seek(1e9); }",
        [msgspec.to_builtins(x) for x in (data.policies[0], "" if env_id == "unknown" else data.scene, data.alone)],
    )
    episode = trace(policy, env, env.draw_starts(5, FRESH_SEED)[0])
    assert words in (explorer.page.get_attribute(".scene", "aria-label") or "")
    assert explorer.page.get_attribute(".scene", "data-step") == str(len(episode))
    assert explorer.page.evaluate("() => episodeOf(slots.a).inputs.at(-1)") == episode.inputs[-1].tolist()
    state = episode.states[-1]
    if env_id == "CartPole-v1":
        turned = explorer.page.get_attribute(".scene .rod", "transform") or ""
        assert float(turned[len("rotate(") : -1]) == pytest.approx(math.degrees(state[2]), abs=0.001)
    if env_id == "Acrobot-v1":
        x, y = drawn(explorer, ".link.second", "x2", "y2")
        assert x == pytest.approx(300 + 58 * (math.sin(state[0]) + math.sin(state[0] + state[1])), abs=0.001)
        assert y == pytest.approx(138 + 58 * (math.cos(state[0]) + math.cos(state[0] + state[1])), abs=0.001)
    if env_id == "Pendulum-v1":
        x, y = drawn(explorer, ".bob", "cx", "cy")
        assert (x, y) == pytest.approx((300 - 105 * math.sin(state[0]), 135 - 105 * math.cos(state[0])), abs=0.001)
    explorer.page.evaluate("() => { policies.pop(); [data.scene, data.alone] = data.before; }")
    assert explorer.complaints == []
