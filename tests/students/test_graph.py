"""The graph student: neighbours outvote wrong labels."""

import numpy as np
import pytest

from pate.students.graph import GraphStudent
from pate.students.supervised import Supervised
from tests.students.digits import POOL, TEST, X, Y, labelled, lesson


def test_the_graph_outvotes_wrong_labels():
    """A fifth of 150 labels wrong: most of the wrongly labelled inputs are put right, and all of the pool gains."""
    index, label = labelled(150)
    wrong = np.random.default_rng(1).random(150) < 0.2
    label = np.where(wrong, (label + 1) % 10, label)
    guess = {kind: kind.fit(lesson(index, label)).predict(X[POOL]) for kind in (Supervised(), GraphStudent())}
    share = {type(kind).__name__: (found == Y[POOL]).mean() for kind, found in guess.items()}
    assert (guess[GraphStudent()][index[wrong]] == Y[POOL][index[wrong]]).mean() > 0.7
    assert share["GraphStudent"] > share["Supervised"] + 0.05


def test_noisy_labels_everywhere_are_still_noisy():
    rng = np.random.default_rng(0)
    label = np.where(rng.random(600) < 0.3, rng.integers(0, 10, 600), Y[POOL]).astype(np.int64)
    said = GraphStudent().fit(lesson(np.arange(600), label)).predict(X[TEST])
    assert (said == Y[TEST]).mean() > 0.85


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GraphStudent(neighbours=0), "neighbours must be at least 1"),
        (lambda: GraphStudent(alpha=1.0), "alpha must lie strictly between 0 and 1"),
        (lambda: GraphStudent(gamma=0), "gamma must be a positive number"),
        (lambda: GraphStudent(penalty=float("inf")), "penalty must be a positive number"),
        (lambda: GraphStudent(power=2), "power must lie between 0 and 1"),
        (lambda: GraphStudent(unsure=1.0), "unsure must be a share"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
