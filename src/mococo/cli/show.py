"""`mococo show`: a run or a policy as text, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from mococo.cli import text
from mococo.cli.drawing import draw_front, draw_sets
from mococo.cli.main import OK, REFUSED
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.seeds import complain, summary_text
from mococo.cli.settings import settings_text
from mococo.cli.sources import open_source
from mococo.errors import UsageError
from mococo.policy import Policy
from mococo.policy_json import to_record
from mococo.report.latex import BOOKTABS, front_table, rule_base, seeds_table
from mococo.runs.experiment import Seeds, holds_experiment, look, read_experiment, summary
from mococo.runs.folder import member_record
from mococo.runs.reading import Run
from mococo.runs.scores import Scored, best
from mococo.runs.session import INTERRUPTED
from mococo.subspecies import tag_text


@dataclass(frozen=True)
class Show:
    """Print a run (settings, front, best policy), many seeds (a table), or a policy (rules, fuzzy sets)."""

    path: Annotated[str, TEXT, option("Folder of a run or of many seeds, or file of a policy.", metavar="PATH")]
    complexity: Annotated[
        int | None, WHOLE, option("Print the run's policy of this complexity.", default="the best policy's")
    ] = None
    json: Annotated[bool, option("Print JSON for other programs.", default="")] = False
    latex: Annotated[bool, option("Print tables for LaTeX (booktabs): front and rules.", default="")] = False


def run(words: Sequence[str]) -> int:
    """Read, choose, print."""
    args = parse(Show, "show", words)
    if args.json and args.latex:
        raise UsageError("--json and --latex exclude each other")
    path = Path(args.path)
    if holds_experiment(path):
        seeds = look(path, read_experiment(path))
        print(_seeds_told(path, seeds, args))
        complain(seeds.broken)
        return REFUSED if seeds.broken else OK
    source = open_source(path)
    if isinstance(source, Policy):
        if args.complexity is not None:
            raise UsageError(f"--complexity picks a policy of a run, but {args.path} is a single policy")
        print(rule_base(source) if args.latex else _json(to_record(source)) if args.json else policy_text(source))
    elif args.complexity is not None:
        print(_member_told(source, _of_complexity(source.archive, args.complexity, path), args))
    elif args.latex:
        print(_run_latex(source))
    else:
        print(_json(_run_data(source)) if args.json else run_text(source))
    return OK


def _seeds_told(path: Path, seeds: Seeds, args: Show) -> str:
    """A table over the seeds, or their best policy of a complexity."""
    if args.complexity is not None:
        members = [member for run in seeds.done.values() for member in run.archive]
        member = _of_complexity(members, args.complexity, path)
        run = next(run for run in seeds.done.values() if member in run.archive)
        return _member_told(run, member, args)
    if args.latex:
        if not seeds.done:
            raise UsageError(f"{path} holds no policies")
        return f"{BOOKTABS}\n{seeds_table(summary(seeds.done))}"
    if args.json:
        rows = summary(seeds.done)
        return _json({"done": list(seeds.done), "left": seeds.left, "broken": seeds.broken, "complexities": rows})
    return summary_text(path, seeds)


def _member_told(run: Run, member: Scored, args: Show) -> str:
    if args.json:
        return _json(member_record(member))
    return rule_base(member.policy) if args.latex else _member_text(run, member)


def policy_text(policy: Policy) -> str:
    """Rules, and the fuzzy sets drawn."""
    n = len(policy.rules)
    head = f"{text.counted(n, 'rule')}, complexity {policy.complexity}, subspecies {tag_text(policy.tag)}"
    sets = "Fuzzy sets, with the coordinate at which each is wholly true:"
    return "\n".join([head, text.rules(policy), "", sets, draw_sets(policy)])


def run_text(run: Run) -> str:
    """Settings, archive, last front, best policy."""
    evaluations = sum(record.evaluations for record in run.history)
    seconds = sum(record.seconds for record in run.history)
    state = (
        "" if run.complete else f" (ended by {run.ended})" if run.ended not in ("", INTERRUPTED) else " (stopped early)"
    )
    versions = ", ".join(f"{name} {number}" for name, number in run.versions.items())
    parts = [
        f"{run.env}, seed {run.seed}\n"
        f"  {len(run.history)} of {text.counted(run.config.num_gens, 'generation')}{state}, "
        f"{text.counted(evaluations, 'evaluation')}, {text.duration(seconds)}\n"
        f"{text.wrapped(versions, '  ', '  ')}\n"
        f"{text.wrapped(', '.join(settings_text(run.config)), '  ', '  ')}"
    ]
    if not run.finished:
        return "\n\n".join(
            [*parts, f"It has not saved policies yet. To go on with it: {text.command('mococo resume', run.path)}"]
        )
    parts += [text.archive_text(run.archive, run.config.eta, run.fresh_starts), text.last_front_text(run.front)]
    if run.archive:
        parts.append(f"Mean return at each complexity:\n{draw_front(run.archive)}")
        top = best(run.archive)
        parts.append(f"The best policy: {policy_text(top.policy)}")
        others = [str(member.complexity) for member in run.archive if member is not top]
        if others:
            parts.append(f"To see another: {text.command('mococo show', run.path)} --complexity {others[-1]}")
    return "\n\n".join(parts)


def _run_latex(run: Run) -> str:
    """The archive's table, and the best policy's."""
    if not run.archive:
        raise UsageError(f"{run.path} holds no policies")
    return f"{BOOKTABS}\n{front_table(run.archive)}\n\n{rule_base(best(run.archive).policy)}"


def _member_text(run: Run, member: Scored) -> str:
    numbers = (
        f"Mean return {text.number(member.performance)} from {text.counted(run.config.eta, 'training start')}, "
        f"{text.number(member.fresh_performance)} (95 %: {text.interval(member.fresh_interval)}) from "
        f"{text.counted(run.fresh_starts, 'fresh start')}, {member.fresh_uncovered} of which met a state without a "
        f"rule; found in generation {member.gen}."
    )
    return f"{text.wrapped(numbers)}\n\n{policy_text(member.policy)}"


def _of_complexity(members: Sequence[Scored], complexity: int, path: Path) -> Scored:
    """The best of a complexity."""
    fitting = [member for member in members if member.complexity == complexity]
    if fitting:
        return best(fitting)
    known = ", ".join(map(str, sorted({member.complexity for member in members}))) or "none"
    raise UsageError(f"{path} holds no policy of complexity {complexity}; it holds: {known}")


def _run_data(run: Run) -> dict[str, Any]:
    return {
        "env": run.env,
        "seed": run.seed,
        "settings": run.config,
        "versions": dict(run.versions),
        "complete": run.complete,
        "history": run.history,
        "fresh_starts": run.fresh_starts,
        "archive": [member_record(member) for member in run.archive],
        "front": [member_record(member) for member in run.front],
    }


def _json(data: object) -> str:
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
