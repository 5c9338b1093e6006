"""Digits: every record once, on the side that the seed and the yaml say."""

import numpy as np
from sklearn.datasets import load_digits

from pate.data.digits import Digits
from pate.data.split import Sizes


def test_digits_are_split_as_their_yaml_says():
    digits = Digits()
    split = digits.load()
    assert digits.sizes() == Sizes(1200, 397, 200)
    assert split.private.x.shape == (1200, 8, 8)
    assert split.private.x.dtype == np.float32
    assert split.private.x.max() == 1.0
    assert split.private.y.dtype == np.int64
    assert split.test.x.shape == (200, 8, 8)
    assert (digits.files(), digits.missing()) == ([], False)


def test_digits_use_every_record_once_and_keep_labels_with_images():
    bunch = load_digits()
    split = Digits(seed=3).load()
    images = np.concatenate([split.private.x, split.public.x, split.test.x]).reshape(1797, 64)
    labels = np.concatenate([split.private.y, split.truth.public_y, split.truth.test_y])
    ours = np.column_stack([images * 16, labels])
    theirs = np.column_stack([bunch.data, bunch.target])
    assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))


def test_the_seed_of_the_digits_chooses_the_split():
    assert np.array_equal(Digits(seed=1).load().private.y, Digits(seed=1).load().private.y)
    assert not np.array_equal(Digits(seed=1).load().private.y, Digits(seed=2).load().private.y)
