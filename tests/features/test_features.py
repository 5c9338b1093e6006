"""Encoders see public inputs only."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Peer

from pate.errors import ConfigError
from pate.features import pca
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


@pytest.mark.parametrize(("decay", "iterated"), [(1.0, True), (0.0, False)])
def test_wide_inputs_have_the_components_of_all_eigenvectors(monkeypatch, decay, iterated):
    """From a basis of the largest where the spectrum falls; of noise, or of inputs that do not vary, from all."""
    width, calls = 1001, []
    random = np.random.default_rng(0)
    turn = np.linalg.qr(random.normal(size=(width, width)))[0]
    inputs = (random.normal(size=(1100, width)) * np.arange(1, width + 1) ** -decay @ turn).astype(np.float32)
    krylov = pca._krylov
    monkeypatch.setattr(pca, "_krylov", lambda *given: calls.append(krylov(*given)) or calls[-1])
    mean, directions = pca.principal_components(inputs, 10)
    assert (calls[0] is not None) is iterated
    spread, expected = np.linalg.eigh(np.cov(inputs.T.astype(float), bias=True))
    expected = expected[:, :-11:-1] / np.sqrt(spread[-10:].sum())
    expected *= np.sign((expected * directions).sum(axis=0))
    np.testing.assert_allclose(directions, expected, atol=1e-4 * np.abs(expected).max())
    np.testing.assert_allclose(mean, inputs.mean(axis=0), atol=1e-6)
    np.testing.assert_array_equal(pca.principal_components(inputs, 10)[1], directions)
    assert not pca.principal_components(np.zeros((20, width), np.float32), 10)[0].any()


def test_more_components_than_inputs_are_refused():
    with pytest.raises(ConfigError, match="at most 5"):
        PCA(components=6).fit(IMAGES[:5])
    with pytest.raises(ValueError, match="components must be at least 1"):
        PCA(components=0)


@pytest.mark.parametrize("rows", [1100, 1030, 1025])
def test_features_do_not_depend_on_how_many_records_there_are(rows):
    """Of one record gone, the others keep every bit of their features: rounding follows no neighbour."""
    images = np.random.default_rng(1).integers(0, 256, size=(1100, 12, 12), dtype=np.uint8)
    for features in (Identity(), PCA(components=20)):
        encoder = features.fit(images[:300])
        whole = encoder.transform(images)
        np.testing.assert_array_equal(encoder.transform(images[:rows]), whole[:rows])
        np.testing.assert_array_equal(encoder.transform(np.delete(images, 10, axis=0)), np.delete(whole, 10, axis=0))
