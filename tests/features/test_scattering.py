"""Scattering features: what they are fitted on, and how they are scaled."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA as Peer

from pate.errors import ConfigError
from pate.features.encoder import Encoder
from pate.features.scattering import Scattering, descriptors
from pate.features.wavelets import scattering

IMAGES = np.random.default_rng(0).integers(0, 256, size=(70, 12, 16), dtype=np.uint8)
PLAIN = {"scales": 2, "angles": 4, "groups": None, "flip": False}


def vectors(x: np.ndarray) -> np.ndarray:
    return np.log(scattering(x, 2, 4) + 0.01).reshape(len(x), -1)


def by_channel(x: np.ndarray) -> np.ndarray:
    """One channel after the other, over its standard deviation."""
    maps = vectors(x).reshape(len(x), 25, 12).astype(float)
    for channel in range(25):
        maps[:, channel] /= maps[:, channel].std()
    return maps.reshape(len(x), -1)


def same_components(features: np.ndarray, inputs: np.ndarray) -> None:
    peer = Peer(features.shape[1], svd_solver="full").fit_transform(inputs)
    np.testing.assert_allclose(np.abs(features), np.abs(peer) / np.sqrt((peer**2).sum(axis=1).mean()), atol=1e-4)


def test_the_descriptor_is_the_logarithm_of_the_transform():
    np.testing.assert_allclose(descriptors(IMAGES, **PLAIN).reshape(70, -1), vectors(IMAGES), rtol=1e-6)
    assert np.isfinite(descriptors(-IMAGES.astype(np.float32), **PLAIN)).all()


def test_every_channel_has_unit_spread_before_the_principal_components():
    encoder = Scattering(angles=4, components=5).fit(IMAGES)
    same_components(encoder.transform(IMAGES), by_channel(IMAGES))


@pytest.mark.parametrize("options", [{}, {"groups": 5}, {"flip": True}])
def test_features_have_unit_mean_square_norm(options):
    features = Scattering(angles=4, components=6, **options).fit(IMAGES).transform(IMAGES)
    assert features.shape == (70, 6)
    assert features.dtype == np.float32
    assert (features**2).sum(axis=1).mean() == pytest.approx(1, rel=1e-4)
    np.testing.assert_allclose(features.mean(axis=0), 0, atol=1e-4)


@pytest.mark.parametrize("flip", [False, True])
def test_groups_of_channels_are_normalised_in_each_image_without_a_logarithm(flip):
    """As in Tramer & Boneh (2021), by torch's own group normalisation."""
    features = Scattering(angles=4, groups=5, components=None, flip=flip).fit(IMAGES).transform(IMAGES)
    raw = scattering(IMAGES, 2, 4)
    if flip:
        raw = (raw + scattering(IMAGES[:, :, ::-1], 2, 4)) / 2
    expected = torch.nn.functional.group_norm(torch.from_numpy(raw), 5).flatten(1)
    np.testing.assert_allclose(features, expected, rtol=1e-3, atol=1e-4)


def test_groups_without_components_need_no_data():
    choice = Scattering(angles=4, groups=5, components=None)
    features = choice.fit(IMAGES).transform(IMAGES)
    assert choice.fit(IMAGES[:0]) == choice.fit(IMAGES)
    np.testing.assert_array_equal(choice.fit(255 - IMAGES[:3]).transform(IMAGES), features)


def test_a_mirror_image_has_the_same_features_with_flip():
    encoder = Scattering(angles=4, components=6, flip=True).fit(IMAGES)
    mirrored = encoder.transform(IMAGES[:, :, ::-1])
    np.testing.assert_allclose(mirrored, encoder.transform(IMAGES), rtol=1e-5, atol=1e-5)
    expected = (vectors(IMAGES) + vectors(IMAGES[:, :, ::-1])) / 2
    np.testing.assert_allclose(descriptors(IMAGES, 2, 4, None, True).reshape(70, -1), expected, rtol=1e-5, atol=1e-6)


def test_no_record_reaches_another_ones_features():
    encoder = Scattering(angles=4, components=6).fit(IMAGES[:40])
    before, other = encoder.transform(IMAGES), IMAGES.copy()
    other[17] = 0
    after = encoder.transform(other)
    kept = np.arange(70) != 17
    np.testing.assert_array_equal(after[kept], before[kept])
    assert not np.array_equal(after[17], before[17])


@pytest.mark.parametrize("options", [{"components": 6}, {"components": None, "groups": 5}])
def test_stored_and_read_back_it_gives_the_same_features(options):
    encoder = Scattering(angles=4, **options).fit(IMAGES)
    again = Encoder.join(*encoder.split())
    np.testing.assert_array_equal(again.transform(IMAGES), encoder.transform(IMAGES))


def test_an_encoder_stored_before_there_were_patches_is_read():
    arrays, facts = Scattering(angles=4, components=6).fit(IMAGES).split()
    assert facts.pop("patches") is None
    assert Encoder.join(arrays, facts).transform(IMAGES).shape == (70, 6)


def test_tables_and_small_images_are_refused_in_one_line():
    for x, shape in ((np.zeros((5, 30)), r"\(30,\)"), (IMAGES[:, :3], r"\(3, 16\)")):
        with pytest.raises(ConfigError, match=rf"at least 4 x 4 pixels.*{shape}.*features=pca") as refused:
            Scattering().fit(x)
        assert "\n" not in str(refused.value)


def test_fields_are_checked():
    for name in ("scales", "angles", "components", "groups"):
        with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0"):
            Scattering(**{name: 0})
    with pytest.raises(ValueError, match=r"^groups must divide the 81 channels, got 5"):
        Scattering(groups=5)
    with pytest.raises(ValueError, match=r"^components may be null only with groups"):
        Scattering(components=None)
