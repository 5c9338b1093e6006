"""The scattering transform as ONNX operators against convolutions in space."""

import math

import numpy as np
import pytest

from pate.features.wavelets_onnx import scattering
from tests.features.in_space import in_space
from tests.features.onnx_graph import computed


@pytest.mark.parametrize(
    ("shape", "scales", "angles"), [((12, 20, 1), 2, 8), ((8, 8, 1), 3, 4), ((9, 10, 1), 1, 3), ((8, 11, 2), 2, 6)]
)
def test_agrees_with_convolutions_in_space(shape, scales, angles):
    image = np.random.default_rng(sum(shape)).random(shape).astype(np.float32)
    planes = np.ascontiguousarray(image.transpose(2, 0, 1))
    expected = np.concatenate([in_space(plane, scales, angles) for plane in planes])
    assert len(expected) == shape[2] * (1 + angles * scales + angles**2 * math.comb(scales, 2))
    found = computed(lambda graph, x: scattering(graph, x, shape, scales, angles), planes[None], expected.size)
    np.testing.assert_allclose(found[0], expected.ravel(), rtol=1e-4, atol=3e-6)
