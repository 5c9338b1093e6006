"""Macro F1 against scikit-learn, and a count by hand."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from pate.evaluation.metrics.macro_f1 import macro_f1


def test_always_answering_one_of_two():
    belief, truth = np.tile([0.9, 0.1], (10, 1)), np.array([0] * 8 + [1] * 2)
    assert macro_f1(belief, truth) == pytest.approx((2 * 0.8 / 1.8 + 0) / 2)  # precision .8, recall 1; never found


@pytest.mark.parametrize("classes", [5, 60])
def test_as_scikit_learn_has_it_also_where_classes_are_neither_there_nor_answered(classes):
    rng = np.random.default_rng(classes)
    belief, truth = rng.dirichlet(np.ones(classes), 60), rng.integers(0, classes, 60)
    answer = belief.argmax(axis=1)
    assert (len({*truth, *answer}) < classes) == (classes == 60)
    assert macro_f1(belief, truth) == pytest.approx(f1_score(truth, answer, average="macro", zero_division=0))
