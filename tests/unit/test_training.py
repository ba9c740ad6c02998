"""mococo.train and its generator form: settings, seeds, threads, evaluations of the user's own, history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mococo
from mococo import Config, Policy
from mococo.envs.mountain_car import MOUNTAIN_CAR, training_starts
from mococo.errors import ConfigError
from mococo.front import Front
from mococo.training import Progress, Result, evolve

SMALL: dict[str, Any] = {"num_gens": 4, "db_pop_size": 20, "rb_pop_size": 40}


def bits(front: Front) -> list[bytes]:
    """All of a front, bit for bit."""
    return [getattr(front, name).tobytes() for name in ("sigma", "db", "rb", "perf", "comp", "gen")]


def small(seed: int = 0, **more: Any) -> Result:
    return mococo.train("MountainCar-v0", seed, **{**SMALL, **more})


# ---------------------------------------------------------------- results


def test_a_result_holds_front_archive_history_and_what_made_them() -> None:
    result = small(3)
    assert result.seed == 3
    assert result.env is MOUNTAIN_CAR
    assert result.config == Config(**SMALL, **MOUNTAIN_CAR.settings)
    assert [record.gen for record in result.history] == [0, 1, 2, 3]
    assert all(member.gen == 3 for member in result.front)
    assert {member.gen for member in result.archive} <= {0, 1, 2, 3}
    assert result.archive.best.performance >= result.front.best.performance


def test_performances_are_what_evaluate_finds_on_the_training_starts() -> None:
    result = small()
    for front in (result.front.distinct(), result.archive):
        members = list(front)
        found = mococo.evaluate([m.policy for m in members], "MountainCar-v0", starts=training_starts(30))
        expected = np.where(found.uncovered > 0, -200.0, found.performance)
        assert [m.performance for m in members] == expected.tolist()
        assert [m.complexity for m in members] == [m.policy.complexity for m in members]


def test_the_front_is_f_1_of_the_last_generation() -> None:
    run = list(evolve("MountainCar-v0", 5, **SMALL))
    assert bits(small(5).front) == bits(run[-1].front)
    ones = run[-1].solns.rank == 1
    assert sorted(run[-1].front.perf) == sorted(run[-1].solns.perf[ones])


def test_the_archive_is_all_that_no_generation_dominates() -> None:
    run = list(evolve("MountainCar-v0", 5, refine=0, **SMALL))
    ever = {pair for p in run for pair in zip(p.solns.perf.tolist(), p.solns.comp.tolist(), strict=True)}
    best = {a for a in ever if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in ever)}
    archive = run[-1].archive
    assert set(zip(archive.perf.tolist(), archive.comp.tolist(), strict=True)) == best
    for member in archive:  # and of equals the first
        first = min(
            p.record.gen
            for p in run
            if ((p.solns.perf == member.performance) & (p.solns.comp == member.complexity)).any()
        )
        assert member.gen == first


def test_history_tells_each_generation_in_numbers() -> None:
    run = list(evolve("MountainCar-v0", 1, **SMALL))
    for progress in run:
        record, solns = progress.record, progress.solns
        assert record.evaluations == len(solns) + record.refined
        assert record.env_steps > 0
        assert record.seconds > 0
        ones = solns.rank == 1
        assert set(record.best) == set(solns.comp[ones].astype(int).tolist())
        for complexity, best in record.best.items():
            assert best == solns.perf[ones & (solns.comp == complexity)].max()
        assert list(record.best) == sorted(record.best)
        assert record.hypervolume == progress.front.hypervolume(-200.0, 25.0)
        assert record.archive_hypervolume == progress.archive.hypervolume(-200.0, 25.0)
        assert record.archive_size == len(progress.archive)
        assert record.archive_best == {m.complexity: m.performance for m in progress.archive}
    areas = [p.record.archive_hypervolume for p in run]
    assert areas == sorted(areas)
    assert [r.best for r in small(1).history] == [p.record.best for p in run]


def test_steps_are_those_of_the_episodes() -> None:
    """Those of equal solutions count each time they stand in a generation."""
    progress = next(evolve("MountainCar-v0", 2, refine=0, **SMALL))
    solns = progress.solns
    policies = [
        progress.decoder.policy(int(tag), solns.r1.genotype[i], solns.r2.genotype[j])
        for tag, i, j in zip(solns.tag, solns.first, solns.second, strict=True)
    ]
    found = mococo.evaluate(policies, "MountainCar-v0", starts=training_starts(30))
    covered = found.uncovered == 0
    assert progress.record.env_steps >= int(found.steps[covered].sum())
    assert progress.record.env_steps <= int(found.steps.sum())


# ---------------------------------------------------------------- settings


def test_settings_by_name_are_those_of_a_config() -> None:
    by_name, by_config = small(7), mococo.train("MountainCar-v0", 7, Config(**SMALL, **MOUNTAIN_CAR.settings))
    assert by_name.config == by_config.config
    assert bits(by_name.archive) == bits(by_config.archive)


def test_a_config_of_its_own_is_the_papers() -> None:
    """The defaults for Mountain Car add to the archive and to nothing else."""
    papers, ours = mococo.train("MountainCar-v0", 7, Config(**SMALL)), small(7)
    assert all(record.refined == 0 for record in papers.history)
    assert bits(papers.front) == bits(ours.front)


def test_settings_by_name_go_over_the_config() -> None:
    result = mococo.train("MountainCar-v0", 0, Config(**SMALL), num_gens=2)
    assert result.config == Config(**{**SMALL, "num_gens": 2})
    assert len(result.history) == 2


def test_an_environments_own_settings_count_when_no_config_is_given() -> None:
    env = replace(MOUNTAIN_CAR, settings={"subspecies": ((2, 3),), "beta": 2.0})
    own = mococo.train(env, **SMALL).config
    assert (own.subspecies, own.beta) == (((2, 3),), 2.0)
    assert mococo.train(env, subspecies="3x2", **SMALL).config.subspecies == ((3, 2),)
    assert mococo.train(env, config=Config(**SMALL)).config.subspecies == Config().subspecies


@pytest.mark.parametrize("config", [{"num_gens": 3}, "config.toml", 3, Config])
def test_a_config_of_another_type_is_refused(config: Any) -> None:
    with pytest.raises(ConfigError, match=r"config must be a mococo\.Config, got .*; give settings by name instead"):
        mococo.train("MountainCar-v0", config=config)


@pytest.mark.parametrize(
    ("callbacks", "text"),
    [
        (print, "callbacks must be a list, got <built-in function print>"),
        ([print], r"needs the methods on_generation\(progress\) and on_end\(result\), got .* without on_generation"),
    ],
)
def test_wrong_callbacks_are_refused(callbacks: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        small(callbacks=callbacks)


def test_a_seed_may_be_a_number_of_numpys() -> None:
    result = small(np.int64(3))  # type: ignore[arg-type]
    assert type(result.seed) is int
    assert bits(result.front) == bits(small(3).front)


def test_wrong_settings_are_refused_before_anything_is_evaluated() -> None:
    def evaluate(policies: Sequence[Policy]) -> Any:
        raise AssertionError

    with pytest.raises(ConfigError, match="db_pop_size"):
        mococo.train("MountainCar-v0", evaluate=evaluate, db_pop_size=3)


def test_subspecies_of_two_features_with_other_numbers_of_sets_can_be_trained() -> None:
    result = small(subspecies=[(2, 8), (7, 3), (16, 2)])
    assert {m.policy.tag for m in result.front} <= {(2, 8), (7, 3), (16, 2)}


# ---------------------------------------------------------------- the same again


def test_the_same_seed_gives_the_same_run_bit_for_bit() -> None:
    first, again = small(11), small(11)
    assert bits(first.archive) == bits(again.archive)
    assert bits(first.front) == bits(again.front)
    for a, b in zip(first.history, again.history, strict=True):
        assert replace(a, seconds=0) == replace(b, seconds=0)


def test_another_seed_gives_another_run() -> None:
    assert bits(small(11).archive) != bits(small(12).archive)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_run(threads: int) -> None:
    one, several = small(11, threads=1), small(11, threads=threads)
    assert bits(one.archive) == bits(several.archive)
    assert bits(one.front) == bits(several.front)
    assert [r.env_steps for r in one.history] == [r.env_steps for r in several.history]


def test_a_run_does_not_touch_numpys_global_generator() -> None:
    np.random.seed(0)
    before = np.random.get_state()[1].tobytes()  # type: ignore[index, union-attr]
    small()
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index, union-attr]


def test_two_runs_taking_turns_do_not_disturb_each_other() -> None:
    alone = [list(evolve("MountainCar-v0", seed, **SMALL))[-1] for seed in (1, 2)]
    turns = list(zip(evolve("MountainCar-v0", 1, **SMALL), evolve("MountainCar-v0", 2, **SMALL), strict=True))[-1]
    for a, b in zip(alone, turns, strict=True):
        assert bits(a.archive) == bits(b.archive)


def test_large_seeds_are_seeds() -> None:
    assert small(2**100, num_gens=1).seed == 2**100


# ---------------------------------------------------------------- the generator form


def test_the_generator_yields_each_generation_and_can_be_left_early() -> None:
    seen: list[Progress] = []
    for progress in evolve("MountainCar-v0", 0, num_gens=1000, db_pop_size=20, rb_pop_size=20):
        seen.append(progress)
        if len(seen) == 3:
            break
    assert [p.record.gen for p in seen] == [0, 1, 2]
    assert [p.state.gen for p in seen] == [1, 2, 3]


def test_nothing_is_evaluated_before_the_first_generation_is_asked_for() -> None:
    calls: list[int] = []

    def evaluate(policies: Sequence[Policy]) -> list[float]:
        calls.append(len(policies))
        return [0.0] * len(policies)

    run = evolve("MountainCar-v0", 0, evaluate=evaluate, **SMALL)
    assert calls == []
    next(run)
    assert len(calls) == 1
    run.close()  # type: ignore[attr-defined]
    assert len(calls) == 1


def test_a_short_run_is_the_beginning_of_a_long_one() -> None:
    short = list(evolve("MountainCar-v0", 4, **{**SMALL, "num_gens": 2}))
    long = list(evolve("MountainCar-v0", 4, **SMALL))
    assert bits(short[-1].archive) == bits(long[1].archive)


# ---------------------------------------------------------------- the user's own evaluation


def test_a_users_evaluation_gets_all_policies_of_a_generation_at_once() -> None:
    batches: list[Sequence[Policy]] = []

    def evaluate(policies: Sequence[Policy]) -> list[float]:
        batches.append(policies)
        return [-100.0 - policy.complexity for policy in policies]

    result = mococo.train("MountainCar-v0", 0, evaluate=evaluate, **SMALL)
    assert len(batches) == 4
    assert [len(b) for b in batches] == [r.evaluations for r in result.history]
    policies = batches[0]
    assert all(isinstance(policy, Policy) for policy in policies)
    assert policies[0].features == MOUNTAIN_CAR.features
    assert policies[0].actions == MOUNTAIN_CAR.actions
    assert policies[-1] == policies[len(policies) - 1]
    assert policies[1:3] == [policies[1], policies[2]]
    with pytest.raises(IndexError):
        policies[len(policies)]
    assert len(result.front) > 0
    assert all(m.performance == -100.0 - m.complexity for m in result.front)
    assert [r.env_steps for r in result.history] == [0] * 4


def test_a_users_evaluation_by_rollouts_gives_the_same_run_as_ours() -> None:
    def evaluate(policies: Sequence[Policy]) -> Any:
        found = mococo.evaluate(policies, "MountainCar-v0", starts=training_starts(30))
        return np.where(found.uncovered > 0, -200.0, found.performance)

    theirs, ours = mococo.train("MountainCar-v0", 6, evaluate=evaluate, **SMALL), small(6)
    assert bits(theirs.archive) == bits(ours.archive)
    assert bits(theirs.front) == bits(ours.front)


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (lambda ps: None, r"shape \(\)$"),
        (lambda ps: 0.0, r"shape \(\)$"),
        (lambda ps: [0.0], r"shape \(1,\)$"),
        (lambda ps: np.zeros(len(ps) + 1), r"shape \(\d+,\)$"),
        (lambda ps: np.zeros((len(ps), 1)), r"shape \(\d+, 1\)$"),
        (lambda ps: [math.nan] * len(ps), "values that are not finite$"),
        (lambda ps: [math.inf] * len(ps), "values that are not finite$"),
        (lambda ps: [-math.inf] + [0.0] * (len(ps) - 1), "values that are not finite$"),
    ],
)
def test_an_evaluation_that_answers_wrongly_is_told_so(answer: Any, got: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"the evaluation must give one finite performance for each of the \d+ policies, got .*{got}"
    ):
        mococo.train("MountainCar-v0", evaluate=answer, **SMALL)


@pytest.mark.parametrize(
    "answer", [lambda ps: ["good"] * len(ps), lambda ps: [[0.0], [0.0, 1.0]], 3], ids=["words", "ragged", "no function"]
)
def test_an_evaluation_that_answers_with_other_things_is_told_so(answer: Any) -> None:
    with pytest.raises(ConfigError):
        mococo.train("MountainCar-v0", evaluate=answer, **SMALL)


def test_an_error_in_a_users_evaluation_comes_through_as_it_is() -> None:
    def evaluate(policies: Sequence[Policy]) -> list[float]:
        raise ConnectionError("the rig is off")

    with pytest.raises(ConnectionError, match="the rig is off"):
        mococo.train("MountainCar-v0", evaluate=evaluate, **SMALL)


def test_a_population_in_which_no_two_fit_has_an_empty_front() -> None:
    """Two DBs, two RBs, many subspecies: often nobody finds a partner, and that is no error."""
    subspecies = [(a, b) for a in range(2, 6) for b in range(2, 6)]
    empty = 0
    for seed in range(12):
        result = mococo.train(
            "MountainCar-v0", seed, subspecies=subspecies, num_gens=2, db_pop_size=2, rb_pop_size=2, beta=1.0
        )
        if len(result.front) == 0:
            empty += 1
            assert result.history[-1].best == {}
            assert result.history[-1].hypervolume == 0.0
            with pytest.raises(IndexError, match="the front is empty"):
                _ = result.front.best
    assert empty > 0
