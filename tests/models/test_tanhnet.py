"""The network of DP-SGD's literature against its definition and its size, counted by hand."""

import numpy as np
import pytest

from pate.models.tanhnet import TanhNet, build
from tests.models.by_hand import combined, convolved, largest


def made(shape, classes=10):
    rng = np.random.default_rng(0)
    sizes = {name: tuple(value.shape) for name, value in build(shape, classes).state_dict().items()}
    return TanhNet({name: rng.normal(0, 0.2, size).astype(np.float32) for name, size in sizes.items()}, list(shape))


def test_digits_take_26010_weights():
    """By the layers of MNIST_CNN in the code of Tramer & Boneh 2021 (ftramer/Handcrafted-DP, models.py), counted by
    hand: 16 (8^2 + 1) + 32 (16 4^2 + 1) + 32 (32 4^2 + 1) + 10 (32 + 1)."""
    assert sum(array.size for array in made((28, 28, 1)).layers.values()) == 26_010


@pytest.mark.parametrize("shape", [(16, 16, 1), (17, 23, 3)])
def test_scores_are_convolutions_maxima_and_sums(shape):
    model = made(shape)
    rows = np.random.default_rng(1).random((3, *shape)).astype(np.float32)
    for image, found in zip(rows, model.scores(rows.reshape(3, -1)), strict=True):
        maps = np.tanh(convolved(image.transpose(2, 0, 1), model.layers, 0, stride=2, border=2))
        maps = largest(maps, stride=1)
        maps = largest(np.tanh(convolved(maps, model.layers, 3, stride=2, border=0)), stride=1)
        hidden = np.tanh(combined(maps.ravel(), model.layers, 7))
        np.testing.assert_allclose(found, combined(hidden, model.layers, 9), rtol=1e-4, atol=1e-5)


def test_weights_for_another_image_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        TanhNet(made((16, 16, 1)).layers, [20, 20, 1])
