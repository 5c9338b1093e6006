"""Whether the pool stands for the records: silent on honest splits, loud where something is missing or moved."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pate.consensus.shift import NEIGHBOURS, shift

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)


def halves(seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return order[:1200], order[1200:]


@pytest.mark.parametrize("seed", range(10))
def test_an_honest_split_is_silent(seed):
    private, public = halves(seed)
    found = shift(X[private], X[public])
    assert found.own == pytest.approx(0.5, abs=0.03)
    assert not found.warning


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "moved",
    [lambda x: x + 0.3, lambda x: 1 - x, lambda x: np.roll(x, 1, axis=1), lambda x: 2 * x],
    ids=["brighter", "inverted", "moved", "scaled"],
)
def test_other_inputs_are_noticed(seed, moved):
    private, public = halves(seed)
    found = shift(X[private], moved(X[public]))
    assert found.warning.startswith("the public pool does not stand for the private records")
    assert "not for publication" in found.warning
    assert "\n" not in found.warning


@pytest.mark.parametrize("seed", range(3))
def test_classes_that_are_missing_are_noticed_on_the_side_that_has_them(seed):
    private, public = halves(seed)
    fewer = shift(X[private], X[public[Y[public] < 8]])
    assert fewer.warning
    assert fewer.private_alone > 0.05 > fewer.public_alone
    more = shift(X[private[Y[private] < 8]], X[public])
    assert more.public_alone > 0.05 > more.private_alone


def test_by_brute_force():
    rng = np.random.default_rng(0)
    private, public = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 1
    rows, side = np.concatenate([private, public]), np.repeat([0, 1], 60)
    own = []
    for k in range(120):
        near = sorted((j for j in range(120) if j != k), key=lambda j: np.sum((rows[j] - rows[k]) ** 2))[:NEIGHBOURS]
        own.append(np.mean(side[near] == side[k]))
    found = shift(private, public)
    assert found.own == pytest.approx(np.mean(own))
    assert found.private_alone == np.mean(np.array(own[:60]) == 1)


def test_rows_that_are_all_the_same_are_alike():
    """Ties fall to either side."""
    found = shift(np.zeros((400, 3)), np.zeros((300, 3)))
    assert found.own == pytest.approx(0.5, abs=0.06)
    assert not found.warning


def test_too_few_tell_nothing():
    found = shift(X[:1000], X[1000:1040])
    assert found.own is None
    assert not found.warning
    assert "too few" in found.describe()


def test_what_is_no_number_is_left_out():
    private, public = halves(0)
    broken = X[private]
    broken[::3] = np.nan
    assert shift(broken, X[public]) == shift(np.delete(X[private], np.s_[::3], axis=0), X[public])


def test_other_writers_are_noticed():
    """In the order of the file the last third is written by others than the first two (Alpaydin & Kaynak 1998)."""
    assert shift(X[:1200], X[1200:]).warning
