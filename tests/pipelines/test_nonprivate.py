"""The nonprivate stage: the same student with every private record and its true label, for the owner alone."""

import numpy as np
from pate.pipelines.artifacts import NONPRIVATE, TEST_FEATURES, TRUTH


def test_it_is_as_good_as_the_student_gets_and_stays_with_the_owner(owners_run, made):
    model, x, truth = made(NONPRIVATE, "nonprivate").model, made(TEST_FEATURES, "encode").x, made(TRUTH, "data").test_y
    right = np.mean(model.predict(x) == truth)
    assert right > 0.9  # no noise: the same on every run
    (row,) = [row for row in owners_run[0]["methods"] if row["name"] == "nonprivate"]
    assert row["accuracy"] == right
    workspace = owners_run[1].parents[1]
    assert not list((workspace / "release").glob("nonprivate/*"))
    assert list((workspace / "private").glob("nonprivate/*"))
