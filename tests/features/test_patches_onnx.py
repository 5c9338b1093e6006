"""Activations as ONNX operators against a loop over patches."""

import numpy as np
import pytest

from pate.features.patches_onnx import activations
from tests.features.onnx_graph import computed
from tests.features.slow_patches import slowly


@pytest.mark.parametrize("shape", [(12, 14, 1), (9, 7, 3), (5, 6, 1)])
def test_agrees_with_a_loop_over_patches(shape):
    random = np.random.default_rng(sum(shape))
    images = random.random((4, *shape)).astype(np.float32)
    pixels = 25 * shape[2]
    model = {
        "mean": random.normal(0, 0.3, pixels).astype(np.float32),
        "whitening": random.normal(0, 0.3, (pixels, pixels)).astype(np.float32),
        "prototypes": random.normal(size=(7, shape[2], 5, 5)).astype(np.float32),
    }
    planes = np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    found = computed(lambda graph, x: activations(graph, x, shape, **model), planes, 16 * 7)
    np.testing.assert_allclose(found, [slowly(image, **model).ravel() for image in images], atol=2e-4)
