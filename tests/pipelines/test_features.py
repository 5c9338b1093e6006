"""The features stage: an encoder fitted to public inputs, and what they become."""

import numpy as np
import pytest
from pate.pipelines.artifacts import ENCODER, PUBLIC, PUBLIC_FEATURES


def test_public_inputs_are_their_own_features_by_default(made):
    public, encoded = made(PUBLIC, "data"), made(PUBLIC_FEATURES, "features")
    np.testing.assert_array_equal(encoded.x, public.x.reshape(397, 64))


def test_the_encoder_knows_the_range_of_public_inputs(made):
    public, encoder = made(PUBLIC, "data"), made(ENCODER, "features")
    assert (encoder.low, encoder.high) == pytest.approx((public.x.min(), public.x.max()))


def test_principal_components_are_those_of_the_public_inputs(run, tmp_path, made):
    found = run("stage=features", "features=pca", "features.components=3")
    x = made(PUBLIC, "data").x.reshape(397, 64).astype(float)
    values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)[:3]
    (file,) = (tmp_path / "workspace" / "release" / "features").glob("*/public_features.npz")
    with np.load(file) as arrays:
        (encoded,) = (arrays[name] for name in arrays.files)
    norms = np.linalg.norm(encoded, axis=0)
    np.testing.assert_allclose(norms / norms[0], values / values[0], rtol=1e-4)  # one scale for all of them
    assert found["stages"]["features"]["summary"] == "pca, 3 features"
