"""Tables for papers: LaTeX with the booktabs package."""

from __future__ import annotations

from collections.abc import Sequence

from mococo.envs.derived import formula
from mococo.policy import Policy
from mococo.runs.experiment import Row
from mococo.runs.scores import Scored
from mococo.subspecies import Tag

BOOKTABS = r"% \usepackage{booktabs}"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # its name is known to some encodings only, and babel gives it other work
    "`": r"\textasciigrave{}",
    "[": "{[}",  # at the start of a line it would be an option of the line break before
    "*": "{*}",
}


def escape(text: str) -> str:
    r"""Any text as LaTeX shows it literally, on one line.

    >>> print(escape("50% of $x_1$"))
    50\% of \$x\_1\$
    """
    printable = "".join(c if c.isprintable() else " " for c in text)
    shown = "".join(_SPECIAL.get(c, c) for c in " ".join(printable.split()))
    return shown.replace("--", "-{}-").replace("--", "-{}-")  # else they become dashes


def front_table(members: Sequence[Scored]) -> str:
    """The members of a front, a line for each; fresh performances with their standard errors."""
    rows = [
        (
            str(member.complexity),
            str(len(member.policy.rules)),
            _tag(member.policy.tag),
            _number(member.performance),
            f"{_number(member.fresh_performance)} $\\pm$ {_number(member.fresh_standard_error)}",
        )
        for member in members
    ]
    return _table("rrlrr", ("Complexity", "Rules", "Subspecies", "Training starts", "Fresh starts"), rows)


def seeds_table(rows: Sequence[Row]) -> str:
    """All runs at each complexity: how many have a policy of it, and how good those are."""
    cells = [
        (
            str(row.complexity),
            str(row.seeds),
            *(_number(x) for x in (*row.quartiles, row.best, row.fresh_median)),
        )
        for row in rows
    ]
    headers = ("Complexity", "Runs", "Lower quartile", "Median", "Upper quartile", "Best", "Median, fresh starts")
    return _table("rrrrrrr", headers, cells)


def rule_base(policy: Policy) -> str:
    """The rules, the coordinates of the fuzzy sets that they speak of, and what derived features are the sums of."""
    rules = [(f"{r}", f"{escape(rule.text)}") for r, rule in enumerate(policy.rules, 1)]
    sets = [
        (escape(feature.name) if j == 0 else "", escape(name), _coordinate(ref))
        for feature, names, refs in zip(policy.features, policy.set_names, policy.reference_coordinates, strict=True)
        if len(refs) > 1
        for j, (name, ref) in enumerate(zip(names, refs, strict=True))
    ]
    derived = [
        (escape(feature.name), escape(formula(feature)))
        for feature, m in zip(policy.features, policy.tag, strict=True)
        if feature.terms and m > 1
    ]
    tables = [
        _table(r"rp{0.85\linewidth}", ("", "Rule"), rules),
        _table("llr", ("Feature", "Set", "Wholly true at"), sets),
    ]
    if derived:
        tables.append(_table(r"lp{0.7\linewidth}", ("Derived feature", "Sum"), derived))
    return "\n\n".join(tables)


def _table(columns: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"{' & '.join(cells)} \\\\" for cells in (headers, *rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _number(x: float) -> str:
    """Two places, with a minus sign, not a hyphen."""
    return f"${x:.2f}$"


def _coordinate(x: float) -> str:
    """Four digits, powers of ten written out."""
    digits, _, power = f"{x:.4g}".partition("e")
    return rf"${digits} \times 10^{{{int(power)}}}$" if power else f"${digits}$"


def _tag(tag: Tag) -> str:
    """As in the paper: (4, 4)."""
    return f"$({', '.join(str(m) for m in tag)})$"
