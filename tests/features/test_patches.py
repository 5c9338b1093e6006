"""Patch features against a loop over patches, and what may reach a record's features: itself and public images."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import PCA as Peer

from pate.errors import ConfigError
from pate.features.encoder import Encoder
from pate.features.patches import activations, learn
from pate.features.scattering import Scattering
from tests.features.slow_patches import slowly

RANDOM = np.random.default_rng(0)


def drawings(n: int, height: int = 12, width: int = 14) -> np.ndarray:
    """Bright rectangles on noise."""
    x = RANDOM.integers(0, 60, size=(n, height, width), dtype=np.uint8)
    for image in x:
        top, left = RANDOM.integers(0, (height - 4, width - 4))
        image[top : top + RANDOM.integers(2, 6), left : left + RANDOM.integers(2, 6)] += 150
    return x


PUBLIC, PRIVATE = drawings(120), drawings(30)
LEARNED = learn(PUBLIC, 9, 5)
CHOICE = Scattering(components=20, patches=9, patch_size=5)


@pytest.mark.parametrize("shape", [(12, 14), (9, 7, 3), (11, 8, 1), (5, 6)])
def test_agrees_with_a_loop_over_patches(shape):
    random = np.random.default_rng(sum(shape))
    images = random.integers(0, 256, size=(10, *shape), dtype=np.uint8)
    width = 25 * math.prod(shape[2:])
    model = {
        "mean": random.normal(0, 0.3, width).astype(np.float32),
        "whitening": random.normal(0, 0.3, (width, width)).astype(np.float32),
        "prototypes": random.normal(size=(7, math.prod(shape[2:]), 5, 5)).astype(np.float32),
    }
    found = activations(images, **model, flip=False)
    colours = images if images.ndim == 4 else images[..., None]
    expected = np.stack([slowly(image / 255, **model).ravel() for image in colours])
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert found.dtype == np.float32
    np.testing.assert_allclose(activations((images / 255).astype(np.float32), **model, flip=False), found, atol=2e-4)
    mirrored = np.stack([slowly(image[:, ::-1] / 255, **model).ravel() for image in colours])
    np.testing.assert_allclose(activations(images, **model, flip=True), (expected + mirrored) / 2, atol=2e-4)


def test_patches_are_whitened_and_prototypes_are_means_of_them():
    windows = np.lib.stride_tricks.sliding_window_view(PUBLIC / 255, (5, 5), axis=(1, 2)).reshape(-1, 25)
    windows = windows - windows.mean(axis=1, keepdims=True)
    windows /= np.sqrt(windows.var(axis=1, keepdims=True) + 0.01)
    windows = windows[(windows**2).sum(axis=1) > 1]
    np.testing.assert_allclose(LEARNED["mean"], windows.mean(axis=0), atol=1e-4)
    covariance = np.cov(windows.T)
    expected = np.linalg.inv(covariance + 0.1 * np.eye(25))
    np.testing.assert_allclose(LEARNED["whitening"] @ LEARNED["whitening"], expected, atol=1e-2)
    whitened = (windows - LEARNED["mean"]) @ LEARNED["whitening"]
    centres = LEARNED["prototypes"].reshape(9, 25)
    nearest = ((whitened[:, None] - centres) ** 2).sum(axis=2)
    assert len(np.unique(nearest.argmin(axis=1))) == 9
    assert nearest.min(axis=1).mean() < 0.9 * (whitened**2).sum(axis=1).mean()


def test_prototypes_are_the_same_each_time():
    again = learn(PUBLIC.copy(), 9, 5)
    for name, array in LEARNED.items():
        np.testing.assert_array_equal(again[name], array)
        assert array.dtype == np.float32


def test_both_parts_have_half_the_mean_square_and_the_components_of_each_alone():
    features = CHOICE.fit(PUBLIC).transform(PUBLIC)
    assert features.shape == (120, 40)
    square = (features**2).mean(axis=0)
    assert square[:20].sum() == pytest.approx(0.5, rel=1e-4)
    assert square[20:].sum() == pytest.approx(0.5, rel=1e-4)
    alone = Scattering(components=20).fit(PUBLIC).transform(PUBLIC)
    np.testing.assert_allclose(features[:, :20], alone / math.sqrt(2), atol=1e-5)
    peer = Peer(20, svd_solver="full").fit_transform(activations(PUBLIC, **LEARNED, flip=False))
    peer /= np.sqrt(2 * (peer**2).sum(axis=1).mean())
    np.testing.assert_allclose(np.abs(features[:, 20:]), np.abs(peer), atol=1e-4)


def test_no_record_reaches_another_ones_features():
    encoder = CHOICE.fit(PUBLIC)
    before = encoder.transform(PRIVATE)
    for changed in (0, 7, 8, 29):
        other = PRIVATE.copy()
        other[changed] = 255 - other[changed][::-1]
        after = encoder.transform(other)
        kept = np.arange(30) != changed
        np.testing.assert_array_equal(after[kept], before[kept])
        assert not np.array_equal(after[changed], before[changed])
    model = encoder.patches
    floats = (PRIVATE / 255).astype(np.float32)
    expected = activations(floats, **model, flip=False)
    floats[:5] = np.nan
    np.testing.assert_array_equal(activations(floats, **model, flip=False)[5:], expected[5:])


def test_a_mirror_image_has_the_same_features_with_flip():
    encoder = Scattering(components=20, patches=9, patch_size=5, flip=True).fit(PUBLIC)
    features = encoder.transform(PRIVATE)
    np.testing.assert_allclose(encoder.transform(PRIVATE[:, :, ::-1]), features, rtol=1e-5, atol=1e-5)
    plain = CHOICE.fit(PUBLIC)
    assert np.abs(plain.transform(PRIVATE[:, :, ::-1]) - plain.transform(PRIVATE)).max() > 0.01


def test_colours_count():
    public = np.stack([PUBLIC, PUBLIC[::-1], PUBLIC[:, ::-1]], axis=-1)
    encoder = CHOICE.fit(public)
    assert encoder.patches["prototypes"].shape == (9, 3, 5, 5)
    features = encoder.transform(public)
    assert features.shape == (120, 40)
    assert (features**2).sum(axis=1).mean() == pytest.approx(1, rel=1e-4)
    assert np.abs(encoder.transform(public[..., ::-1]) - features).max() > 0.01


def test_stored_and_read_back_it_gives_the_same_features():
    encoder = CHOICE.fit(PUBLIC)
    arrays, facts = encoder.split()
    assert {"patches.mean", "patches.whitening", "patches.prototypes"} < set(arrays)
    np.testing.assert_array_equal(Encoder.join(arrays, facts).transform(PRIVATE), encoder.transform(PRIVATE))
    assert encoder.transform(PRIVATE[:0]).shape == (0, 40)


def test_what_gives_no_prototypes_is_refused_in_one_line():
    with pytest.raises(ConfigError, match=r"patch_size=6 needs images of at least 6 x 6 pixels.*\(12, 5\)") as small:
        Scattering(patches=200).fit(PUBLIC[:, :, :5])
    assert "\n" not in str(small.value)
    with pytest.raises(ConfigError, match=r"not records of shape \(14,\)"):
        Scattering(patches=200).fit(PUBLIC[:, 0])
    striped = np.zeros((50, 12, 12), np.uint8)
    striped[:, :, 6:] = 255  # four places of the edge, and flat patches
    with pytest.raises(ConfigError, match="patches=6: the public images have only 4 distinct patches"):
        learn(striped, 6, 5)
    assert len(learn(striped, 4, 5)["prototypes"]) == 4
    with pytest.raises(ConfigError, match="only 0 distinct"):
        learn(PUBLIC[:0], 1, 5)


def test_fields_are_checked():
    for name in ("patches", "patch_size"):
        with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0"):
            Scattering(**{name: 0})
    with pytest.raises(ValueError, match=r"^patches .* groups"):
        Scattering(patches=200, groups=27)
    with pytest.raises(ValueError, match=r"^patches must be at least components / 16, got 12"):
        Scattering(patches=12, components=200)


def test_coefficients_and_activations_are_mapped_apart_only_where_no_component_takes_both():
    encoder = CHOICE.fit(PUBLIC)
    raw = encoder.raw(PRIVATE).astype(np.float64) - encoder.mean
    assert [block.shape for _, _, block in encoder._blocks()] == [(raw.shape[1] - 144, 20), (144, 20)]
    np.testing.assert_allclose(encoder.transform(PRIVATE), raw @ encoder.components, atol=1e-5)
    mixed = replace(encoder, components=encoder.components + np.float32(0.1))
    assert len(mixed._blocks()) == 1
    np.testing.assert_allclose(mixed.transform(PRIVATE), raw @ mixed.components, rtol=1e-4, atol=1e-4)
