"""`mococo plot`: figures of a run, of many runs, or of a policy, as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mococo.analysis.trajectories import Episode, trace
from mococo.cli.main import OK
from mococo.cli.parsing import NUMBER, TEXT, WHOLE, option, parse
from mococo.envs.registry import find, known_ids, named
from mococo.envs.spec import Environment
from mococo.errors import MococoError, UsageError, nearest
from mococo.policy import Policy
from mococo.policy_json import load_policy
from mococo.report import style
from mococo.report.front_figure import front_figure
from mococo.report.map_figure import draw_map, fitting_axes
from mococo.report.seeds_figure import convergence_figure, draw_attainment
from mococo.report.sets_figure import sets_figure
from mococo.report.timeline_figure import timeline_figure
from mococo.runs.reading import Run, holds_run, read_run
from mococo.runs.scores import best

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_EPISODES = 1000


@dataclass(frozen=True)
class Plot:
    """Draw a run, a folder with several runs, or a policy.

    Of runs: front, convergence, attainment, and of their best policy, or of a single one: sets, map, timeline.
    """

    path: Annotated[str, TEXT, option("Folder of a run or of runs, or file of a policy.", metavar="PATH")]
    what: Annotated[str | None, TEXT, option("Figures, separated by commas.", default="all that fit")] = None
    output: Annotated[str, TEXT, option("Folder for the files.", short="-o", metavar="DIR")] = "figures"
    format: Annotated[str, TEXT, option("png, pdf, svg, or several, separated by commas.")] = "png"
    width: Annotated[float, NUMBER, option("Inches; a column of a paper has about 3.3.")] = style.WIDTH
    complexity: Annotated[
        int | None, WHOLE, option("Draw the runs' best policy of this complexity.", default="the best of all")
    ] = None
    env: Annotated[str | None, TEXT, option("Environment.", default="the run's, or the policy's", metavar="ID")] = None
    episodes: Annotated[int, WHOLE, option("Episodes on the map; the timeline shows the first.")] = 5
    seed: Annotated[int, WHOLE, option("Start of the random numbers that give the episodes' starts.")] = 0
    over: Annotated[str, TEXT, option("The map's two features, separated by a comma.", default="the first used")] = ""
    at: Annotated[
        str, TEXT, option("Values of other features on the map: NAME=X,NAME=X.", default="medians of the episodes")
    ] = ""
    marginal: Annotated[
        bool, option("Let the map average over the values of other features that the episodes met.", default="")
    ] = False


@dataclass(frozen=True)
class Subject:
    """What is drawn: runs, which may be none, and a policy with episodes, which may be missing."""

    runs: Sequence[Run]
    policy: Policy | None
    episodes: Sequence[Episode]
    width: float = style.WIDTH
    over: Sequence[str] = ()
    at: Mapping[str, float] = field(default_factory=dict)
    marginal: bool = False


def run(words: Sequence[str]) -> int:
    """Read, play, draw, tell which files there are."""
    args = parse(Plot, "plot", words)
    style.new_figure(args.width)  # refuses a wrong width, or that nothing can be drawn, before anything is read
    formats = _chosen("format", args.format, style.FORMATS)
    asked = _chosen("figure", args.what, FIGURES) if args.what is not None else None
    subject = _subject(args)
    for name in asked or FIGURES:
        figure = FIGURES[name]
        lack = figure.lack(subject)
        if lack and asked:
            raise UsageError(f"{name} needs {lack}, and {args.path} has none")
        if lack:
            continue
        for path in draw_files(name, subject, formats, Path(args.output)):
            print(f"{path}  {figure.does}", flush=True)
    return OK


def draw_files(name: str, subject: Subject, formats: Sequence[str], folder: Path) -> list[Path]:
    """Draw one figure and write it in each of the formats."""
    paths = [folder / f"{name}.{kind}" for kind in formats]
    try:
        style.save(FIGURES[name].draw(subject), *paths)
    except OSError as error:
        raise UsageError(f"{paths[0]} cannot be written ({error.strerror}); name a folder with -o") from None
    return paths


@dataclass(frozen=True)
class Drawing:
    """A figure that can be asked for."""

    does: str
    lack: Callable[[Subject], str]
    """What it needs and is not there, or nothing."""
    draw: Callable[[Subject], Figure]


def _no_front(s: Subject) -> str:
    return "" if any(r.front for r in s.runs) else "a run that was finished"


def _no_archive(s: Subject) -> str:
    return "" if any(r.archive for r in s.runs) else "a run that was finished"


def _no_history(s: Subject) -> str:
    return "" if s.runs and all(r.history for r in s.runs) else "runs with at least one generation each"


def _no_policy(s: Subject) -> str:
    return "" if s.policy is not None and max(s.policy.tag) > 1 else "a policy that looks at a feature"


def _no_plane(s: Subject) -> str:
    return _no_policy(s) or ("" if s.policy is not None and len(s.policy.features) > 1 else "a policy of two features")


def _no_episode(s: Subject) -> str:
    return _no_policy(s) or ("" if any(map(len, s.episodes)) else "an environment (--env) in which a rule fires")


def _front(s: Subject) -> Any:
    points = [member for r in s.runs for member in r.front]
    return front_figure(points, subspecies=s.runs[0].config.subspecies, width=s.width)


def _map(s: Subject) -> Any:
    assert s.policy is not None
    ax = fitting_axes(s.policy, s.width)
    return draw_map(s.policy, ax, over=s.over, at=s.at, marginal=s.marginal, episodes=s.episodes).get_figure()


def _timeline(s: Subject) -> Any:
    assert s.policy is not None
    return timeline_figure(s.policy, next(episode for episode in s.episodes if len(episode)), width=s.width)


def _sets(s: Subject) -> Any:
    assert s.policy is not None
    return sets_figure(s.policy, width=s.width)


def _convergence(s: Subject) -> Any:
    return convergence_figure([r.history for r in s.runs], width=s.width)


def _attainment(s: Subject) -> Any:
    return draw_attainment([r.archive for r in s.runs], width=s.width).get_figure()


FIGURES = {
    "front": Drawing("last fronts, their complexities, and the best from near", _no_front, _front),
    "sets": Drawing("fuzzy sets", _no_policy, _sets),
    "map": Drawing("which rule acts where, and episodes", _no_plane, _map),
    "timeline": Drawing("an episode: which rule drove when, and the votes", _no_episode, _timeline),
    "convergence": Drawing(
        "hypervolume and best performances over the generations",
        _no_history,
        _convergence,
    ),
    "attainment": Drawing(
        "performance that one, half and all runs attain",
        _no_archive,
        _attainment,
    ),
}


def _subject(args: Plot) -> Subject:
    path = Path(args.path)
    runs = _runs(path) if path.is_dir() else []
    if not runs and args.complexity is not None:
        raise UsageError(f"--complexity picks a policy of a run, but {args.path} is a single policy")
    policy = _best(runs, args) if runs else load_policy(path)
    env = _environment(args.env, runs, policy)
    if not 0 <= args.episodes <= MOST_EPISODES:
        raise UsageError(f"--episodes must be between 0 and {MOST_EPISODES}, got {args.episodes}")
    if args.seed < 0:
        raise UsageError(f"--seed must be at least 0, got {args.seed}")
    episodes = []
    if env is not None and policy is not None and args.episodes:
        episodes = [trace(policy, env, start) for start in env.draw_starts(args.episodes, args.seed)]
    over = [name.strip() for name in args.over.split(",") if name.strip()]
    return Subject(runs, policy, episodes, args.width, over, _values(args.at), args.marginal)


def _runs(path: Path) -> list[Run]:
    """The run in a folder, or those in its folders; all of one environment."""
    try:
        folders = [path] if holds_run(path) else sorted(folder for folder in path.iterdir() if holds_run(folder))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from None
    if not folders:
        raise UsageError(f"{path} does not hold a run, nor folders of runs")
    runs = [read_run(folder) for folder in folders]
    for other in runs:
        if other.env != runs[0].env:
            raise UsageError(
                f"runs of one environment can be drawn together, but {runs[0].path} is of {runs[0].env} and "
                f"{other.path} of {other.env}"
            )
    return runs


def _best(runs: Sequence[Run], args: Plot) -> Policy | None:
    members = [member for r in runs for member in r.archive]
    if args.complexity is not None:
        known = sorted({member.complexity for member in members})
        members = [member for member in members if member.complexity == args.complexity]
        if not members:
            held = ", ".join(map(str, known)) or "none"
            raise UsageError(f"{args.path} holds no policy of complexity {args.complexity}; it holds: {held}")
    return best(members).policy if members else None


def _environment(asked: str | None, runs: Sequence[Run], policy: Policy | None) -> Environment | None:
    """The one asked for, or the runs', or one with the policy's features; nothing where none is known."""
    if asked is not None:
        return named(asked)
    if not runs:
        known = (find(name) for name in known_ids())
        return next((env for env in known if policy is not None and _fits(policy, env)), None)
    try:
        return find(runs[0].env)
    except MococoError:
        return None


def _fits(policy: Policy, env: Environment) -> bool:
    return env.features == policy.features and env.continuous == policy.continuous


def _chosen(kind: str, words: str, known: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Names between commas, each once."""
    names = list(dict.fromkeys(word.strip().lower() for word in words.split(",") if word.strip()))
    for name in names:
        if name not in known:
            raise UsageError(f"unknown {kind} {name!r}. {nearest(name, known)}")
    if not names:
        raise UsageError(f"name at least one {kind}: {', '.join(known)}")
    return names


def _values(words: str) -> dict[str, float]:
    """NAME=X,NAME=X."""
    values = {}
    for part in filter(None, (word.strip() for word in words.split(","))):
        name, _, number = part.rpartition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--at takes NAME=X, for example velocity=0.01, got {part!r}") from None
    return values
