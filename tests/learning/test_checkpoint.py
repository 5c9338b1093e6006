"""A training that is stopped and goes on is step by step the training that was not."""

import numpy as np
import pytest
import torch
from torch import nn

from pate.learning.checkpoint import Checkpoint, Training
from pate.workspace.store import Store


def begin(seed=0):
    generator = torch.Generator().manual_seed(seed)
    network = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2))
    for parameter in network.parameters():
        nn.init.normal_(parameter, generator=generator)
    optimizer = torch.optim.AdamW(network.parameters(), 0.01)
    return network, optimizer, generator, Training(generator, network=network, optimizer=optimizer)


def step(network, optimizer, generator):
    x = torch.randn(8, 3, generator=generator)
    optimizer.zero_grad()
    network(x).square().sum().backward()
    optimizer.step()


def test_a_restored_training_goes_on_exactly():
    network, optimizer, generator, training = begin()
    for _ in range(5):
        step(network, optimizer, generator)
    kept = training.arrays()
    for _ in range(5):
        step(network, optimizer, generator)
    other, other_optimizer, other_generator, other_training = begin(seed=1)
    other_training.restore(kept)
    for _ in range(5):
        step(other, other_optimizer, other_generator)
    for one, two in zip(network.state_dict().values(), other.state_dict().values(), strict=True):
        assert torch.equal(one, two)


def test_what_was_taken_does_not_change_with_the_training():
    network, optimizer, generator, training = begin()
    step(network, optimizer, generator)
    kept = training.arrays()
    before = {name: array.copy() for name, array in kept.items()}
    step(network, optimizer, generator)
    for name, array in kept.items():
        np.testing.assert_array_equal(array, before[name])
    assert any((training.arrays()[name] != before[name]).any() for name in before)


@pytest.fixture
def pieces(tmp_path):
    return Store(tmp_path).pieces("student", "key")


def test_a_checkpoint_gives_back_the_latest_state(pieces, tmp_path):
    assert Checkpoint(pieces).load() is None
    checkpoint = Checkpoint(pieces)
    for value in range(3):
        checkpoint.save({"a": np.full((2, 2), value, np.float32), "b": np.arange(value + 1)})
    found = Checkpoint(pieces).load()
    np.testing.assert_array_equal(found["a"], np.full((2, 2), 2, np.float32))
    np.testing.assert_array_equal(found["b"], [0, 1, 2])
    assert len(list((tmp_path / "private" / "student" / "key.pieces").iterdir())) == 1


def test_arrays_in_any_layout_come_back(pieces):
    table = np.arange(12.0).reshape(3, 4)
    Checkpoint(pieces).save({"transposed": table.T, "strided": table[:, ::2], "scalar": np.array(7)})
    found = Checkpoint(pieces).load()
    np.testing.assert_array_equal(found["transposed"], table.T)
    np.testing.assert_array_equal(found["strided"], table[:, ::2])
    assert found["scalar"] == 7


def test_a_resumed_checkpoint_counts_on(pieces):
    Checkpoint(pieces).save({"a": np.zeros(1)})
    resumed = Checkpoint(pieces)
    resumed.load()
    resumed.save({"a": np.ones(1)})
    assert Checkpoint(pieces).load()["a"] == 1


def test_a_damaged_checkpoint_is_none(pieces, tmp_path):
    Checkpoint(pieces).save({"a": np.zeros(100)})
    file = next((tmp_path / "private" / "student" / "key.pieces").iterdir())
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.write_bytes(data)
    assert Checkpoint(pieces).load() is None
