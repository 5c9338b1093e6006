"""Which class is answered follows from probabilities alone, and a class's name or place makes no difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.models.decision import BALANCED_ACCURACY, F1, PRIORS, Deciding, Decision, best_for_f1

CLASSES = ["no", "yes"]
SEEDS = st.integers(0, 10**6)


def beliefs(seed, rows=60, classes=3, skew=1.0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.geomspace(skew, 1, classes), rows).astype(np.float32)


def test_without_shares_and_threshold_the_most_probable_class_is_answered():
    belief = beliefs(0)
    np.testing.assert_array_equal(Decision().answers(belief), belief.argmax(axis=1))
    assert Deciding().decision(belief, list("abc")) is None
    assert not Deciding().asked


@given(SEEDS)
def test_of_two_classes_each_is_answered_where_it_is_likelier_than_on_average(seed):
    belief = beliefs(seed, classes=2, skew=9.0)
    answers = Deciding(balanced=True).decision(belief, CLASSES).answers(belief)
    apart = np.abs(belief[:, 1] - belief[:, 1].mean(dtype=np.float64)) > 1e-6
    np.testing.assert_array_equal(answers[apart], (belief[:, 1] > belief[:, 1].mean())[apart])


@given(SEEDS, st.permutations(range(4)))
def test_classes_in_another_order_are_answered_in_that_order(seed, order):
    belief, order = beliefs(seed, classes=4, skew=9.0), np.array(order)
    names = np.array(list("abcd"))
    for deciding in (Deciding(True), Deciding(True, "b", 0.3), Deciding(False, "c", F1)):
        told = names[deciding.decision(belief, names).answers(belief)]
        moved = names[order][deciding.decision(belief[:, order], names[order]).answers(belief[:, order])]
        np.testing.assert_array_equal(told, moved)


@given(SEEDS, st.floats(0.01, 0.99))
def test_a_named_class_is_answered_from_the_threshold_on_and_nowhere_else(seed, threshold):
    belief = beliefs(seed, classes=4)
    answers = Deciding(positive="b", threshold=threshold).decision(belief, list("abcd")).answers(belief)
    np.testing.assert_array_equal(answers == 1, belief[:, 1] >= np.float32(threshold))
    others = belief.copy()
    others[:, 1] = -1
    np.testing.assert_array_equal(answers[answers != 1], others.argmax(axis=1)[answers != 1])


@given(SEEDS)
def test_what_is_best_for_balanced_accuracy_is_so_if_the_probabilities_are_right(seed):
    belief = beliefs(seed, classes=2, skew=9.0)
    p = belief[:, 1].astype(np.float64)

    def expected(taken):
        return (p[taken].sum() / p.sum() + (1 - p)[~taken].sum() / (1 - p).sum()) / 2

    answers = Deciding(positive="yes", threshold=BALANCED_ACCURACY).decision(belief, CLASSES).answers(belief)
    assert expected(answers == 1) == pytest.approx(max(expected(p >= one) for one in p), abs=1e-6)


@given(SEEDS)
def test_what_is_best_for_f1_is_so_if_the_probabilities_are_right(seed):
    p = beliefs(seed, classes=2, skew=5.0)[:, 1].astype(np.float64).round(2)

    def expected(threshold):
        taken = p >= threshold
        return 2 * p[taken].sum() / (taken.sum() + p.sum() + 1e-12)

    assert expected(best_for_f1(p)) == pytest.approx(max(expected(one) for one in p))


def test_balanced_answers_are_right_of_labels_that_are_wrong_at_random_too():
    """Menon et al. 2015: probabilities and shares of noisy labels lead to the same answers."""
    clean = beliefs(0, 4000, 2, skew=9.0).astype(np.float64)
    noisy = 0.7 * clean + 0.3 * (1 - clean)
    one, two = (Deciding(True).decision(belief, CLASSES).answers(belief) for belief in (clean, noisy))
    assert (one == two).mean() > 0.999


def test_a_class_nobody_believes_in_is_not_answered_everywhere():
    belief = np.array([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.6, 0.4, 1e-9]], np.float32)
    assert set(Deciding(True).decision(belief, list("abc")).answers(belief)) <= {0, 1}


def test_without_inputs_declared_shares_stand_in_and_without_those_nothing():
    nothing = np.empty((0, 2), np.float32)
    found = Deciding(True, declared={"yes": 0.1, "no": 0.9}).decision(nothing, CLASSES)
    assert found == Decision([0.9, 0.1], source=PRIORS)
    np.testing.assert_array_equal(found.answers(np.array([[0.85, 0.15], [0.95, 0.05]])), [1, 0])
    assert Deciding(True).decision(nothing, CLASSES) is None
    assert Deciding(False, "yes", F1).decision(nothing, CLASSES) is None
    assert Deciding(False, "yes", 0.2).decision(nothing, CLASSES) == Decision(None, 1, 0.2)


def test_it_is_told_in_words():
    assert Decision([0.94, 0.06], source="x").told(CLASSES) == (
        "the largest probability beside the share of its class is answered (`no` 0.94, `yes` 0.06), that is from x"
    )
    assert Decision(None, 1, 0.3).told(CLASSES) == "`yes` is answered wherever its probability is at least 0.3"


@given(SEEDS, st.booleans(), st.sampled_from([None, 0.4, F1]))
def test_it_survives_a_file(seed, balanced, threshold):
    positive = None if threshold is None else "c"
    found = Deciding(balanced, positive, threshold).decision(beliefs(seed), list("abc"))
    assert Decision.of(None if found is None else found.plain(), 3) == found


GOOD = Decision([0.9, 0.1], 1, 0.5, "x").plain()


@pytest.mark.parametrize(
    "facts",
    [
        [],
        {},
        GOOD | {"more": 1},
        GOOD | {"shares": [1.0]},
        GOOD | {"shares": [0.5, 0.0]},
        GOOD | {"shares": [0.5, float("nan")]},
        GOOD | {"positive": 2},
        GOOD | {"positive": -1},
        GOOD | {"positive": None},
        GOOD | {"positive": True},
        GOOD | {"threshold": 1.0},
        GOOD | {"threshold": float("nan")},
        GOOD | {"source": "\x1b[2J"},
    ],
    ids=str,
)
def test_what_none_could_be_is_refused(facts):
    with pytest.raises(ValueError):
        Decision.of(facts, 2)
