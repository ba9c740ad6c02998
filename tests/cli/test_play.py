"""`mococo play`: films by Gymnasium's renderer with the driving rule below, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from PIL import Image

import mococo as package
from mococo.analysis.live_episodes import moments
from mococo.analysis.trajectories import fire, trace
from mococo.envs.mountain_car import MOUNTAIN_CAR
from mococo.report import film
from mococo.report.motion import Shot, shots
from mococo.runs.reading import read_run
from mococo.runs.scores import best
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.fixture
def rocking(tmp_path: Path) -> Path:
    """The file of a policy that covers every state."""
    policy = package.Policy.from_genotypes(
        (2, 2), [0.5] * 4, [1, 2, 1, 2], features=MOUNTAIN_CAR.features, actions=MOUNTAIN_CAR.actions
    )
    policy.save(tmp_path / "rocking.json")
    return tmp_path / "rocking.json"


def test_moments_are_those_of_the_compiled_environment(rocking: Path) -> None:
    policy = package.load(rocking)
    env = gymnasium.make("MountainCar-v0")
    coming = moments(policy, env, seed=3)
    first = next(coming)
    episode = trace(policy, MOUNTAIN_CAR, env.unwrapped.state)
    found = [first, *coming]
    assert np.array_equal([moment.seen for moment in found], episode.inputs)
    assert [moment.output for moment in found] == [*episode.outputs, None]
    assert np.array_equal([m.firing.drivers[0] for m in found[:-1]], episode.firing.drivers)
    last = found[-1]
    assert (last.total, last.ended, last.uncovered) == (episode.discounted(1.0), episode.ended, False)
    assert len(list(moments(policy, env, seed=3, limit=7))) == 8
    env.close()


def test_a_film_of_every_step_with_the_rule_below(mococo: Run, rocking: Path) -> None:
    policy = package.load(rocking)
    answer = mococo("play", rocking, "--env", "MountainCar-v0", "--save", "film.gif", "--seed", 3)
    assert (answer.code, answer.err) == (0, "")
    played = list(shots(policy, "MountainCar-v0", 1, 3))
    steps = played[-1].moment.step
    assert answer.out == f"Episode 1: return {-steps}.00 after {steps} steps, ended\nfilm.gif  saved\n"
    assert [int(fire(policy, shot.moment.seen[None]).drivers[0]) for shot in played] == [
        int(shot.moment.firing.drivers[0]) for shot in played
    ]
    with Image.open("film.gif") as gif:
        assert gif.size == played[0].image.size
        assert gif.n_frames == len(played) == steps + 1
        assert gif.info["duration"] == 30
    env = gymnasium.make("MountainCar-v0", render_mode="rgb_array")
    env.reset(seed=3)
    picture = np.asarray(env.render())
    env.close()
    first = np.asarray(played[0].image)
    assert np.array_equal(first[: picture.shape[0], : picture.shape[1]], picture)
    below = first[picture.shape[0] :]
    assert (below < 128).any()
    assert played[0].image.tobytes() != played[1].image.tobytes()


def test_a_run_plays_its_best_policy_or_another(mococo: Run, small_run: Path) -> None:
    run = read_run(small_run)
    env = gymnasium.make("MountainCar-v0")
    other = run.archive[0]
    for words, member in [((), best(run.archive)), (("--complexity", other.complexity, "--save", "film.gif"), other)]:
        told = mococo("play", small_run, *words).out
        last = list(moments(member.policy, env, seed=0))[-1]
        assert told.startswith(f"Episode 1: return {last.total:.2f} after {last.step} steps, ")
        where = "film.gif  saved" if words else "MountainCar-v0.gif  there is no screen here, so it is a film"
        assert told.splitlines()[-1] == where
        assert Path(where.split("  ", maxsplit=1)[0]).exists()
    env.close()


def test_an_uncovered_state_ends_the_episode(mococo: Run, tmp_path: Path) -> None:
    policy = package.Policy.from_genotypes(
        (4, 4), [0.5] * 8, [1, *[0] * 14, 2], features=MOUNTAIN_CAR.features, actions=MOUNTAIN_CAR.actions
    )
    policy.save(tmp_path / "narrow.json")
    told = mococo("play", "narrow.json", "--env", "MountainCar-v0", "--save", "film.gif").out
    assert told.splitlines()[0] == "Episode 1: return 0.00 after 0 steps, no rule fires there"


def test_an_mp4(mococo: Run, rocking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("play", rocking, "--env", "MountainCar-v0", "--save", "film.mp4")
    if shutil.which("ffmpeg"):  # the Makefile installs it where it can
        assert mococo(*words).code == 0
        assert Path("film.mp4").read_bytes()[4:8] == b"ftyp"
        Path("film.mp4").unlink()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    answer = mococo(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "mococo: an .mp4 needs ffmpeg, which is not installed: apt-get install ffmpeg, or pip install imageio-ffmpeg; "
        "a .gif needs nothing\n"
    )
    assert not Path("film.mp4").exists()


def test_a_window_shows_every_picture(rocking: Path) -> None:
    """SDL's dummy driver has real windows that nobody sees."""
    seen: list[Shot] = []

    def at_once() -> Iterator[Shot]:
        for shot in shots(package.load(rocking), "MountainCar-v0", 1, 3):
            seen.append(shot)
            yield replace(shot, seconds=0.0)

    film.show(at_once(), "MountainCar-v0")
    assert seen[-1].moment.last


def test_what_is_refused(mococo: Run, small_run: Path, rocking: Path) -> None:
    for words, message in [
        (["no"], "no: cannot be read (No such file or directory)"),
        ([rocking], f"{rocking} is a single policy: say with --env in which environment it shall act"),
        ([rocking, "--env", "CartPole-v1"],
         "CartPole-v1 gives 4 numbers to a policy, but this policy looks at 2 (position, velocity)"),
        ([rocking, "--env", "Nothing-v0"], "Gymnasium cannot make Nothing-v0: Environment `Nothing` doesn't exist."),
        ([rocking, "--env", "MountainCar-v0", "--complexity", 2],
         f"--complexity picks a policy of a run, but {rocking} is a single policy"),
        ([small_run, "--episodes", 0], "--episodes must be between 1 and 100, got 0"),
        ([small_run, "--seed", -1], "seed must be a whole number >= 0, got -1"),
        ([small_run, "--save", "film.avi"], "a film is written as .gif or .mp4, got 'film.avi'"),
        ([small_run, "--save", "no.json/film.gif"],
         "no.json/film.gif cannot be written (File exists); name another file with --save"),
    ]:  # fmt: skip
        Path("no.json").touch()
        answer = mococo("play", *words)
        assert (answer.code, answer.out, answer.err) == (2, "", f"mococo: {message}\n")
    assert not list(Path.cwd().glob("*.gif"))
