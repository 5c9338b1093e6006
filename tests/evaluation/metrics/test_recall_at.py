"""Recall at a false-positive rate against every threshold there is, and scikit-learn's curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from pate.evaluation.metrics import Question
from pate.evaluation.metrics.recall_at import recall_at

scores = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9])


def of(score):
    return np.stack([1 - np.asarray(score), score], axis=1)


@given(st.lists(st.tuples(scores, st.booleans()), min_size=2, max_size=30), st.sampled_from([0.05, 0.2, 0.5]))
def test_it_is_the_best_of_all_thresholds_that_keep_to_the_rate(cases, rate):
    score, truth = np.array([one for one, _ in cases]), np.array([int(one) for _, one in cases])
    found = recall_at(of(score), truth, Question(1, rate))
    if truth.all() or not truth.any():
        assert found is None
        return
    taken = [score >= least for least in (*score, 2.0)]
    kept = [one[truth == 1].mean() for one in taken if one[truth == 0].mean() <= rate + 1e-9]
    assert found == pytest.approx(max(kept))


def test_as_scikit_learns_curve_has_it():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    score = np.clip(truth * 0.2 + rng.random(500) * 0.8, 0, 1)
    wrong, right, _ = roc_curve(truth, score, drop_intermediate=False)
    assert recall_at(of(score), truth, Question(1, 0.05)) == pytest.approx(right[wrong <= 0.05].max())


def test_of_no_named_class_there_is_none():
    assert recall_at(of([0.1, 0.9]), np.array([0, 1])) is None


def test_one_probability_for_all_finds_nobody():
    """All of them or none: and all are too many of the others."""
    assert recall_at(of(np.full(100, 0.06)), np.array([1] * 6 + [0] * 94), Question(1, 0.05)) == 0
