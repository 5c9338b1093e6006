"""Closed-form clipping equals a loop that forms each record's gradient with plain autograd."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from pate.dpsgd.engine import clipped_sum, refuse_unsupported
from pate.dpsgd.network import build
from pate.errors import ConfigError

NETWORKS = [([], "none"), ([16], "tanh"), ([16, 12], "relu")]
D, CLASSES = 20, 5


def records(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return torch.randn(n, D, generator=generator), torch.randint(CLASSES, (n,), generator=generator)


def network(hidden: list[int], activation: str) -> nn.Sequential:
    return build(D, hidden, CLASSES, activation, seed=1)


def one_by_one(model: nn.Module, x: torch.Tensor, y: torch.Tensor, clip: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The flat clipped sum and the norms before clipping, from one backward pass a record."""
    parameters, total, norms = list(model.parameters()), 0.0, []
    for i in range(len(x)):
        parts = torch.autograd.grad(cross_entropy(model(x[i : i + 1]), y[i : i + 1]), parameters)
        gradient = torch.cat([part.flatten() for part in parts])
        norms.append(gradient.norm())
        total = total + gradient * min(1.0, clip / float(gradient.norm()))
    return total, torch.stack(norms)


def flat(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat([part.flatten() for part in parts])


@pytest.mark.parametrize(("hidden", "activation"), NETWORKS)
@pytest.mark.parametrize("micro_batch", [1, 7, 64, 4096])
def test_equals_one_gradient_a_record(hidden: list[int], activation: str, micro_batch: int) -> None:
    model, (x, y) = network(hidden, activation), records(50)
    _, norms = one_by_one(model, x, y, 1.0)
    clip = float(norms.median())  # half of the records are clipped, half are not
    expected, _ = one_by_one(model, x, y, clip)
    got = flat(clipped_sum(model, x, y, clip, micro_batch))
    assert float((got - expected).norm() / expected.norm()) < 2e-5  # 1e-5 of it is the safety margin
    assert [p.shape for p in clipped_sum(model, x, y, clip)] == [p.shape for p in model.parameters()]


@pytest.mark.parametrize(("hidden", "activation"), NETWORKS)
def test_without_clipping_it_is_the_plain_gradient(hidden: list[int], activation: str) -> None:
    model, (x, y) = network(hidden, activation), records(50)
    plain = flat(list(torch.autograd.grad(cross_entropy(model(x), y, reduction="sum"), list(model.parameters()))))
    assert float((flat(clipped_sum(model, x, y, 1e6)) - plain).norm() / plain.norm()) < 1e-6


@pytest.mark.parametrize(("hidden", "activation"), NETWORKS)
@pytest.mark.parametrize("clip", [1e-3, 0.1, 1.0])
def test_no_record_ever_exceeds_the_bound(hidden: list[int], activation: str, clip: float) -> None:
    model, (x, y) = network(hidden, activation), records(200)
    x *= torch.logspace(-2, 6, 200)[:, None]
    norms = [float(flat(clipped_sum(model, x[i : i + 1], y[i : i + 1], clip)).double().norm()) for i in range(200)]
    assert max(norms) <= clip
    assert max(norms) > 0.9999 * clip


@pytest.mark.parametrize("poison", [float("nan"), float("inf"), 1e30])
@pytest.mark.parametrize(("hidden", "activation"), NETWORKS)
@pytest.mark.parametrize("micro_batch", [8, 4096])
def test_a_record_without_a_finite_norm_contributes_exactly_nothing(
    hidden: list[int], activation: str, poison: float, micro_batch: int
) -> None:
    model, (x, y) = network(hidden, activation), records(30)
    x[4] *= poison
    others = torch.arange(30) != 4
    alone = flat(clipped_sum(model, x[4:5], y[4:5], 1.0))
    if not torch.isfinite(x[4]).all() or not hidden:
        assert (alone == 0).all()
    assert float(alone.norm()) <= 1.0
    together = flat(clipped_sum(model, x, y, 1.0, micro_batch))
    torch.testing.assert_close(
        together, alone + flat(clipped_sum(model, x[others], y[others], 1.0)), rtol=1e-5, atol=1e-5
    )


def test_an_empty_lot_sums_to_zero() -> None:
    model, (x, y) = network([8], "tanh"), records(0)
    assert (flat(clipped_sum(model, x, y, 1.0)) == 0).all()


def test_no_hook_is_left_behind() -> None:
    model, (x, y) = network([8], "tanh"), records(4)
    clipped_sum(model, x, y, 1.0)
    assert not any(layer._forward_hooks for layer in model.modules())


def test_a_layer_without_bias() -> None:
    model, (x, y) = nn.Sequential(nn.Linear(D, CLASSES, bias=False)), records(20)
    expected, _ = one_by_one(model, x, y, 0.5)
    torch.testing.assert_close(flat(clipped_sum(model, x, y, 0.5)), expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (nn.Sequential(nn.Linear(D, 4), nn.BatchNorm1d(4)), "'1' is a BatchNorm1d"),
        (nn.Sequential(nn.Linear(D, 4), nn.BatchNorm1d(4, affine=False)), "BatchNorm1d"),
        (nn.Sequential(nn.Sequential(nn.Conv1d(1, 1, 3)), nn.Flatten()), "'0.0' is a Conv1d"),
        (nn.Sequential(nn.Linear(D, 4), nn.ReLU(inplace=True), nn.Linear(4, 4)), "in place"),
    ],
)
def test_an_unsupported_layer_is_refused_by_name(model: nn.Module, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        refuse_unsupported(model)


def test_shared_parameters_are_refused() -> None:
    one, two = nn.Linear(4, 4), nn.Linear(4, 4)
    two.weight = one.weight
    with pytest.raises(ConfigError, match="share"):
        refuse_unsupported(nn.Sequential(one, two))


def test_a_layer_used_twice_is_refused() -> None:
    twice = nn.Linear(D, D)
    with pytest.raises(ConfigError, match="twice"):
        clipped_sum(nn.Sequential(twice, nn.Tanh(), twice), *records(3), 1.0)


def test_sequences_are_refused() -> None:
    x, y = records(6)
    with pytest.raises(ConfigError, match="one vector"):
        clipped_sum(nn.Sequential(nn.Linear(D, 4), nn.Flatten()), x.view(3, 2, D), y[:3], 1.0)
