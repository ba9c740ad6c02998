"""`mococo reproduce gecco21`: the paper's runs, its figures, and a verdict on each of its claims, in one folder."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import msgspec

from mococo.analysis.gecco21 import SEEDS, Claim, Found, best_found, claims, merged_fronts
from mococo.analysis.trajectories import trace
from mococo.analysis.value_iteration import solve
from mococo.cli import text
from mococo.cli.config import toml_text
from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, WHOLE, option, parse
from mococo.cli.plot import FIGURES, Subject, draw_files
from mococo.cli.seeds import tell_end, train_seeds
from mococo.config import Config
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.errors import RunError, UsageError, nearest
from mococo.files import write_atomic
from mococo.policy_json import to_record
from mococo.report import csv_tables, latex, style
from mococo.report.reproduction import readme, verdict_record
from mococo.rollout import check_threads
from mococo.runs import lock
from mococo.runs.experiment import begin, holds_experiment
from mococo.runs.folder import versions, writing
from mococo.runs.reading import Run
from mococo.stops import Stops

STUDIES = ("gecco21",)
RUNS = "runs"
_EPISODES = 5
_START = "import sys; from mococo.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Reproduce:
    """Repeat a paper's runs with its settings, draw its figures, and check each of its claims.

    gecco21 is the paper of Fuzzy MoCoCo: thirty runs on Mountain Car. All goes into one folder. What is done is not
    done again, so a reproduction that was stopped goes on when it is asked for again.
    """

    study: Annotated[str, TEXT, option(f"The study: {', '.join(STUDIES)}.", metavar="STUDY")]
    out: Annotated[str, TEXT, option("Folder to save in.", short="-o", metavar="DIR")] = "gecco21"
    seeds: Annotated[int, WHOLE, option("How many runs; fewer than the paper's thirty for a first look.")] = len(SEEDS)
    quiet: Annotated[bool, option("Print nothing but the folder.", default="")] = False
    threads: Annotated[int | None, WHOLE, option("Processes that run seeds.", default="one for each core")] = None


def run(words: Sequence[str]) -> int:
    """Run the seeds, write the folder, tell the verdict."""
    args = parse(Reproduce, "reproduce", words)
    if args.study not in STUDIES:
        raise UsageError(f"unknown study {args.study!r}. {nearest(args.study, STUDIES)}")
    if not 1 <= args.seeds <= len(SEEDS):
        raise UsageError(f"--seeds must be between 1 and {len(SEEDS)}, got {args.seeds}")
    cores, path = check_threads(args.threads), Path(args.out)
    style.new_figure()  # refuses before anything is run if nothing can be drawn
    _check_free(path)
    with lock.locked(path / RUNS):
        record = begin(path / RUNS, MOUNTAIN_CAR, Config(), Stops(), SEEDS[: args.seeds])
        outcome = train_seeds(path / RUNS, record, cores, quiet=args.quiet)
        if outcome.stopped or outcome.failed:
            return tell_end(outcome, text.command("mococo reproduce gecco21 -o", path))
        found = write_folder(path, outcome.seeds.done, record.settings, quiet=args.quiet)
    print(path if args.quiet else _told(path, found))
    return OK


def write_folder(path: Path, runs: dict[int, Run], config: Config, *, quiet: bool) -> list[Claim]:
    """Everything but the runs. The page that tells what there is comes last."""
    if not quiet:
        print("Drawing figures ...", file=sys.stderr, flush=True)
    best = best_found(merged_fronts(runs))
    with ThreadPoolExecutor(2) as pool, writing(path, "mend this, then ask for the reproduction again"):
        optimum = pool.submit(solve, MOUNTAIN_CAR)  # compiled, so that it takes no time from what is drawn meanwhile
        explorer = pool.submit(_explorer, path)
        _draw(path / "figures", runs, best)
        texts = {
            "best/policy.json": _json(to_record(best.member.policy)),
            "best/rules.txt": f"{best.member.policy}\n",
            "best/rules.tex": f"{latex.BOOKTABS}\n{latex.rule_base(best.member.policy)}\n",
            "data/front.csv": csv_tables.fronts(runs),
            "data/archive.csv": csv_tables.archives(runs),
            "data/generations.csv": csv_tables.generations(runs),
            "data/complexities.csv": csv_tables.complexities(runs),
            "settings.toml": toml_text(config, "The paper's settings.", MOUNTAIN_CAR.id),
            "versions.json": _json(_versions()),
        }
        explorer.result()
        solved = optimum.result()
        found = claims(runs, config, solved.performance, solved.interpolated_performance)
        seeds = sorted(runs)
        texts["verdict.json"] = _json(verdict_record(found, best, seeds))
        texts["README.md"] = readme(found, best, seeds, config, version("mococo"))
        for name, content in texts.items():
            write_atomic(path / name, content.encode())
    return found


def _draw(folder: Path, runs: dict[int, Run], best: Found) -> None:
    """All figures, in all formats."""
    policy = best.member.policy
    starts = MOUNTAIN_CAR.draw_starts(_EPISODES, 0)
    subject = Subject(list(runs.values()), policy, [trace(policy, MOUNTAIN_CAR, start) for start in starts])
    for name, figure in FIGURES.items():
        if not figure.lack(subject):
            draw_files(name, subject, style.FORMATS, folder)


def _explorer(path: Path) -> None:
    """The page over all runs, made by a process of its own beside the figures."""
    words = ["report", str(path / RUNS), "-o", str(path / "explorer.html")]
    done = subprocess.run([sys.executable, "-c", _START, *words], capture_output=True, text=True, check=False)
    if done.returncode != OK:
        raise RunError(f"the explorer could not be written: {done.stderr.strip().removeprefix('mococo: ')}")


def _check_free(path: Path) -> None:
    """Refuse a folder that holds something else."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, but a reproduction needs a folder; name another with -o")
    if path.is_dir() and any(path.iterdir()) and not (path / RUNS).is_dir() and not holds_experiment(path / RUNS):
        raise UsageError(f"{path} is not empty and does not hold a reproduction; name another folder with -o")


def _versions() -> dict[str, str]:
    found = versions()
    for name in ("matplotlib", "plotly"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return {**found, "platform": platform.platform(), "cores": str(os.cpu_count())}


def _told(path: Path, found: Sequence[Claim]) -> str:
    """The verdict on each claim, and where all is."""
    parts = []
    for n, claim in enumerate(found, 1):
        parts.append(text.wrapped(f"The paper: {claim.paper}.", f"{n}. ", "   "))
        parts.append(text.wrapped(f"Found: {claim.found}.", "   ", "   "))
        parts.append(f"   {claim.verdict.capitalize()}.\n")
    return "\n".join([*parts, f"Saved in {path}; begin with {path / 'README.md'}"])


def _json(data: object) -> str:
    return f"{msgspec.json.format(msgspec.json.encode(data), indent=2).decode()}\n"
