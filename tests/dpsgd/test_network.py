"""Networks start from a seed and nothing else, and become plain arrays."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from pate.dpsgd.network import as_classifier, perceptron, start


def test_layers_have_an_activation_between_them_and_none_behind():
    network = perceptron(5, [4, 3], 2, "tanh")
    assert [type(layer) for layer in network] == [nn.Linear, nn.Tanh, nn.Linear, nn.Tanh, nn.Linear]
    assert [tuple(layer.weight.shape) for layer in network[::2]] == [(4, 5), (3, 4), (2, 3)]


def test_weights_are_glorots_and_drawn_from_the_seed_alone():
    before = torch.random.get_rng_state()
    one, two, other = (start(perceptron(200, [100], 10, "relu"), seed)[0].requires_grad_(False) for seed in (0, 0, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.equal(one.weight, two.weight)
    assert not torch.equal(one.weight, other.weight)
    assert one.weight.abs().max() <= math.sqrt(6 / 300)  # Glorot & Bengio 2010, equation 16
    assert one.weight.std() == pytest.approx(math.sqrt(2 / 300), rel=0.02)
    assert not one.bias.any()


@pytest.mark.parametrize("hidden", [[], [6]])
def test_as_arrays_it_says_what_it_said_as_a_network(hidden):
    rng = np.random.default_rng(0)
    x, components = rng.normal(size=(7, 5)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)
    network = start(perceptron(3, hidden, 4, "tanh"), 0)
    expected = network(torch.from_numpy(x @ components)).detach().numpy()
    np.testing.assert_allclose(as_classifier(network, "tanh", components).scores(x), expected, atol=1e-5)
