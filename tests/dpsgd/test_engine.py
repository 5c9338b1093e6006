"""The clipped sum is a function of each record alone, never more than the bound of any, and leaves no trace."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils._python_dispatch import TorchDispatchMode

from pate.dpsgd import engine
from pate.dpsgd.engine import MARGIN, clipped_sum, refuse_unsupported
from pate.dpsgd.layers import squared_norms
from pate.errors import ConfigError

CLASSES, RECORDS = 5, 24


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


class Residual(nn.Module):
    """No rule knows what a module does with its layers: here one is used twice."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.scale = nn.Linear(width, width), nn.Parameter(torch.tensor(0.7))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * torch.tanh(self.inner(torch.tanh(self.inner(x))))


class Doubled(nn.Linear):
    """A known layer with a forward of its own."""

    def forward(self, x: Tensor) -> Tensor:
        return 2 * super().forward(x) ** 2


def patched() -> nn.Linear:
    layer = nn.Linear(6, 6)
    layer.forward = lambda x: 2 * nn.Linear.forward(layer, x) ** 2  # type: ignore[method-assign]
    return layer


def hooked() -> nn.Linear:
    layer = nn.Linear(6, 6)
    layer.register_forward_hook(lambda _, __, output: 2 * output**2)
    return layer


def mixed() -> nn.Linear:
    """A backward hook can do anything to gradients, such as to take the mean of all records from each."""
    layer = nn.Linear(6, 6)
    layer.register_full_backward_hook(lambda _, inputs, __: (inputs[0] - inputs[0].mean(0),))
    return layer


def head(*layers: nn.Module, width: int) -> nn.Sequential:
    return nn.Sequential(*layers, nn.Tanh(), nn.Flatten(), nn.Linear(width, CLASSES))


BY_LAYER = {
    "linear": (lambda: nn.Sequential(nn.Linear(6, CLASSES)), (6,)),
    "perceptron": (lambda: head(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8, bias=False), width=8), (6,)),
    "sequence": (lambda: head(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), width=36), (9, 3)),
    "wide": (lambda: head(nn.Conv2d(3, 16, 3), nn.GroupNorm(2, 16), nn.Conv2d(16, 24, 2), width=48), (3, 4, 5)),
    "tanh": (
        lambda: nn.Sequential(
            nn.Conv2d(1, 16, 8, 2, padding=2), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Conv2d(16, 32, 4, 2), nn.Tanh(),
            nn.MaxPool2d(2, 1), nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10),
        ),
        (1, 28, 28),
    ),
}  # fmt: skip
BY_RECORD = {
    "conv1d": (lambda: head(nn.Conv1d(2, 3, 3), width=12), (2, 6)),
    "grouped": (lambda: head(nn.Conv2d(4, 6, 3, groups=2), width=36), (4, 5, 4)),
    "depthwise": (lambda: head(nn.Conv2d(4, 4, 3, groups=4, bias=False), width=24), (4, 5, 4)),
    "padding same": (lambda: head(nn.Conv2d(2, 3, 3, padding="same"), width=60), (2, 5, 4)),
    "padding circular": (lambda: head(nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), width=60), (2, 5, 4)),
    "prelu": (lambda: head(nn.Linear(6, 8), nn.PReLU(8), width=8), (6,)),
    "instance norm": (lambda: head(nn.InstanceNorm2d(3, affine=True), width=60), (3, 5, 4)),
    "residual": (lambda: head(nn.Linear(6, 8), Residual(8), width=8), (6,)),
    "subclass": (lambda: head(Doubled(6, 6), width=6), (6,)),
    "patched": (lambda: head(patched(), width=6), (6,)),
    "hooked": (lambda: head(hooked(), width=6), (6,)),
    # places as rows of their own: a rule would clip every place, not every record; 24 places pass for 24 records
    "rows of places": (
        lambda: nn.Sequential(nn.Flatten(0, 1), nn.Linear(3, 2), nn.Unflatten(0, (-1, 9)), nn.Flatten()), (9, 3)
    ),
    "places before records": (
        lambda: nn.Sequential(
            nn.Flatten(-3, 1), nn.Unflatten(-2, (24, -1)), nn.Linear(3, 2), nn.Flatten(0, 1), nn.Unflatten(0, (-1, 24)),
            nn.Flatten(),
        ),
        (24, 3),
    ),
}  # fmt: skip
ALL = BY_LAYER | BY_RECORD


def built(name: str, n: int = RECORDS) -> tuple[nn.Sequential, Tensor, Tensor]:
    torch.manual_seed(1)
    model, shape = ALL[name][0](), ALL[name][1]
    return model, torch.randn(n, *shape), torch.randint(CLASSES, (n,))


def flat(parts: list[Tensor] | tuple[Tensor, ...]) -> Tensor:
    return torch.cat([part.double().flatten() for part in parts])


def one_by_one(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Records x parameters: every record's gradient, from a backward pass of its own."""
    losses = [cross_entropy(model(x[i : i + 1]), y[i : i + 1]) for i in range(len(x))]
    return torch.stack([flat(torch.autograd.grad(loss, list(model.parameters()))) for loss in losses])


def expected_sum(model: nn.Module, x: Tensor, y: Tensor) -> tuple[Tensor, float]:
    """The loop's answer, and the clip norm for which half of the records are clipped, half are not."""
    each = one_by_one(model, x, y)
    norms = each.norm(dim=1)
    clip = float(norms.median()) * 1.001
    return ((clip * (1 - MARGIN) / norms).clamp(max=1)[:, None] * each).sum(0), clip


def far(got: Tensor, expected: Tensor) -> float:
    return float((got - expected).norm() / expected.norm())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("micro_batch", [1, 7, RECORDS, 2048])
def test_equals_one_gradient_a_record(name: str, micro_batch: int) -> None:
    model, x, y = built(name)
    expected, clip = expected_sum(model, x, y)
    found = clipped_sum(model, x, y, clip, micro_batch)
    assert far(flat(found.gradient), expected) < 1e-5
    assert [g.shape for g in found.gradient] == [p.shape for p in model.parameters()]
    assert not any(g.requires_grad for g in found.gradient)
    assert found.loss == pytest.approx(cross_entropy(model(x), y, reduction="sum").item(), rel=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_which_way_a_model_goes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_by_record" if name in BY_LAYER else "_by_layer", None)
    model, x, y = built(name, 3)
    clipped_sum(model, x, y, 1.0)


def test_few_gradients_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x, y = built("residual")
    expected, clip = expected_sum(model, x, y)
    monkeypatch.setattr(engine, "_AT_ONCE", 10)
    assert far(flat(clipped_sum(model, x, y, clip).gradient), expected) < 1e-5


@pytest.mark.parametrize("clip", [1e-3, 1.0])
@pytest.mark.parametrize("name", ALL)
def test_no_record_ever_exceeds_the_bound(name: str, clip: float) -> None:
    model, x, y = built(name)
    x *= torch.logspace(-4, 12, RECORDS).view(-1, *[1] * (x.ndim - 1))
    norms = [float(flat(clipped_sum(model, x[i : i + 1], y[i : i + 1], clip).gradient).norm()) for i in range(RECORDS)]
    assert max(norms) <= clip
    assert max(norms) > 0.999 * clip


@pytest.mark.parametrize("poison", [float("nan"), float("inf"), 1e25, 1e37])
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("micro_batch", [4, 2048])
def test_what_is_not_finite_contributes_nothing_and_disturbs_nobody(name: str, poison: float, micro_batch: int) -> None:
    """A micro-batch of some, one of none but such, and single ones."""
    model, x, y = built(name)
    bad = torch.isin(torch.arange(RECORDS), torch.tensor([1, 2, 4, 5, 6, 7, 19]))
    x[bad] = x[bad].sign() * poison
    alone = [clipped_sum(model, x[i : i + 1], y[i : i + 1], 1.0) for i in range(RECORDS) if bad[i]]
    if not 0 <= poison < 1e39 or name == "linear":  # large numbers may saturate a tanh and have a gradient
        assert all((part == 0).all() for found in alone for part in found.gradient)
        assert all(found.loss == 0 for found in alone)
    others = clipped_sum(model, x[~bad], y[~bad], 1.0)
    together = clipped_sum(model, x, y, 1.0, micro_batch)
    sum_of_parts = flat(others.gradient) + sum(flat(found.gradient) for found in alone)
    assert far(flat(together.gradient), sum_of_parts) < 1e-5
    assert together.loss == pytest.approx(others.loss + sum(found.loss for found in alone), rel=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_nothing_but_what_is_not_finite(name: str) -> None:
    model, x, y = built(name)
    found = clipped_sum(model, x * float("nan"), y, 1.0, 10)
    assert found.loss == 0
    assert [g.shape for g in found.gradient] == [p.shape for p in model.parameters()]
    assert not flat(found.gradient).any()


def test_whether_a_record_counts_is_decided_once() -> None:
    """Were the pass repeated without the NaN, dropout would be drawn again: one record would change others' part."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(1, 2, bias=False))
    x, y = torch.full((400, 1), 1e25), torch.zeros(400, dtype=torch.int64)  # finite only where dropped
    x[0] = float("nan")
    passes: list[int] = []
    model[0].register_forward_hook(lambda *_: passes.append(1))
    found = clipped_sum(model, x, y, 1.0)
    assert len(passes) == 1
    assert torch.isfinite(flat(found.gradient)).all()
    assert 150 < found.loss / torch.log(torch.tensor(2.0)) < 250


class Running(nn.Module):
    """Remembers what it saw."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return x - self.mean + self.shift


@pytest.mark.parametrize("micro_batch", [7, 2048])
@pytest.mark.parametrize("name", ["linear", "perceptron", "sequence", "tanh"])
def test_norms_that_are_known_change_nothing(name: str, micro_batch: int) -> None:
    model, x, y = built(name)
    x[3] = float("nan")
    squared = squared_norms(x.flatten(1))
    with_them, without = (clipped_sum(model, x, y, 0.5, micro_batch, given) for given in (squared, None))
    assert torch.equal(flat(with_them.gradient), flat(without.gradient))


def test_norms_that_are_known_are_used() -> None:
    """For the layer that reads the records, and for no other."""
    model, x, y = built("perceptron")
    large = torch.full((len(x),), 1e20, dtype=torch.float64)
    assert float(flat(clipped_sum(model, x, y, 0.5, squared=large).gradient).norm()) < 1e-6
    model.insert(0, nn.Tanh())
    assert float(flat(clipped_sum(model, x, y, 0.5, squared=large).gradient).norm()) > 1e-3


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("micro_batch", [16, 2048, 10**6])
def test_one_record_more_moves_a_large_sum_by_no_more_than_the_bound(micro_batch: int, alike: bool) -> None:
    """Though it changes how all the others are rounded: in float32 alone, by several parts in ten thousand."""
    torch.manual_seed(0)
    n, clip = 20_000, 0.1
    model = nn.Sequential(nn.Linear(8, CLASSES))
    x, y = 5 * torch.randn(n, 8), torch.randint(CLASSES, (n,))
    if alike:
        x, y = x[:1].expand(n, 8).contiguous(), y[:1].expand(n).contiguous()
    rest = torch.arange(n) != 777
    whole, without = (
        flat(clipped_sum(model, *lot, clip, micro_batch).gradient) for lot in ((x, y), (x[rest], y[rest]))
    )
    assert whole.dtype == torch.float64
    assert float((whole - without).norm()) <= clip * (1 + 3e-5)


def test_a_layer_cannot_carry_one_lot_into_the_next() -> None:
    model = nn.Sequential(Running(6), nn.Linear(6, CLASSES))
    _, x, y = built("linear")
    before, buffer = clipped_sum(model, x, y, 1.0), model[0].mean
    clipped_sum(model, 100 * x, y, 1.0)
    assert model[0].mean is buffer
    assert not buffer.any()
    assert torch.equal(flat(clipped_sum(model, x, y, 1.0).gradient), flat(before.gradient))


def test_an_empty_lot_sums_to_zero() -> None:
    for name in ALL:
        model, x, y = built(name, 0)
        found = clipped_sum(model, x, y, 1.0)
        assert [g.shape for g in found.gradient] == [p.shape for p in model.parameters()]
        assert not flat(found.gradient).any()
        assert found.loss == 0


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("fails", [False, True])
def test_no_trace_is_left(name: str, fails: bool) -> None:
    model, x, y = built(name)
    hooks = [len(layer._forward_hooks) for layer in model.modules()]
    before = deepcopy(model.state_dict())
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 7.0)
    images, drawn = x.clone(), torch.get_rng_state()
    if fails:
        with pytest.raises((RuntimeError, ValueError, IndexError)):
            clipped_sum(model, x, y + 100, 1.0)
    else:
        clipped_sum(model, x, y, 1.0, 10)
    assert [len(layer._forward_hooks) for layer in model.modules()] == hooks
    assert torch.equal(torch.get_rng_state(), drawn)
    assert torch.equal(x, images)
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())
    assert all(p.requires_grad and (p.grad == 7).all() for p in model.parameters())


class Recorder(TorchDispatchMode):
    """The shapes of all matrix products, and which gradients were asked of convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.products: list[tuple[int, ...]] = []
        self.masks: list[list[bool]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        if func in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default):
            self.products.append(tuple(found.shape))
        if func is torch.ops.aten.convolution_backward.default:
            self.masks.append(list(args[-1]))
        return found


def test_autograd_computes_no_gradient_of_a_weight() -> None:
    model, x, y = built("tanh", 7)
    with Recorder() as recorded:
        clipped_sum(model, x, y, 1.0)
    assert recorded.masks == [[True, False, False]]  # and of the first convolution nothing
    shapes = [tuple(layer.weight.shape) for layer in model if isinstance(layer, nn.Linear)]
    assert [sum(p in (s, s[::-1]) for p in recorded.products) for s in shapes] == [1, 1]  # the sum itself


@pytest.mark.parametrize("name", ALL)
def test_what_can_be_clipped_is_not_refused(name: str) -> None:
    model, x, _ = built(name)
    refuse_unsupported(model, x[0])


def shared() -> nn.Module:
    one, two = nn.Linear(6, 6), nn.Linear(6, 6)
    two.weight = one.weight
    return nn.Sequential(one, two)


def twice() -> nn.Module:
    layer = nn.Linear(6, 6)
    return nn.Sequential(layer, nn.Sequential(nn.Tanh(), layer))


def frozen() -> nn.Module:
    model = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 6))
    model[1].bias.requires_grad_(False)
    return model


@pytest.mark.parametrize(
    ("model", "record", "says"),
    [
        (head(nn.Linear(6, 4), nn.BatchNorm1d(4), width=4), torch.zeros(6), "'1' is a BatchNorm1d.*GroupNorm"),
        (head(nn.Linear(6, 4), nn.BatchNorm1d(4, affine=False), width=4), torch.zeros(6), "'1' is a BatchNorm1d"),
        (head(nn.BatchNorm2d(3), width=12).eval(), torch.zeros(3, 2, 2), "'0' is a BatchNorm2d"),
        (head(nn.BatchNorm2d(3, track_running_stats=False), width=12), torch.zeros(3, 2, 2), "'0' is a BatchNorm2d"),
        (head(nn.Sequential(nn.SyncBatchNorm(3)), width=12), torch.zeros(3, 2, 2), "'0.0' is a SyncBatchNorm"),
        (head(nn.InstanceNorm2d(3, track_running_stats=True), width=12), torch.zeros(3, 2, 2), "InstanceNorm2d"),
        (twice(), torch.zeros(6), "'0' and '1.1' are one layer used twice"),
        (shared(), torch.zeros(6), "0.weight and 1.weight are one parameter"),
        (frozen(), torch.zeros(6), "1.bias is frozen"),
        (head(nn.Linear(6, 4), nn.ReLU(inplace=True), width=4), torch.zeros(6), "'1' works in place"),
        (head(nn.Embedding(9, 2, max_norm=1.0), width=6), torch.zeros(3, dtype=torch.int64), "'0': max_norm"),
        (head(nn.Embedding(9, 2, scale_grad_by_freq=True), width=6), torch.zeros(3, dtype=torch.int64), "by_freq"),
        (head(nn.Linear(6, 4), width=4), torch.zeros(7), r"records of shape \(7,\)"),
        (head(nn.Conv2d(1, 4, 3), width=4), torch.zeros(3, 3), r"records of shape \(3, 3\)"),
        (head(nn.Conv2d(1, 4, 3), width=5), torch.zeros(1, 3, 3), r"records of shape \(1, 3, 3\)"),
        (head(nn.Linear(6, 6), mixed(), width=6), torch.zeros(6), r"records of shape \(6,\)"),
        (head(nn.Linear(6, 4), width=4).bfloat16(), torch.zeros(6, dtype=torch.bfloat16), "0.weight .*bfloat16"),
    ],
)
def test_what_cannot_be_clipped_is_refused_by_name(model: nn.Module, record: Tensor, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        refuse_unsupported(model, record)


@pytest.mark.parametrize("kind", ["perceptron", "prelu"])
def test_a_weight_multiplies_the_clipped_gradient_which_stays_within_the_clip(kind: str) -> None:
    make, shape = {**BY_LAYER, **BY_RECORD}[kind]
    torch.manual_seed(0)
    model, x, y = make(), 9 * torch.randn(3, *shape), torch.tensor([0, 1, 2])
    weight = torch.tensor([1.0, 0.25, 0.0])
    alone = [clipped_sum(model, x[i : i + 1], y[i : i + 1], 0.1).gradient for i in range(3)]
    found = clipped_sum(model, x, y, 0.1, weight=weight, micro_batch=2).gradient
    for part, several in zip(found, zip(*alone, strict=True), strict=True):
        wanted = sum(w * one for w, one in zip(weight, several, strict=True))
        torch.testing.assert_close(part.float(), wanted, rtol=1e-4, atol=1e-6)
    for i in range(3):
        one = clipped_sum(model, x[i : i + 1], y[i : i + 1], 0.1, weight=weight[i : i + 1]).gradient
        assert float(sum((g.double() ** 2).sum() for g in one)) ** 0.5 <= 0.1 * float(weight[i])
