"""`mococo show`: runs and policies as text and as JSON, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mococo.envs.spec import Action, Feature
from mococo.errors import EnvironmentSpecError
from mococo.evaluation import evaluate
from mococo.policy import Policy
from mococo.runs.reading import Run as SavedRun
from mococo.runs.reading import read_run
from mococo.runs.scores import FRESH_SEED, FRESH_STARTS, best
from tests.cli.conftest import COMMAND, SMALL, Run, environment


@pytest.fixture
def run(small_run: Path) -> SavedRun:
    return read_run(small_run)


def test_a_run_is_told(mococo: Run, run: SavedRun) -> None:
    text = mococo("show", run.path).out
    evaluations = sum(record.evaluations for record in run.history)
    assert text.startswith(f"MountainCar-v0, seed 1\n  4 of 4 generations, {evaluations:,} evaluations, ")
    assert "num_gens=4, db_pop_size=20, rb_pop_size=40," in " ".join(text.split())
    top = best(run.archive)
    for rule in top.policy.rules:
        assert str(rule) in text
    for member in run.archive:
        assert f" {member.complexity}  " in text
        assert f"{member.performance:.2f}" in text
        low, high = member.fresh_interval
        assert f"{member.fresh_performance:.2f} {low:.2f} to {high:.2f} {member.gap:.2f}" in re.sub(" +", " ", text)


def test_fresh_episodes_without_a_rule_are_told(mococo: Run, run: SavedRun) -> None:
    found = evaluate([member.policy for member in run.archive], run.env, episodes=FRESH_STARTS, seed=FRESH_SEED)
    assert [member.fresh_uncovered for member in run.archive] == found.uncovered.tolist()
    holes = [f"{m.fresh_uncovered} at complexity {m.complexity}" for m in run.archive if m.fresh_uncovered]
    text = " ".join(mococo("show", run.path).out.split())
    said = f"Fresh episodes that ended in a state without a rule: {', '.join(holes)}."
    assert (said in text) == bool(holes)
    one = run.archive[0]
    told = " ".join(mococo("show", run.path, "--complexity", one.complexity).out.split())
    assert f"from 1,000 fresh starts, {one.fresh_uncovered} of which met a state without a rule; found in" in told


def test_the_front_is_drawn(mococo: Run, run: SavedRun) -> None:
    """Marks stand where the numbers are between the two at the ends of the axis."""
    lines = mococo("show", run.path).out.splitlines()
    first = lines.index("Mean return at each complexity:") + 1
    rows = {int(line[:6]): line[8:-1] for line in lines[first:] if re.match(r" +\d+ \|.*\|$", line)}
    levels = [member.complexity for member in run.archive]
    assert list(rows) == list(range(levels[0], levels[-1] + 1))
    ends = [x for m in run.archive for x in (m.performance, m.fresh_performance, *m.fresh_interval)]
    low, high = min(ends), max(ends)
    assert lines[first + len(rows)].split() == [f"{low:.2f}", f"{high:.2f}"]
    for complexity, row in rows.items():
        assert len(row) == 60
        member = next((m for m in run.archive if m.complexity == complexity), None)
        if member is None:
            assert row.strip() == ""
            continue
        trained, fresh = (round((x - low) / (high - low) * 59) for x in (member.performance, member.fresh_performance))
        assert row[trained] == ("◉" if trained == fresh else "●")
        assert row[fresh] in "◉○"
        assert set(row) <= set(" ●○◉─")


def test_another_policy_of_a_run(mococo: Run, run: SavedRun) -> None:
    for member in run.archive:
        text = mococo("show", run.path, "--complexity", member.complexity).out
        assert f"complexity {member.complexity}, subspecies" in text
        assert f"Mean return {member.performance:.2f} from 30 training starts" in text
        for rule in member.policy.rules:
            assert str(rule) in text


DRAWN = """\
2 rules, complexity 2, subspecies 2x3
  1. IF angle is Low AND speed is Low THEN brake
  2. IF angle is High AND speed is High THEN go

Fuzzy sets, with the coordinate at which each is wholly true:
  angle
    Low    |█████████████████▇▇▇▆▆▆▆▅▅▅▄▄▄▄▃▃▃▂▂▂▂▁▁▁                 | -0.5
    High   |                 ▁▁▁▂▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆▆▇▇▇█████████████████| 0.5
            -1                                                       1
  speed
    Low    |███████████▇▇▇▆▆▅▅▄▄▄▃▃▂▂▁▁▁                              | 0.5
    Medium |           ▁▁▁▂▂▃▃▄▄▄▅▅▆▆▇▇▇██▇▇▇▆▆▅▅▄▄▄▃▃▂▂▁▁▁           | 1.5
    High   |                              ▁▁▁▂▂▃▃▄▄▄▅▅▆▆▇▇▇███████████| 2.5
            0                                                        3
"""


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    policy = Policy.from_genotypes(
        (2, 3),
        [0.5] * 5,
        [1, 0, 0, 0, 0, 2],
        features=[("angle", -1.0, 1.0), ("speed", 0.0, 3.0)],
        actions=[Action(0, "brake"), Action(1, "go")],
    )
    policy.save(tmp_path / "policy.json")
    return tmp_path / "policy.json"


def test_a_policy_is_drawn(mococo: Run, policy_file: Path) -> None:
    assert mococo("show", policy_file).out == DRAWN


def test_unused_features_are_named_and_derived_ones_explained(mococo: Run, tmp_path: Path) -> None:
    features = [Feature("a", -1, 1), Feature("b", -1, 1), Feature("c", -2, 2, terms=(("a", 1.0), ("b", -0.5)))]
    for tag, n, unused in (((2, 1, 2), 5, ""), ((1, 1, 2), 4, ""), ((2, 1, 1), 4, "  Not looked at: b, c\n")):
        rb = [1, 0, 0, 2] if n == 5 else [1, 2]
        Policy.from_genotypes(tag, [0.5] * n, rb, features, [0, 1]).save(tmp_path / "derived.json")
        out = mococo("show", tmp_path / "derived.json").out
        assert ("\n  c = a - 0.5*b\n" in out) == (tag[2] == 2)
        assert out.endswith(unused)
        assert ("Not looked at" in out) == bool(unused)


def test_names_are_only_text(mococo: Run, tmp_path: Path) -> None:
    """Nothing that a name holds is taken for markup: by rich, by LaTeX, by SVG or by a terminal."""
    names = ("[red]hot[/]", "<script>alert(1)</script>", "$x_1$ & 50 %")
    policy = Policy.from_genotypes(
        (2, 2),
        [0.5] * 4,
        [1, 0, 0, 2],
        [(names[0], -1.0, 1.0), (names[1], 0.0, 3.0)],
        [Action(0, names[2]), Action(1, names[1])],
    )
    policy.save(tmp_path / "odd.json")
    out = mococo("show", tmp_path / "odd.json").out
    assert all(name in out for name in names)
    latex = mococo("show", tmp_path / "odd.json", "--latex").out
    assert "<" not in latex
    assert r"\$x\_1\$ \& 50 \%" in latex
    assert mococo("plot", tmp_path / "odd.json", "--format", "svg,png,pdf", "-o", "odd").code == 0
    for name in ("sets", "map"):
        svg = Path(f"odd/{name}.svg").read_text(encoding="utf-8")
        assert "<script" not in svg


@pytest.mark.parametrize("name", ["\x1b[2J", "two\nlines", "\x9b31m", "a\u2028b", "\ud800"])
def test_features_cannot_steer_the_terminal(mococo: Run, policy_file: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(EnvironmentSpecError, match="one line of text without control characters"):
        Feature(name, 0, 1)
    text = policy_file.read_text(encoding="utf-8").replace('"angle"', json.dumps(name))
    (tmp_path / "evil.json").write_text(text, encoding="utf-8")
    answer = mococo("show", tmp_path / "evil.json")
    assert answer.code == 2
    assert "Traceback" not in answer.err
    assert name not in answer.err + answer.out


def test_actions_cannot_steer_the_terminal(mococo: Run, tmp_path: Path) -> None:
    """They may hold anything; what steers is spelled out, or left out where it has no spelling."""
    actions = [Action(0, "\x1b[2J\nclear"), Action(1, "\x9b31m")]
    policy = Policy.from_genotypes((2, 1), [0.5] * 3, [1, 2], [("a", -1.0, 1.0), ("b", 0.0, 3.0)], actions)
    policy.save(tmp_path / "evil.json")
    out = mococo("show", tmp_path / "evil.json").out
    assert r"THEN \x1b[2J clear" in out
    assert r"THEN \x9b31m" in out
    assert all(character.isprintable() or character == "\n" for character in out)
    assert mococo("plot", tmp_path / "evil.json", "--what", "map", "--format", "svg").code == 0
    ET.parse("figures/map.svg")


def test_a_terminal_without_unicode_gets_other_heights(policy_file: Path) -> None:
    words = [COMMAND, "show", policy_file]
    done = subprocess.run(words, capture_output=True, check=True, env=environment(PYTHONIOENCODING="ascii"))
    assert "    High   |            " in done.stdout.decode("ascii")
    assert "@@@@@@@@@@|" in done.stdout.decode("ascii")


def test_json(mococo: Run, run: SavedRun, policy_file: Path) -> None:
    data = json.loads(mococo("show", run.path, "--json").out)
    assert (data["env"], data["seed"], data["complete"], data["settings"]["num_gens"]) == ("MountainCar-v0", 1, True, 4)
    assert [member["performance"] for member in data["archive"]] == [member.performance for member in run.archive]
    assert [record["gen"] for record in data["history"]] == [0, 1, 2, 3]
    member = run.archive[0]
    data = json.loads(mococo("show", run.path, "--complexity", member.complexity, "--json").out)
    assert data["policy"]["rb"] == list(member.policy.rb)
    assert json.loads(mococo("show", policy_file, "--json").out) == json.loads(policy_file.read_text())


def test_many_seeds(mococo: Run) -> None:
    """As text (see test_seeds), as data, as a table for LaTeX, and the best of a complexity over the seeds."""
    assert mococo("train", "MountainCar-v0", *SMALL, "--seeds", 2, "-o", "two", "--quiet").code == 0
    archives = [read_run(Path(f"two/seed-{seed}")).archive for seed in (0, 1)]
    levels = sorted({member.complexity for archive in archives for member in archive})
    data = json.loads(mococo("show", "two", "--json").out)
    assert (data["done"], data["left"], data["broken"]) == ([0, 1], [], {})
    assert [row["complexity"] for row in data["complexities"]] == levels
    table = mococo("show", "two", "--latex").out
    assert table.startswith("% \\usepackage{booktabs}\n\\begin{tabular}{rrrrrrr}\n")
    rows = [line for line in table.splitlines() if re.match(r"\d", line)]
    assert [row.split(" & ")[5] for row in rows] == [f"${row['best']:.2f}$" for row in data["complexities"]]
    level = levels[-1]
    top = best([m for archive in archives for m in archive if m.complexity == level])
    assert f"Mean return {top.performance:.2f} from" in mococo("show", "two", "--complexity", level).out
    answer = mococo("show", "two", "--complexity", 1)
    held = ", ".join(map(str, levels))
    assert (answer.code, answer.err) == (2, f"mococo: two holds no policy of complexity 1; it holds: {held}\n")


def test_a_run_that_was_killed(mococo: Run, run: SavedRun) -> None:
    shutil.copytree(run.path, "killed")
    for name in ("archive.json", "front.json"):
        Path("killed", name).unlink()
    events = Path("killed/events.jsonl")
    events.write_bytes(b"".join(events.read_bytes().splitlines(keepends=True)[:2]) + b'{"gen":2,"eval')
    answer = mococo("show", "killed")
    assert answer.code == 0
    assert "  2 of 4 generations (stopped early), " in answer.out
    assert answer.out.endswith("\n\nIt has not saved policies yet. To go on with it: mococo resume killed\n")


def test_what_is_refused(mococo: Run, run: SavedRun, policy_file: Path) -> None:
    Path("empty").mkdir()
    held = ", ".join(str(member.complexity) for member in run.archive)
    for words, message in [
        (["no.json"], "no.json: cannot be read (No such file or directory)"),
        (["empty"], "empty does not hold a run: it has no config.json"),
        ([run.path / "config.json"], f"{run.path}/config.json: expected a mococo-policy file, got 'mococo-run'"),
        ([run.path, "--complexity", 1], f"{run.path} holds no policy of complexity 1; it holds: {held}"),
        (
            [policy_file, "--complexity", 2],
            f"--complexity picks a policy of a run, but {policy_file} is a single policy",
        ),
    ]:
        answer = mococo("show", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
