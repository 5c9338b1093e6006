"""AUC against scikit-learn and against all pairs, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pate.evaluation.metrics.auc import auc


def test_as_scikit_learn_has_it_one_against_rest():
    rng = np.random.default_rng(0)
    belief, truth = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    assert auc(belief, truth) == pytest.approx(roc_auc_score(truth, belief, multi_class="ovr", average="macro"))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), min_size=2, max_size=30))
def test_of_two_classes_it_is_the_share_of_pairs_in_order_and_half_of_those_level(cases):
    score, truth = np.array([one for one, _ in cases]), np.array([int(one) for _, one in cases])
    belief = np.stack([1 - score, score], axis=1)
    pairs = [(a > b) + 0.5 * (a == b) for a in score[truth == 1] for b in score[truth == 0]]
    if pairs:
        assert auc(belief, truth) == pytest.approx(np.mean(pairs))
    else:
        assert auc(belief, truth) is None


def test_a_class_without_inputs_has_none():
    assert auc(np.eye(3)[[0, 1, 0]], np.array([0, 1, 0])) is None
