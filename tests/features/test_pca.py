"""Principal components of public inputs against scikit-learn and all eigenvectors."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as Peer

from pate.errors import ConfigError
from pate.features import pca
from pate.features.pca import PCA

IMAGES = np.random.default_rng(0).integers(0, 256, size=(60, 4, 5), dtype=np.uint8)


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
