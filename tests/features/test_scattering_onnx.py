"""The descriptor as ONNX operators: logarithms or groups of coefficients that were convolved in space, and patches."""

import numpy as np
import pytest
import torch

from pate.features.scattering_onnx import described
from tests.features.in_space import in_space
from tests.features.onnx_graph import computed
from tests.features.slow_patches import slowly

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.random((3, 12, 16)).astype(np.float32)
PATCHES = {
    "mean": RANDOM.normal(0, 0.3, 25).astype(np.float32),
    "whitening": RANDOM.normal(0, 0.3, (25, 25)).astype(np.float32),
    "prototypes": RANDOM.normal(size=(7, 1, 5, 5)).astype(np.float32),
}


def views(flip, describe):
    """What `describe` says of each image, or the mean of that and of what it says of its mirror image."""
    found = np.stack([describe(image) for image in IMAGES])
    return (found + np.stack([describe(image[:, ::-1]) for image in IMAGES])) / 2 if flip else found


def described_by_onnx(flip, groups, prototypes, width):
    arguments = {"scales": 2, "angles": 4, "groups": groups, "flip": flip}
    return computed(lambda graph, x: described(graph, x, (12, 16), arguments, prototypes), IMAGES, width)


@pytest.mark.parametrize("flip", [False, True])
def test_without_groups_it_is_the_logarithm_and_then_the_patches(flip):
    waves = views(flip, lambda image: np.log(in_space(image, 2, 4) + 0.01).ravel())
    near = views(flip, lambda image: slowly(image[..., None], **PATCHES).ravel())
    expected = np.concatenate([waves, near], axis=1)
    found = described_by_onnx(flip, None, PATCHES, expected.shape[1])
    np.testing.assert_allclose(found, expected, atol=3e-4)


@pytest.mark.parametrize("flip", [False, True])
def test_groups_are_normalised_as_torch_does(flip):
    raw = views(flip, lambda image: in_space(image, 2, 4)).astype(np.float32)
    expected = torch.nn.functional.group_norm(torch.from_numpy(raw), 5).flatten(1)
    found = described_by_onnx(flip, 5, None, expected.shape[1])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
