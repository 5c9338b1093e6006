"""The small convolutional network against its definition, and what it refuses."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pate.models.convnet import ConvNet, build, start
from tests.models.by_hand import combined, convolved, largest

IMAGES = np.kron(load_digits().images / 16, np.ones((1, 2, 2))).astype(np.float32)
ROWS = IMAGES.reshape(len(IMAGES), -1)


def made(shape, moved=False):
    network = start(build(shape, 4, 16, 10), torch.Generator().manual_seed(0))
    rng = np.random.default_rng(1)
    layers = {name: value.detach().contiguous().numpy() for name, value in network.state_dict().items()}
    layers |= {name: rng.normal(0, 0.1, a.shape).astype(np.float32) for name, a in layers.items() if a.ndim == 1}
    return ConvNet(layers, list(shape), moved)


@pytest.fixture(scope="module")
def student():
    return made((16, 16, 1), moved=True)


@pytest.mark.parametrize("shape", [(16, 16, 1), (9, 14, 3)])
def test_scores_are_convolutions_maxima_and_sums(shape):
    model = made(shape)
    rows = np.random.default_rng(0).random((3, *shape)).astype(np.float32)
    for image, found in zip(rows, model.scores(rows.reshape(3, -1)), strict=True):
        maps = np.maximum(convolved(image.transpose(2, 0, 1), model.layers, 0, stride=2, border=2), 0)
        maps = np.maximum(convolved(maps, model.layers, 2, stride=1, border=1), 0)
        maps = largest(maps, stride=2)
        maps = np.maximum(convolved(maps, model.layers, 5, stride=1, border=1), 0)
        hidden = np.maximum(combined(maps.ravel(), model.layers, 8), 0)
        np.testing.assert_allclose(found, combined(hidden, model.layers, 10), rtol=1e-4, atol=1e-5)


def test_views_are_the_mean_over_copies_moved_by_a_pixel(student):
    by_hand = np.zeros((30, 10))
    for axis, step in ((1, -1), (1, 1), (2, -1), (2, 1)):
        copy = np.roll(IMAGES[:30], step, axis=axis)
        edge = [slice(None)] * 3
        edge[axis] = 0 if step == 1 else -1
        copy[tuple(edge)] = 0
        by_hand += student.proba(copy.reshape(30, -1)) / 4
    np.testing.assert_allclose(student.views(ROWS[:30]), by_hand, atol=1e-6)
    assert ConvNet(student.layers, student.shape).views(ROWS[:30]) is None


def test_weights_that_do_not_fit_are_refused(student):
    with pytest.raises(ValueError, match="do not fit"):
        ConvNet(student.layers, [8, 8, 1])
    with pytest.raises(ValueError, match="not a network of this kind"):
        ConvNet({"0.weight": student.layers["0.weight"]}, [16, 16, 1])
