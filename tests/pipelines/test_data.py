"""The data stage: a recorded split whose sides share no record, and what it says of its size."""

import numpy as np
from pate.pipelines.artifacts import PRIVATE, PUBLIC, TEST, TRUTH


def test_a_delta_as_large_as_one_record_is_a_warning(run):
    assert any("delta=0.01 is not below 1/1200" in note for note in run("stage=data", "delta=0.01")["notes"])


def test_every_record_is_on_one_side_with_its_own_label(owners_run, made):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    private, public, test, truth = (made(ref, "data") for ref in (PRIVATE, PUBLIC, TEST, TRUTH))
    sides = [(private.x, private.y), (public.x, truth.public_y), (test.x, truth.test_y)]
    found = np.concatenate([np.column_stack([x.reshape(len(x), -1) * 16, y]) for x, y in sides])
    whole = np.column_stack([x, y])
    assert [len(y) for _, y in sides] == [1200, 397, 200]
    np.testing.assert_array_equal(found[np.lexsort(found.T)].round(), whole[np.lexsort(whole.T)])
