"""Kernel ridge regression against scikit-learn's."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from pate.models import kernel_machine
from pate.models.kernel_machine import KernelMachine, gaussian_kernel

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
TARGET = np.eye(10)[Y]


def test_the_kernel_is_scikit_learns():
    np.testing.assert_allclose(gaussian_kernel(X[:50], X[50:90], 0.3), rbf_kernel(X[:50], X[50:90], 0.3), rtol=1e-4)
    assert gaussian_kernel(X[:5], X[:5], 0.3).max() <= 1


def test_scores_are_those_of_scikit_learns_kernel_ridge():
    model = KernelMachine.fit(X[:400], TARGET[:400], gamma=0.1, penalty=0.05)
    peer = KernelRidge(alpha=0.05, kernel="rbf", gamma=0.1).fit(X[:400], TARGET[:400])
    np.testing.assert_allclose(model.scores(X[400:]), peer.predict(X[400:]), atol=1e-3)
    assert (model.features, model.classes) == (64, 10)


def test_some_centres_do_for_many_records(monkeypatch):
    whole = KernelMachine.fit(X[:1200], TARGET[:1200], 0.1, 0.05)
    monkeypatch.setattr(kernel_machine, "_CENTRES", 1000)
    monkeypatch.setattr(kernel_machine, "_SOME", 500)
    some = KernelMachine.fit(X[:1200], TARGET[:1200], 0.1, 0.05)
    assert some.centres.shape == (500, 64)
    right = [(model.predict(X[1200:]) == Y[1200:]).mean() for model in (whole, some)]
    assert right[1] > right[0] - 0.02


@pytest.mark.parametrize(
    ("centres", "weights", "gamma"), [((3, 2), (2, 5), 0.1), ((3,), (3, 5), 0.1), ((3, 2), (3, 5), 0.0)]
)
def test_arrays_that_do_not_fit_are_refused(centres, weights, gamma):
    with pytest.raises(ValueError, match=r"fit each other|gamma"):
        KernelMachine(np.zeros(centres, np.float32), np.zeros(weights, np.float32), gamma)


@pytest.mark.parametrize("rows", [[0], [3, 17, 59]])
def test_leaving_one_out_is_learning_without_it(rows):
    rng = np.random.default_rng(0)
    x, target = rng.normal(size=(60, 5)), rng.normal(size=(60, 3))
    _, without = KernelMachine.fit_without(x, target, 0.2, 0.05, np.array(rows))
    for row, found in zip(rows, without, strict=True):
        kept = np.arange(60) != row
        machine = KernelMachine.fit(x[kept], target[kept], 0.2, 0.05)
        np.testing.assert_allclose(found, machine.scores(x[[row]])[0], atol=1e-4)


def test_sharper_scores_give_the_same_answers():
    rng = np.random.default_rng(0)
    machine = KernelMachine.fit(rng.normal(size=(60, 5)), rng.normal(size=(60, 3)), 0.2, 0.05)
    x = rng.normal(size=(20, 5)).astype(np.float32)
    np.testing.assert_allclose(machine.sharpened(3.0).scores(x), 3 * machine.scores(x), atol=1e-4)
