"""What is kept is what was made, bit for bit; of other inputs or settings it is made anew; nothing stays for long."""

import gc
import weakref

import numpy as np
import pytest

from pate.consensus.graph import GraphConsensus
from pate.consensus.kernel import KernelConsensus
from pate.consensus.moments import handed_on, second_moments, standing, staying

RNG = np.random.default_rng(0)


def test_second_moments_are_those_of_the_rows():
    pool = RNG.normal(size=(200, 6))
    values, directions = second_moments(pool)
    assert directions @ np.diag(values) @ directions.T == pytest.approx(np.cov(pool.T, bias=True) + moved(pool))
    assert (np.diff(values) >= 0).all()


def moved(pool):
    """What a covariance leaves out."""
    return np.outer(pool.mean(axis=0), pool.mean(axis=0))


def test_equal_numbers_in_another_array_are_computed_again_and_the_same():
    pool = RNG.normal(size=(50, 4))
    first = second_moments(pool)
    assert all(one is other for one, other in zip(first, second_moments(pool), strict=True))
    again = second_moments(pool.copy())
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    assert again[0] is not first[0]
    assert not np.array_equal(second_moments(pool + 1)[0], first[0])


def test_a_pool_is_not_kept_in_memory_for_its_moments():
    pool = RNG.normal(size=(50, 4))
    second_moments(pool)
    held = weakref.ref(pool)
    del pool
    gc.collect()
    assert held() is None


def test_what_was_made_is_handed_on_once():
    made = []

    @handed_on
    def sizes(features, power):
        made.append(power)
        return (np.abs(features) ** power).sum()

    x = RNG.normal(size=(5, 2))
    assert sizes(x, 2) == sizes(x.copy(), 2) == sizes(x, 2)
    assert made == [2, 2]  # the second of the three was handed what the first made, and the third nothing
    assert sizes(x, 2) == sizes(x.copy(), 2)
    assert sizes(x, 3) != sizes(x + 1, 3) != sizes(x + 1, 2)
    assert made[3:] == [3, 3, 2]


@pytest.mark.parametrize("consensus", [KernelConsensus(landmarks=60), GraphConsensus(dimensions=4)])
def test_a_basis_is_the_same_whoever_asked_before(consensus):
    """Bit for bit: what was drawn in it is read in it."""
    x = RNG.normal(size=(80, 5)).astype(np.float32)
    alone = consensus.basis(x, 3, 0.01)
    after = consensus.basis(x.copy(), 3, 0.01)  # handed the axes of the one before
    for name, array in alone.split()[0].items():
        assert np.array_equal(array, after.split()[0][name])
    consensus.basis(x, 3, 0.01)
    larger, kept = consensus.nested(x, 3, [1e-9, 0.01])
    assert kept[1] == alone.components <= larger.components


def test_for_many_runs_over_the_same_inputs_it_stays_and_is_forgotten_then():
    made = []

    @handed_on
    def sizes(features, power):
        made.append(power)
        return (np.abs(features) ** power).sum()

    x = RNG.normal(size=(5, 2))
    with staying():
        assert sizes(x, 2) == sizes(x.copy(), 2) == sizes(x, 2)
        assert made == [2]
        assert sizes(x, 3) == sizes(x, 3) != sizes(x + 1, 3)
        assert made == [2, 3, 3]
    sizes(x + 1, 3)
    assert made == [2, 3, 3, 3]


def test_where_records_stand_is_kept_while_many_runs_stay_and_no_longer():
    x, public = RNG.normal(size=(40, 3)), RNG.normal(size=(60, 3))
    one, other = (KernelConsensus(gamma=gamma).basis(public, 2, 0.01) for gamma in (1.0, 0.5))
    with staying():
        first = standing(one, x)
        assert standing(one, x.copy()) is first
        assert np.array_equal(standing(other, x), other.read(x))
        assert np.array_equal(standing(one, x[:20]), one.read(x[:20]))
        held = weakref.ref(standing(one, x))
    del first
    gc.collect()
    assert held() is None
    assert standing(one, x) is not standing(one, x)
