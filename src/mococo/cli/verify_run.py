"""`mococo verify-run`: does a run's folder hold what its seed and settings give?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from mococo.cli import text
from mococo.cli.main import DIFFERS, OK, REFUSED
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.progress import display
from mococo.cli.seeds import complain
from mococo.config import make_config
from mococo.errors import MococoError, RunError
from mococo.front import Decoder
from mococo.kernels.notice import compile_notice
from mococo.policy_json import load_policy
from mococo.rollout import check_threads
from mococo.runs.checkpoint import NAME, equal, load_checkpoint, owner
from mococo.runs.experiment import holds_experiment, look, read_experiment
from mococo.runs.folder import versions
from mococo.runs.reading import Run, read_run
from mococo.runs.scores import Scored, rescore, score
from mococo.training import Progress, evolve, resolve


@dataclass(frozen=True)
class VerifyRun:
    """Replay a run from its seed and settings, and say whether its folder holds what comes out.

    With --quick its policies are only played again, from the training starts and from the fresh ones. Of a folder of
    many seeds, each run that is done is verified.
    """

    path: Annotated[str, TEXT, option("Folder of a run, or of many seeds.", metavar="RUN")]
    quick: Annotated[bool, option("Play its policies again; do not search again.", default="")] = False
    quiet: Annotated[bool, option("Print nothing; the exit code tells.", default="")] = False
    threads: Annotated[int | None, WHOLE, option("Threads to evaluate on.", default="one for each core")] = None


def run(words: Sequence[str]) -> int:
    """Read, do it again, compare."""
    args = parse(VerifyRun, "verify-run", words)
    path, threads = Path(args.path), check_threads(args.threads)
    if not holds_experiment(path):
        return DIFFERS if _differs(read_run(path), args, threads) else OK
    seeds = look(path, read_experiment(path))
    if not seeds.done:
        raise RunError(f"{path} has no seed that is done; go on with it: {text.command('mococo resume', path)}")
    differ = [seed for seed, saved in seeds.done.items() if _differs(saved, args, threads)]
    if not args.quiet:
        print(f"{len(seeds.done) - len(differ)} of {text.counted(seeds.total, 'seed')} verified.")
    complain(seeds.broken)
    return DIFFERS if differ else REFUSED if seeds.broken else OK


def _differs(saved: Run, args: VerifyRun, threads: int) -> bool:
    """Whether a run is not what it claims; says so."""
    if not saved.finished or not 0 < saved.generations <= saved.config.num_gens:
        again = text.command("mococo resume", saved.path)
        raise RunError(f"{saved.path} has not saved policies yet; go on with it: {again}")
    check = _quick if args.quick else _replay
    faults = [*_files(saved), *check(saved, threads, quiet=args.quiet)]
    if not args.quiet:
        print(_verdict(saved, faults, quick=args.quick), flush=True)
    return bool(faults)


def _quick(run: Run, threads: int, *, quiet: bool) -> Iterator[str]:
    """Performances that are not those of the policies."""
    del quiet
    env = run.open_environment()
    for name, members in (("archive", run.archive), ("front", run.front)):
        for member, again in zip(members, rescore(members, env, run.config.eta, threads), strict=True):
            yield from _differences(name, member, again)


def _replay(run: Run, threads: int, *, quiet: bool) -> Iterator[str]:
    """What the same seed and settings give otherwise."""
    env = run.open_environment()
    # A run that ended early is the beginning of a longer one.
    config = resolve(env, make_config({"num_gens": run.generations}, run.config), {})
    try:
        whose = owner(run.env, run.seed)
        held = load_checkpoint(run.path, config, Decoder.of(env, config), whose) if (run.path / NAME).exists() else None
    except MococoError as error:
        yield str(error)
        held = None
    last: Progress | None = None
    with display(config.num_gens, quiet=quiet) as shown, compile_notice(shown.compiling):
        for last in evolve(env, run.seed, config, threads=threads):
            shown.update(last)
            told = run.history[last.record.gen : last.record.gen + 1]
            if not told or replace(told[0], seconds=0.0) != replace(last.record, seconds=0.0):
                yield f"generation {last.record.gen} in events.jsonl is not what the replay finds"
                return
            if held and held.state.gen == last.state.gen and not equal(held, last.checkpoint, config):
                yield f"{NAME} is not where the replay comes to after {text.counted(held.state.gen, 'generation')}"
    assert last is not None
    for name, members, front in (("archive", run.archive, last.archive), ("front", run.front, last.front)):
        again = score(front, env, threads)
        if len(again) != len(members):
            yield f"{name}.json holds {len(members)} policies, the replay found {len(again)}"
            continue
        for one, other in zip(members, again, strict=True):
            yield from _differences(name, one, other)


def _differences(name: str, member: Scored, again: Scored) -> Iterator[str]:
    """Fields in which a member differs from what was found again."""
    for field in Scored.__dataclass_fields__:
        if getattr(member, field) != getattr(again, field):
            yield f"{name}.json, complexity {member.complexity}: {field} is not what was found again"


def _files(run: Run) -> Iterator[str]:
    """Policies that are not those of the archive."""
    for member in run.archive:
        path = run.path / "policies" / f"complexity-{member.complexity:02d}.json"
        try:
            if load_policy(path) != member.policy:
                yield f"{path} is not the archive's policy"
        except MococoError as error:
            yield str(error)


def _verdict(run: Run, faults: Sequence[str], *, quick: bool) -> str:
    if not faults:
        how = (
            "played again, its policies perform as they claim" if quick else "its seed and settings give what it holds"
        )
        return f"{run.path} is what it claims: {how}."
    lines = [f"{run.path} is not what it claims:", *(f"  {fault}" for fault in faults)]
    now = versions()
    other = [
        f"{name} {run.versions.get(name)}, here {now[name]}" for name in now if run.versions.get(name) != now[name]
    ]
    if other:
        lines.append(text.wrapped(f"It was made with other versions, which may explain it: {'; '.join(other)}."))
    return "\n".join(lines)
