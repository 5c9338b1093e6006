"""Flat inputs and their projection: each record alone, to the last bit."""

import numpy as np
import pytest

from pate.features.identity import Identity
from pate.features.pca import PCA


@pytest.mark.parametrize("rows", [1100, 1030, 1025])
def test_features_do_not_depend_on_how_many_records_there_are(rows):
    """Of one record gone, the others keep every bit of their features: rounding follows no neighbour."""
    images = np.random.default_rng(1).integers(0, 256, size=(1100, 12, 12), dtype=np.uint8)
    for features in (Identity(), PCA(components=20)):
        encoder = features.fit(images[:300])
        whole = encoder.transform(images)
        np.testing.assert_array_equal(encoder.transform(images[:rows]), whole[:rows])
        np.testing.assert_array_equal(encoder.transform(np.delete(images, 10, axis=0)), np.delete(whole, 10, axis=0))
