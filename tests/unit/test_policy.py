"""Policies: what they refuse, what they answer, and how they read."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from mococo import Policy
from mococo.envs.spec import Action, Feature
from mococo.errors import EnvironmentSpecError, MococoError, ObservationError, PolicyError, UncoveredState

FEATURES: Any = [("position", -1.2, 0.5), ("velocity", -0.07, 0.07)]
WITH_VELOCITY = [1, 2, 1, 2]
HOLEY = [1, 0, 0, 2]


def make(**changes: Any) -> Policy:
    """A good policy, or one with something wrong."""
    parts: dict[str, Any] = {
        "tag": (2, 2),
        "db": [0.5] * 4,
        "rb": WITH_VELOCITY,
        "features": FEATURES,
        "actions": ["left", "right"],
    }
    return Policy.from_genotypes(**{**parts, **changes})


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ((2,), r"the tag needs one number of sets for each of the 2 features, got \(2,\)"),
        ((2, 2, 2), r"the tag needs one number of sets for each of the 2 features, got \(2, 2, 2\)"),
        ((), r"the tag needs one number of sets for each of the 2 features, got \(\)"),
        ((2, 0), "a feature has between 2 and 16 fuzzy sets, .* got 0"),
        ((2, -2), "a feature has between 2 and 16 fuzzy sets, .* got -2"),
        ((17, 2), "a feature has between 2 and 16 fuzzy sets, .* got 17"),
        ((2.0, 2), r"a feature has between 2 and 16 fuzzy sets, .* got 2\.0"),
        ((True, 2), "a feature has between 2 and 16 fuzzy sets, .* got True"),
        ("22", "a feature has between 2 and 16 fuzzy sets, .* got '2'"),
        ((None, 2), "a feature has between 2 and 16 fuzzy sets, .* got None"),
    ],
)
def test_a_wrong_tag_is_refused(tag: Any, text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        make(tag=tag)


@pytest.mark.parametrize(
    ("db", "text"),
    [
        ([[0.5]] * 4, r"alleles of a DB genotype lie in \[0, 1\], got \[0\.5\]"),
        ([0.5] * 3, "a DB genotype of subspecies 2x2 has 4 alleles, one for each .*set, got 3"),
        ([0.5] * 5, "a DB genotype of subspecies 2x2 has 4 alleles, one for each .*set, got 5"),
        ([0.5, 0.5, 0.5, 1.01], r"alleles of a DB genotype lie in \[0, 1\], got 1\.01"),
        ([0.5, -0.01, 0.5, 0.5], r"alleles of a DB genotype lie in \[0, 1\], got -0\.01"),
        ([0.5, math.nan, 0.5, 0.5], r"alleles of a DB genotype lie in \[0, 1\], got nan"),
        ([0.5, math.inf, 0.5, 0.5], r"alleles of a DB genotype lie in \[0, 1\], got inf"),
    ],
)
def test_a_wrong_db_genotype_is_refused(db: Any, text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        make(db=db)


@pytest.mark.parametrize(
    ("rb", "text"),
    [
        ([1, 2, 1], "an RB genotype of subspecies 2x2 has 4 alleles, one for each fuzzy subspace, got 3"),
        ([[1, 2, 1, 2]], "an RB genotype of subspecies 2x2 has 4 alleles, .* got 1"),
        ([1, 2, 3, 0], r"alleles of an RB genotype are 0 \(unspecified\) or an action's number 1 to 2, got 3"),
        ([1, 2, -1, 0], "alleles of an RB genotype are .* got -1"),
        ([1.0, 2.0, 0.0, 0.0], r"alleles of an RB genotype are .* got 1\.0"),
        ([10**30, 0, 0, 0], "alleles of an RB genotype are .* got 1000000"),
        (["left", "right", "", ""], "alleles of an RB genotype are .* got 'left'"),
        ([10**5000, 0, 0, 0], "alleles of an RB genotype are .* got a number of 16610 bits"),
    ],
)
def test_a_wrong_rb_genotype_is_refused(rb: Any, text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        make(rb=rb)


@pytest.mark.parametrize("omega", [0.0, 1.0, -1, 2, math.nan])
def test_a_wrong_omega_is_refused(omega: float) -> None:
    with pytest.raises(PolicyError, match="omega must lie strictly between 0 and 1, got "):
        make(omega=omega)


def test_a_policy_without_features_or_actions_is_refused() -> None:
    with pytest.raises(PolicyError, match="a policy needs at least one feature and one action"):
        make(features=[])
    with pytest.raises(PolicyError, match="a policy needs at least one feature and one action"):
        make(actions=[])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"features": None}, "features must be a list, got None"),
        ({"actions": 2}, "actions must be a list, got 2"),
        ({"actions": "lr"}, "actions must be a list, got 'lr'"),
        ({"features": [FEATURES[0], FEATURES[0]]}, "each feature needs a name of its own, .* got 'position' twice"),
        ({"actions": [(0, 1), (1,)]}, r"all actions must be of as many numbers, got \(1,\) after \(0, 1\)"),
        ({"actions": [0, (1,)]}, r"all actions must be of as many numbers, got \(1,\) after 0"),
        ({"continuous": True}, "the mean of its actions, which must be numbers, got 'left'"),
        ({"continuous": "no"}, "continuous must be True or False, got 'no'"),
    ],
    ids=str,
)
def test_features_and_actions_that_do_not_go_together_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError, match=text):
        make(**changes)


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        (("x", 1.0, 1.0), r"feature 'x' needs a finite domain with low < high, .* got \[1\.0, 1\.0\]"),
        (("x", 2.0, 1.0), r"feature 'x' needs a finite domain with low < high, .* got \[2\.0, 1\.0\]"),
        (("x", -math.inf, 1.0), r"feature 'x' needs a finite domain .* got \[-inf, 1\.0\]"),
        (("x", 0.0, math.inf), r"feature 'x' needs a finite domain .* got \[0\.0, inf\]"),
        (("x", math.nan, 1.0), r"feature 'x' needs a finite domain .* got \[nan, 1\.0\]"),
        (("", 0.0, 1.0), "a feature needs a name, got ''"),
        (("  ", 0.0, 1.0), "a feature needs a name, got '  '"),
        ((3, 0.0, 1.0), "a feature needs a name, got 3"),
    ],
)
def test_a_wrong_feature_is_refused(feature: Any, text: str) -> None:
    with pytest.raises(EnvironmentSpecError, match=text):
        make(features=[feature, FEATURES[1]])


@pytest.mark.parametrize(
    "changes",
    [
        {"db": ["a"] * 4},
        {"db": None},
        {"rb": None},
        {"tag": 2},
        {"omega": "much"},
        {"features": [("position", -1.2), ("velocity", -0.07, 0.07)]},
        {"features": [("position", "-1.2", "0.5"), ("velocity", -0.07, 0.07)]},
    ],
    ids=str,
)
def test_parts_of_a_wrong_type_are_refused_with_an_error_of_ours(changes: dict[str, Any]) -> None:
    with pytest.raises(MococoError):
        make(**changes)


def test_more_than_127_actions_work_or_are_refused_with_an_error_of_ours() -> None:
    try:
        policy = make(tag=(16, 16), db=[0.5] * 32, rb=[150] * 256, actions=list(range(200)))
    except MococoError:
        return
    assert policy.act([0.0, 0.0]) == 149


def test_a_tag_of_numpy_integers_is_a_tag() -> None:
    assert make(tag=np.array([2, 2])) == make()


@pytest.mark.parametrize("domain", [(-1e308, 1e308), (1.0, float(np.nextafter(1.0, 2.0)))])
def test_a_domain_that_cannot_be_divided_is_refused(domain: tuple[float, float]) -> None:
    with pytest.raises(MococoError, match="x"):
        make(features=[("x", *domain), FEATURES[1]])


def test_derived_features_come_after_the_observed_ones() -> None:
    x, y = (Feature(name, 0.0, 1.0) for name in "xy")
    derived = Feature("derived", 0.0, 1.0, terms=(("x", 1.0),))
    parts: dict[str, Any] = {"db": [0.5] * 5, "rb": [1, 2, 1, 2]}
    assert make(tag=(2, 2, 1), features=[x, y, derived], **parts).act([0.0, 1.0]) == "right"
    with pytest.raises(PolicyError, match="derived features come after all observed ones, but 'y' follows one"):
        make(tag=(2, 1, 2), features=[x, derived, y], **parts)


def test_numpy_arrays_are_genotypes() -> None:
    policy = make(db=np.full(4, 0.5), rb=np.array(WITH_VELOCITY, dtype=np.int8))
    assert policy == make()
    assert hash(policy) == hash(make())


# ---------------------------------------------------------------- observations


@pytest.mark.parametrize("method", ["act", "votes", "strengths", "truths", "predict"])
@pytest.mark.parametrize(
    ("observation", "text"),
    [
        (
            [math.nan, 0.0],
            "observations must be finite, because a rule cannot judge .*, got nan for position",
        ),
        ([0.0, math.inf], "observations must be finite, .* got inf for velocity"),
        ([0.0, -math.inf], "observations must be finite, .* got -inf for velocity"),
        ([0.0], r"expected an observation of shape \(2,\) or \(n, 2\), .*\(position, velocity\), got shape \(1,\)"),
        ([0.0, 0.0, 0.0], r"expected an observation of shape .* got shape \(3,\)"),
        (0.0, r"expected an observation of shape .* got shape \(\)"),
        ([[[0.0, 0.0]]], r"expected an observation of shape .* got shape \(1, 1, 2\)"),
        (None, "expected an observation of "),
        ("ab", "expected an observation of 2 numbers, got 'ab'"),
        ([[0.0, 0.0], [0.0]], "expected an observation of 2 numbers, got "),
        ({"position": 0.0}, "expected an observation of 2 numbers, got "),
        ([0.0, 1j], "expected an observation of 2 numbers, got "),
    ],
)
def test_a_wrong_observation_is_refused(method: str, observation: Any, text: str) -> None:
    with pytest.raises(ObservationError, match=text):
        getattr(make(), method)(observation)


def test_only_predict_takes_many_observations() -> None:
    for method in ("act", "votes", "strengths", "truths"):
        with pytest.raises(ObservationError, match=r"expected one observation of 2 numbers, got shape \(3, 2\)"):
            getattr(make(), method)(np.zeros((3, 2)))


def test_what_reset_returns_is_refused_with_a_hint() -> None:
    with pytest.raises(ObservationError, match=r"an observation with its info, as env\.reset\(\) returns them"):
        make().predict((np.zeros(2), {}))  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_one_bad_observation_of_many_is_refused(bad: float) -> None:
    observations = np.zeros((5, 2))
    observations[3, 1] = bad
    with pytest.raises(ObservationError, match=r"finite.*velocity"):
        make().predict(observations)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, bool])
def test_observations_of_any_number_type_are_taken(dtype: Any) -> None:
    assert make().act(np.zeros(2, dtype=dtype)) == "left"


# ---------------------------------------------------------------- act, votes, predict


def test_act_gives_the_actions_own_value() -> None:
    assert make().act([0.0, 0.07]) == "right"
    value = make(actions=[0, 2]).act([0.0, 0.07])
    assert value == 2
    assert type(value) is int


def test_a_tie_goes_to_the_lowest_action() -> None:
    policy = make()
    assert policy.votes([0.0, 0.0]).tolist() == [0.5, 0.5]
    assert policy.act([0.0, 0.0]) == "left"
    assert make(rb=[2, 1, 2, 1]).act([0.0, 0.0]) == "left"


def test_an_uncovered_state_is_an_error_that_says_where() -> None:
    policy = make(rb=HOLEY)
    with pytest.raises(UncoveredState, match=r"no rule fires at position -1, velocity 0\.06, .*catch UncoveredState"):
        policy.act([-1.0, 0.06])
    with pytest.raises(UncoveredState, match="no rule fires"):
        policy.predict([[0.0, 0.0], [-1.0, 0.06]])
    assert policy.votes([-1.0, 0.06]).tolist() == [0.0, 0.0]
    assert policy.strengths([-1.0, 0.06]).tolist() == [0.0, 0.0]


def test_an_uncovered_state_can_be_caught_as_ours_or_as_a_lookup_error() -> None:
    assert issubclass(UncoveredState, MococoError)
    assert issubclass(UncoveredState, LookupError)


def test_a_policy_without_rules_covers_nothing() -> None:
    policy = make(rb=[0, 0, 0, 0])
    assert policy.rules == ()
    assert policy.complexity == 0
    assert policy.truths([0.0, 0.0]).shape == (0,)
    with pytest.raises(UncoveredState):
        policy.act([0.0, 0.0])


def test_truths_are_those_of_the_rules_in_order() -> None:
    policy = make(rb=HOLEY)
    assert policy.truths([-2.0, -2.0]).tolist() == [1.0, 0.0]
    assert policy.truths([2.0, 2.0]).tolist() == [0.0, 1.0]


def test_any_is_the_largest_membership_and_not_one() -> None:
    """ "#" prints as "any"; halfway between two sets its truth is 1/2, which takes part in the min."""
    policy = Policy.from_genotypes((2, 2), [0.5] * 4, [1, 0, 1, 0], [("x", 0.0, 1.0), ("y", 0.0, 1.0)], ["a"])
    assert [rule.gabil for rule in policy.rules] == ["11|10|1"]
    assert str(policy.rules[0]) == "IF x is any AND y is Low THEN a"
    assert policy.truths([0.5, 0.0]).tolist() == [0.5]
    assert policy.truths([0.0, 0.0]).tolist() == [1.0]


def test_predict_gives_one_action_for_one_observation() -> None:
    action, state = make(actions=[0, 2]).predict(np.array([0.0, 0.07], dtype=np.float32))
    assert isinstance(action, np.ndarray)
    assert action.shape == ()
    assert action.dtype.kind == "i"
    assert int(action) == 2
    assert state is None


def test_predict_gives_n_actions_for_n_observations() -> None:
    observations = np.array([[0.0, 0.07], [0.0, -0.07], [-1.2, 0.03]])
    actions, _ = make(actions=[0, 2]).predict(observations)
    assert actions.shape == (3,)
    assert actions.tolist() == [2, 0, 2]
    one, _ = make(actions=[0, 2]).predict(observations[:1])
    assert one.shape == (1,)
    none, _ = make(actions=[0, 2]).predict(observations[:0])
    assert none.shape == (0,)


def test_predict_of_a_continuous_policy_gives_what_a_box_takes() -> None:
    """As of Stable-Baselines3: (a,) for one observation, (n, a) for many, in the precision of Gymnasium's boxes."""
    outputs = make(actions=[-1.0, 1.0], continuous=True)
    observations = np.array([[0.0, 0.02], [0.0, -0.07], [-1.2, 0.03]], dtype=np.float32)
    several, _ = outputs.predict(observations)
    assert several.shape == (3, 1)
    assert several.dtype == np.float32
    single, _ = outputs.predict(observations[0])
    assert single.shape == (1,)
    assert single.dtype == np.float32
    box = Box(-1.0, 1.0, (1,), np.float32)
    for at, observation in enumerate(observations):
        assert box.contains(several[at])
        assert several[at].tolist() == outputs.act(observation).tolist() == outputs.predict(observation)[0].tolist()
    assert outputs.predict(observations[:0])[0].shape == (0, 1)
    two = make(actions=[(-1.0, 0.5), (1.0, 0.0)], continuous=True)
    assert two.predict(observations)[0].shape == (3, 2)
    assert two.predict(observations[0])[0].shape == (2,)


def test_predict_of_actions_of_several_whole_numbers() -> None:
    """MultiDiscrete: (n, a) whole numbers."""
    policy = make(actions=[(0, 2), (1, 0)])
    actions, _ = policy.predict([[0.0, 0.07], [0.0, -0.07]])
    assert actions.tolist() == [[1, 0], [0, 2]]
    assert actions.dtype == np.int64
    assert policy.predict([0.0, 0.07])[0].tolist() == [1, 0]


def test_the_type_of_predicted_actions_does_not_depend_on_which_are_chosen() -> None:
    observations = np.array([[0.0, 0.07], [0.0, -0.07]])
    mixed = make(actions=[0, 2.5])
    assert {mixed.predict(o)[0].dtype.kind for o in (observations, observations[:1], observations[1])} == {"f"}
    assert make(actions=[0, 2]).predict(observations[:0])[0].dtype.kind == "i"


def test_predict_tells_one_observation_from_many_for_one_feature_too() -> None:
    policy = Policy.from_genotypes((2,), [0.5, 0.5], [1, 2], [("x", 0.0, 1.0)], [10, 20])
    assert policy.predict([0.9])[0].shape == ()
    assert policy.predict([[0.9], [0.1]])[0].tolist() == [20, 10]


def test_predict_passes_the_state_through_and_has_no_chance() -> None:
    """As Stable-Baselines3 calls it, also by position."""
    policy, state = make(), (np.array([1.0]),)
    observation = np.zeros((2, 2))
    _, kept = policy.predict(observation, state)
    assert kept is state
    _, kept = policy.predict(observation, state, np.array([True, False]), False)
    assert kept is state
    a, _ = policy.predict(observation, state=state, episode_start=np.ones(2, bool), deterministic=False)
    assert a.tolist() == policy.predict(observation, deterministic=True)[0].tolist()


def test_observations_stay_unchanged() -> None:
    observations = np.array([[0.3, 0.01], [-3.0, 5.0]])
    observations.flags.writeable = False
    before = observations.tobytes()
    make().predict(observations)
    make().act(observations[0])
    assert observations.tobytes() == before


def test_a_policy_is_a_value() -> None:
    policy = make()
    with pytest.raises(AttributeError):
        policy.rb = (0, 0, 0, 0)  # type: ignore[misc]
    assert policy == make()
    assert policy != make(rb=HOLEY)
    assert len({policy, make(), make(rb=HOLEY)}) == 2
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - ours, for multiprocessing


# ---------------------------------------------------------------- in words


def mountain_car() -> Policy:
    return make(
        tag=(4, 2),
        db=[0.5] * 6,
        rb=[1, 2, 1, 2, 0, 2, 1, 1],
        features=[Feature("position", -1.2, 0.5, ("Left", "Right")), Feature("velocity", -0.07, 0.07)],
        actions=[Action(0, "push left"), Action(2, "push right")],
    )


def test_rules_read_as_sentences() -> None:
    assert [str(rule) for rule in mountain_car().rules] == [
        "IF position is Far Left, Left or Far Right AND velocity is Low THEN push left",
        "IF position is Far Right AND velocity is High THEN push left",
        "IF position is Far Left, Left or Right AND velocity is High THEN push right",
    ]


def test_str_shows_rules_and_below_them_the_sets_with_their_coordinates() -> None:
    assert str(mountain_car()) == (
        "3 rules, complexity 7, subspecies 4x2\n"
        "  1. IF position is Far Left, Left or Far Right AND velocity is Low THEN push left\n"
        "  2. IF position is Far Right AND velocity is High THEN push left\n"
        "  3. IF position is Far Left, Left or Right AND velocity is High THEN push right\n"
        "Fuzzy sets, each wholly true at its coordinate and fading to its neighbours':\n"
        "  position [-1.2, 0.5]: Far Left -0.9875, Left -0.5625, Right -0.1375, Far Right 0.2875\n"
        "  velocity [-0.07, 0.07]: Low -0.035, High 0.035"
    )


def test_str_of_one_rule_and_of_none() -> None:
    assert str(make(rb=[1, 1, 1, 1])).startswith("1 rule, complexity 4, subspecies 2x2\n")
    assert str(make(rb=[0, 0, 0, 0])).startswith("0 rules, complexity 0, subspecies 2x2\n")


def test_a_rule_knows_its_parts() -> None:
    rule = mountain_car().rules[0]
    assert rule.clauses == ((True, True, False, True), (True, False))
    assert rule.action == 1
    assert rule.gabil == "1101|10|1"
    assert rule.decision_points == 3


def test_coordinates_are_told_by_feature() -> None:
    position, velocity = mountain_car().reference_coordinates
    assert position == pytest.approx((-0.9875, -0.5625, -0.1375, 0.2875))
    assert velocity == pytest.approx((-0.035, 0.035))
    assert mountain_car().set_names == (("Far Left", "Left", "Right", "Far Right"), ("Low", "High"))
