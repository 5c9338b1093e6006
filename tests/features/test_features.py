"""Encoders see public inputs only."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Peer

from pate.errors import ConfigError
from pate.features.identity import Identity
from pate.features.pca import PCA

IMAGES = np.random.default_rng(0).integers(0, 256, size=(60, 4, 5), dtype=np.uint8)


def test_identity_flattens_and_brings_pixels_to_the_unit_interval():
    features = Identity().fit(IMAGES[:0]).transform(IMAGES)
    np.testing.assert_allclose(features, IMAGES.reshape(60, -1) / 255, rtol=1e-6)
    assert features.dtype == np.float32
    table = np.array([[3.5, -2.0]], dtype=np.float32)
    np.testing.assert_array_equal(Identity().fit(table).transform(table), table)


def test_pca_spans_what_scikit_learn_finds_with_unit_mean_square_norm():
    encoder = PCA(components=6).fit(IMAGES)
    features = encoder.transform(IMAGES)
    assert (features**2).sum(axis=1).mean() == pytest.approx(1, rel=1e-5)
    peer = Peer(6).fit_transform(IMAGES.reshape(60, -1) / 255)
    np.testing.assert_allclose(np.abs(features), np.abs(peer) / np.sqrt((peer**2).sum(axis=1).mean()), atol=1e-5)


def test_more_components_than_inputs_are_refused():
    with pytest.raises(ConfigError, match="at most 5"):
        PCA(components=6).fit(IMAGES[:5])
    with pytest.raises(ValueError, match="components must be at least 1"):
        PCA(components=0)
