"""The page in front of a reproduced study: what was claimed and found, the best policy, and what is in the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mococo.analysis.gecco21 import Claim, Found
from mococo.config import Config

PAPER = (
    "J. T. Bishop, M. Gallagher, W. N. Browne: A Genetic Fuzzy System for Interpretable and Parsimonious Reinforcement "
    "Learning Policies. GECCO '21 Companion, https://doi.org/10.1145/3449726.3463198"
)

FILES = {
    "figures/front.*": "the paper's figure of the merged F_1s: counted by complexity, all, and the best from near",
    "figures/sets.*": "the paper's figure of the valley and of the fuzzy sets of the best policy",
    "figures/map.*, timeline.*": "the best policy: which rule acts where, and in an episode when",
    "figures/convergence.*, attainment.*": "how the runs went, and what all, half and one of them attain",
    "explorer.html": "all runs to look through in a browser; it needs no network",
    "best/policy.json, rules.txt, rules.tex": "the best policy, for `mococo.load`, in words, and for LaTeX (booktabs)",
    "data/front.csv": "the solutions of the last F_1s: what figures/front shows",
    "data/archive.csv": "the best policies that each run ever found",
    "data/generations.csv, complexities.csv": "every generation of every run; all runs at each complexity",
    "settings.toml": "the paper's settings, for `mococo train --config`",
    "versions.json": "of Python, the libraries and the machine",
    "verdict.json": "the table above for programs",
    "runs/": "the folder of each seed, with its checkpoint, policies and history; runs/experiment.json lists the seeds",
}


def readme(claims: Sequence[Claim], best: Found, seeds: Sequence[int], config: Config, version: str) -> str:
    """Markdown."""
    member = best.member
    low, high = member.fresh_interval
    rules = "\n".join(f"{n}. {_escaped(rule.text)}" for n, rule in enumerate(member.policy.rules, 1))
    return f"""# Fuzzy MoCoCo's results on Mountain Car, reproduced

The paper: {PAPER}.

{len(seeds)} runs with its settings ({config.num_gens} generations; seeds {_span(seeds)}), by mococo {version}.

## What the paper says, and what was found

{_table(("paper", "found", "verdict"), [(c.paper, c.found, f"**{c.verdict}**") for c in claims])}

## The best policy

Seed {best.seed}, complexity {best.complexity}: mean return {best.performance:.2f} from the training starts, \
{member.fresh_performance:.2f} (95 %: {low:.2f} to {high:.2f}) from fresh ones.

{rules}

## What is in this folder

{_table(("", ""), [(_code(names), words) for names, words in FILES.items()])}

To make it again: `pip install "mococo[plot]=={version}"`, then `mococo reproduce gecco21`. The same seeds give the
same results on any number of cores.
"""


def verdict_record(claims: Sequence[Claim], best: Found, seeds: Sequence[int]) -> Mapping[str, object]:
    """`verdict.json`."""
    return {
        "paper": PAPER,
        "seeds": list(seeds),
        "claims": claims,
        "best": {
            "seed": best.seed,
            "complexity": best.complexity,
            "performance": best.performance,
            "fresh_performance": best.member.fresh_performance,
            "fresh_interval": best.member.fresh_interval,
            "rules": [rule.text for rule in best.member.policy.rules],
        },
    }


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))


def _escaped(text: str) -> str:
    """Underscores would make the words between them slanted."""
    return text.replace("_", r"\_")


def _span(seeds: Sequence[int]) -> str:
    whole = list(seeds) == list(range(seeds[0], seeds[-1] + 1)) and len(seeds) > 1
    return f"{seeds[0]} to {seeds[-1]}" if whole else ", ".join(map(str, seeds))
