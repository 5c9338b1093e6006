"""The inputs as they are."""

import numpy as np

from pate.features.identity import Identity

IMAGES = np.random.default_rng(0).integers(0, 256, size=(60, 4, 5), dtype=np.uint8)


def test_identity_flattens_and_brings_pixels_to_the_unit_interval():
    features = Identity().fit(IMAGES[:0]).transform(IMAGES)
    np.testing.assert_allclose(features, IMAGES.reshape(60, -1) / 255, rtol=1e-6)
    assert features.dtype == np.float32
    table = np.array([[3.5, -2.0]], dtype=np.float32)
    np.testing.assert_array_equal(Identity().fit(table).transform(table), table)
