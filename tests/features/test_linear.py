"""Flat inputs and their projection: each record alone, to the last bit."""

import math

import numpy as np
import pytest

from pate.features.identity import Identity
from pate.features.linear import LinearEncoder
from pate.features.pca import PCA

RANDOM = np.random.default_rng(0)
MEAN, COMPONENTS = RANDOM.random(20).astype(np.float32), RANDOM.normal(size=(20, 3)).astype(np.float32)


@pytest.mark.parametrize("rows", [1100, 1030, 1025])
def test_features_do_not_depend_on_how_many_records_there_are(rows):
    """Of one record gone, the others keep every bit of their features: rounding follows no neighbour."""
    images = np.random.default_rng(1).integers(0, 256, size=(1100, 12, 12), dtype=np.uint8)
    for features in (Identity(), PCA(components=20)):
        encoder = features.fit(images[:300])
        whole = encoder.transform(images)
        np.testing.assert_array_equal(encoder.transform(images[:rows]), whole[:rows])
        np.testing.assert_array_equal(encoder.transform(np.delete(images, 10, axis=0)), np.delete(whole, 10, axis=0))


def test_features_are_the_sums_of_the_formula():
    images = RANDOM.integers(0, 256, size=(7, 4, 5), dtype=np.uint8)
    found = LinearEncoder(MEAN, COMPONENTS).transform(images)
    for image, row in zip(images, found, strict=True):
        centred = [pixel / 255 - float(mean) for pixel, mean in zip(image.ravel().tolist(), MEAN, strict=True)]
        expected = [math.fsum(c * float(w) for c, w in zip(centred, column, strict=True)) for column in COMPONENTS.T]
        np.testing.assert_allclose(row, expected, rtol=1e-5, atol=1e-6)


def test_the_width_is_known_without_an_input():
    assert LinearEncoder().width((4, 5, 3)) == 60
    assert LinearEncoder(MEAN, COMPONENTS).width((4, 5)) == 3
    with pytest.raises(ValueError, match="21 numbers describe an input, and the components are of 20"):
        LinearEncoder(MEAN, COMPONENTS).width((3, 7))


@pytest.mark.parametrize("parts", [(MEAN, None), (None, COMPONENTS), (MEAN[1:], COMPONENTS), (MEAN, COMPONENTS[:, 0])])
def test_parts_that_do_not_fit_are_refused(parts):
    with pytest.raises(ValueError, match=r"need a mean|do not fit"):
        LinearEncoder(*parts).check()
