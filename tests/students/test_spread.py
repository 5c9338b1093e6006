"""Labels that all others contradict seed nothing, as many as are expected to be wrong."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pate.learning.spreading import PublicGraph, balanced_spread
from pate.students.spread import contradicted, spread_labels
from pate.students.student import Lesson

X, Y = load_digits(return_X_y=True)
X = (X[:600] / 16).astype(np.float32)
Y = Y[:600]


def lesson(wrong=0.1, labels=120, seed=0):
    rng = np.random.default_rng(seed)
    index = np.sort(rng.choice(600, labels, replace=False))
    label = Y[index].copy()
    bad = rng.choice(labels, round(0.1 * labels), replace=False)
    label[bad] = (label[bad] + rng.integers(1, 10, len(bad))) % 10
    return Lesson(X, X, index, label, 10, wrong)


@pytest.fixture(scope="module")
def graph():
    return PublicGraph.of(X, 50, 0.5, 5, 0.95)


def test_wrong_labels_are_contradicted_most(graph):
    given = lesson()
    against, wrong = contradicted(graph, given), given.label != Y[given.index]
    assert set(np.argsort(-against)[:8]) <= set(np.flatnonzero(wrong))
    assert np.median(against[~wrong]) < -0.5


def test_contradiction_is_spreading_without_the_label(graph):
    given = lesson()
    found = contradicted(graph, given)
    for one in (0, 17, 63):
        rest = np.arange(len(given.index)) != one
        scores = balanced_spread(graph, given.label[rest], given.index[rest], np.ones(rest.sum()), 10)
        share = scores[:, given.index[one]] / scores[:, given.index[one]].sum()
        own = share[given.label[one]]
        assert found[one] == pytest.approx(np.delete(share, given.label[one]).max() - own, abs=1e-4)


def test_knowing_how_many_are_wrong_helps(graph):
    right = {wrong: np.mean([(spread_labels(graph, lesson(wrong, seed=seed)).argmax(axis=0) == Y).mean()
             for seed in range(5)]) for wrong in (0.0, 0.1)}  # fmt: skip
    assert right[0.1] > right[0.0] + 0.003


def test_the_only_label_of_a_class_stays(graph):
    given = lesson()
    index, label = given.index, np.where(given.label == 9, 8, given.label)
    label[0] = 9
    alone = Lesson(X, X, index, label, 10, wrong=0.3)
    assert contradicted(graph, alone)[0] > 0
    assert 9 in spread_labels(graph, alone).argmax(axis=0)
    label[1] = 9  # two labels, both contradicted: the better one stays
    assert 9 in spread_labels(graph, Lesson(X, X, index, label, 10, wrong=0.3)).argmax(axis=0)


def test_without_the_inverse_it_is_the_same(graph):
    sparse = PublicGraph.of(X, 50, 0.5, 5, 0.95, often=False)
    assert sparse.inverse is None
    np.testing.assert_allclose(contradicted(sparse, lesson()), contradicted(graph, lesson()), atol=1e-3)
