"""LaTeX tables: booktabs, numbers as they are, and any name shown literally."""

from __future__ import annotations

import re

import mococo
from mococo.envs.spec import Action, Feature
from mococo.report.latex import escape, front_table, rule_base
from mococo.runs.scores import Scored

POLICY = mococo.Policy.from_genotypes(
    (2, 1, 3),
    [0.5] * 6,
    [1, 0, 0, 0, 0, 2],
    features=[("angle_1", -1.0, 1.0), ("unused", 0, 1), ("[speed] & 100%", 0.0, 3e-5)],
    actions=[Action(0, "brake"), Action(1, "go {fast} \\now")],
)


def test_special_characters_are_shown_literally() -> None:
    assert escape("a_b & 50% #1 {x} ~ ^") == r"a\_b \& 50\% \#1 \{x\} \textasciitilde{} \textasciicircum{}"
    assert escape(r"\input{/etc/passwd}") == r"\textbackslash{}input\{/etc/passwd\}"
    assert escape("<script>|") == r"\textless{}script\textgreater{}\textbar{}"
    assert escape("two\nlines\tand\x00more  space") == "two lines and more space"
    assert escape("a--b---c-d") == "a-{}-b-{}-{}-c-d"
    assert escape('[x] * "') == r"{[}x] {*} \char34{}"
    assert escape("Größe – 5 °C") == "Größe – 5 °C"


def test_nothing_that_a_name_holds_stays_active() -> None:
    shown = escape("".join(map(chr, range(32, 127))))
    rest = re.sub(r"\\(text[a-z]+|char34)\{\}|\\[{}$&#_%]|\{[\[*]\}", "", shown)
    assert not set(rest) & set("\\{}$&#_%~^")


def test_the_front_as_a_table() -> None:
    member = Scored(POLICY, -96.2, POLICY.complexity, 7, 1, -97.657, 0.241, (-98.1, -97.2), 0)
    assert front_table([member]) == (
        "\\begin{tabular}{rrlrr}\n"
        "\\toprule\n"
        "Complexity & Rules & Subspecies & Training starts & Fresh starts \\\\\n"
        "\\midrule\n"
        "2 & 2 & $(2, 1, 3)$ & $-96.20$ & $-97.66$ $\\pm$ $0.24$ \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}"
    )


def test_a_rule_base_as_tables() -> None:
    text = rule_base(POLICY)
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 2
    assert r"1 & IF angle\_1 is Low AND {[}speed] \& 100\% is Low THEN brake \\" in text
    assert r"THEN go \{fast\} \textbackslash{}now \\" in text
    assert r"angle\_1 & Low & $-0.5$ \\" in text
    assert r" & High & $0.5$ \\" in text
    assert r"{[}speed] \& 100\% & Low & $5 \times 10^{-6}$ \\" in text
    assert "unused" not in text


def test_every_line_of_a_table_has_as_many_cells_as_columns() -> None:
    for table in rule_base(POLICY).split("\n\n"):
        rows = [line for line in table.splitlines() if line.endswith("\\\\")]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


def test_derived_features_are_told_as_sums() -> None:
    features = [
        Feature("an_gle", -1, 1),
        Feature("turn", -1, 1),
        Feature("lean", -2, 2, terms=(("an_gle", 1.0), ("turn", -0.5))),
    ]
    policy = mococo.Policy.from_genotypes((2, 1, 2), [0.5] * 5, [1, 0, 0, 2], features, [0, 1])
    assert r"lean & an\_gle - 0.5{*}turn \\" in rule_base(policy)
    assert "turn &" not in rule_base(policy)
    alone = mococo.Policy.from_genotypes((2, 2, 1), [0.5] * 5, [1, 0, 0, 2], features, [0, 1])
    assert "Derived" not in rule_base(alone)
