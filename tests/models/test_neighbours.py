"""The graph as a model against a loop over all its points."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pate.models.neighbours import Neighbours

RNG = np.random.default_rng(0)


def floats(*shape):
    return RNG.random(shape).astype(np.float32)


SHARES = floats(40, 3)
MODEL = Neighbours(
    floats(6), floats(6, 4) - 0.5, floats(40, 4), 0.5 + floats(40), SHARES / SHARES.sum(axis=1, keepdims=True), 5
)


@pytest.mark.parametrize("count", [1, 5, 40, 60])
def test_scores_are_means_over_the_nearest_weighted_on_local_scales(count):
    """exp(-d^2 / (s r)), s the distance to the farthest of them and r the reach of the point."""
    model, rows = replace(MODEL, count=count), floats(8, 6)
    for row, found in zip(rows, model.scores(rows), strict=True):
        place = (row.astype(float) - model.mean) @ model.directions
        distances = sorted((math.dist(place, point), i) for i, point in enumerate(model.points))[:count]
        scale = distances[-1][0]
        weights = {i: math.exp(-(d**2) / (scale * model.reach[i])) for d, i in distances}
        mean = sum(weight * model.values[i] for i, weight in weights.items()) / sum(weights.values())
        np.testing.assert_allclose(found, mean, atol=1e-4)
    np.testing.assert_array_equal(model.proba(rows), model.scores(rows))
    np.testing.assert_allclose(model.proba(rows).sum(axis=1), 1, atol=1e-5)


def test_it_says_what_it_reads_and_what_of_the_public_inputs_it_holds():
    assert (MODEL.features, MODEL.classes) == (6, 3)
    assert "40" in MODEL.carried


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 0}, "a neighbour or more"),
        ({"mean": floats(6, 1)}, "vectors of points"),
        ({"values": floats(39, 3)}, "40 points, 39 scores"),
        ({"reach": floats(39)}, "expected as many"),
        ({"directions": floats(5, 4)}, "lead not from 6 features"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arrays_that_do_not_fit_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        replace(MODEL, **change)
