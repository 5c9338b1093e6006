"""Self-training: a student that labels what it is sure of."""

from dataclasses import replace

import numpy as np
import pytest

from pate.students.self_training import SelfTraining
from pate.students.supervised import Supervised
from tests.students.digits import POOL, Y, lesson


def test_with_every_label_self_training_is_supervised():
    index, label = np.arange(600), Y[POOL].astype(np.int64)
    everything = replace(lesson(index, label), true=True)
    one, two = (kind.fit(everything) for kind in (Supervised(), SelfTraining()))
    np.testing.assert_array_equal(one.layers["0.weight"], two.layers["0.weight"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SelfTraining(float("nan")), "inverse_penalty"),
        (lambda: SelfTraining(rounds=0), "rounds"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
