"""Who gets which positions."""

import numpy as np
import pytest

from pate.data.records import Pool
from pate.data.split import Sizes, assemble, divided, shared, shuffled
from pate.errors import ConfigError


@pytest.mark.parametrize(
    ("asked", "sizes"),
    [
        ((None, None, None), Sizes(100, 50, 0)),
        ((None, 30, None), Sizes(100, 30, 20)),
        ((10, 30, 5), Sizes(10, 30, 5)),
        ((None, None, 5), Sizes(100, 45, 5)),
        ((None, 0, None), Sizes(100, 0, 50)),
        ((0, 50, None), Sizes(0, 50, 0)),
    ],
)
def test_null_takes_all_the_others_leave(asked, sizes):
    assert divided("set", 100, 50, *asked) == sizes


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((101, 0, 0), r"dataset.private=101 .* train pool has 100"),
        ((None, 51, None), r"dataset.public=51 .* test pool has 50"),
        ((None, 30, 21), r"dataset.test=21 .* pool of 50 has 20"),
        ((None, None, 51), r"dataset.test=51 .* test pool has 50"),
    ],
)
def test_asking_for_more_than_there_is_names_both_numbers(asked, message):
    with pytest.raises(ConfigError, match=message):
        divided("set", 100, 50, *asked)


def test_a_single_pool_gives_its_rest_to_public_and_test():
    assert shared("set", 100, 60) == (60, 40)
    assert shared("set", 100, None) == (100, 0)
    with pytest.raises(ConfigError, match=r"private=101 .* 100"):
        shared("set", 100, 101)


def test_the_shuffle_is_a_permutation_fixed_by_the_seed():
    assert sorted(shuffled(50, 1)) == list(range(50))
    assert np.array_equal(shuffled(50, 1), shuffled(50, 1))
    assert not np.array_equal(shuffled(50, 1), shuffled(50, 2))


def test_test_is_the_end_of_the_pool_and_the_last_of_nothing_is_nothing():
    pool = Pool(np.arange(10), np.arange(10), np.arange(10))
    assert pool.first(3).y.tolist() == [0, 1, 2]
    assert pool.last(2).group.tolist() == [8, 9]
    assert len(pool.last(0)) == 0


def test_public_labels_are_kept_out_of_the_public_side():
    pool = Pool(np.zeros((4, 2)), np.arange(4), np.arange(4))
    split = assemble(pool, pool.first(2), pool.last(1), ["a", "b"], ("a note",))
    assert not hasattr(split.public, "y")
    assert split.truth.public_y.tolist() == [0, 1]
    assert split.truth.test_y.tolist() == [3]
    assert split.private.group.tolist() == [0, 1, 2, 3]
    assert split.notes == ("a note",)
