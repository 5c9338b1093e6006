"""Every rule equals a loop that forms each record's gradient with plain autograd, and none understates a norm."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pate.dpsgd import layers
from pate.dpsgd.engine import MARGIN, clipped_sum
from pate.dpsgd.layers import formed, rule_of

CLASSES, RECORDS, ROWS = 5, 12, 9  # ROWS: of an embedding's table
FORMATS = [torch.contiguous_format, torch.channels_last]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


class Case(NamedTuple):
    """A layer, the shape of a record it reads, and whether its norm comes from Gram matrices."""

    layer: Callable[[], nn.Module]
    shape: tuple[int, ...]
    gram: bool = False


CASES = {
    "linear": Case(lambda: nn.Linear(7, 4), (7,)),
    "linear without bias": Case(lambda: nn.Linear(7, 4, bias=False), (7,)),
    "sequence, formed": Case(lambda: nn.Linear(3, 4), (9, 3)),
    "sequence without bias, formed": Case(lambda: nn.Linear(3, 4, bias=False), (9, 3)),
    "sequence, gram": Case(lambda: nn.Linear(40, 30), (3, 40), gram=True),
    "sequence without bias, gram": Case(lambda: nn.Linear(40, 30, bias=False), (3, 40), gram=True),
    "image of sequences": Case(lambda: nn.Linear(5, 4), (2, 3, 5)),
    "conv": Case(lambda: nn.Conv2d(2, 3, 3), (2, 9, 7)),
    "conv stride": Case(lambda: nn.Conv2d(2, 3, 3, stride=(2, 3)), (2, 10, 9)),
    "conv all at once": Case(
        lambda: nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 3), bias=False), (2, 9, 7)
    ),
    "conv of one channel": Case(lambda: nn.Conv2d(1, 4, (1, 3), padding=(0, 1)), (1, 5, 6)),
    "conv, gram": Case(lambda: nn.Conv2d(16, 24, 3), (16, 4, 5), gram=True),
    "conv without bias, gram": Case(lambda: nn.Conv2d(16, 24, 3, 2, padding=1, bias=False), (16, 4, 3), gram=True),
    "group norm": Case(lambda: nn.GroupNorm(2, 4), (4, 3, 5)),
    "group norm of a sequence": Case(lambda: nn.GroupNorm(2, 4), (4, 6)),
    "group norm of a vector": Case(lambda: nn.GroupNorm(2, 6), (6,)),
    "group norm, not affine": Case(lambda: nn.GroupNorm(2, 4, affine=False), (4, 3, 5)),
    "layer norm": Case(lambda: nn.LayerNorm(6), (6,)),
    "layer norm at places": Case(lambda: nn.LayerNorm(6), (2, 3, 6)),
    "layer norm of a matrix": Case(lambda: nn.LayerNorm((3, 6)), (3, 6)),
    "layer norm of matrices": Case(lambda: nn.LayerNorm((3, 6), bias=False), (4, 3, 6)),
    "layer norm, not affine": Case(lambda: nn.LayerNorm(6, elementwise_affine=False), (3, 6)),
    "embedding": Case(lambda: nn.Embedding(ROWS, 4), (6,)),
    "embedding of a matrix": Case(lambda: nn.Embedding(ROWS, 4), (2, 3)),
    "embedding with padding": Case(lambda: nn.Embedding(ROWS, 4, padding_idx=2), (6,)),
}  # fmt: skip
FLOATS = [name for name in CASES if "embedding" not in name]
IMAGES = [name for name, case in CASES.items() if len(case.shape) == 3]


def classifier(layer: nn.Module, shape: tuple[int, ...], between: type[nn.Module] = nn.Tanh) -> nn.Sequential:
    """The layer and a linear head, all parameters away from their special values 0 and 1."""
    torch.manual_seed(5)
    width = layer(torch.zeros(1, *shape, dtype=torch.int64 if isinstance(layer, nn.Embedding) else None)).numel()
    model = nn.Sequential(layer, between(), nn.Flatten(), nn.Linear(width, CLASSES))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


def built(name: str, between: type[nn.Module] = nn.Tanh) -> tuple[nn.Sequential, Tensor, Tensor]:
    case, generator = CASES[name], torch.Generator().manual_seed(3)
    torch.manual_seed(5)
    model = classifier(case.layer(), case.shape, between)
    draw = torch.randn(RECORDS, *case.shape, generator=generator)
    x = draw if name in FLOATS else draw.abs().mul(4).long() % ROWS  # rows repeat within a record
    return model, x, torch.randint(CLASSES, (RECORDS,), generator=generator)


def flat(parts: list[Tensor] | tuple[Tensor, ...]) -> Tensor:
    return torch.cat([part.double().flatten() for part in parts])


def one_by_one(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Records x parameters: every record's gradient, from a backward pass of its own in double precision."""
    exact = deepcopy(model).double().to(memory_format=torch.contiguous_format)
    x = (x.double() if x.is_floating_point() else x).contiguous()
    return torch.stack(
        [
            flat(torch.autograd.grad(cross_entropy(exact(x[i : i + 1]), y[i : i + 1]), list(exact.parameters())))
            for i in range(len(x))
        ]
    )


def assert_equals_the_loop(model: nn.Module, x: Tensor, y: Tensor) -> None:
    each = one_by_one(model, x, y)
    norms = each.norm(dim=1)
    clip = float(norms.median()) * 1.001  # half of the records are clipped, half are not
    expected = ((clip * (1 - MARGIN) / norms).clamp(max=1)[:, None] * each).sum(0)
    got = clipped_sum(model, x, y, clip)
    assert [g.shape for g in got.gradient] == [p.shape for p in model.parameters()]
    assert float((flat(got.gradient) - expected).norm() / expected.norm()) < 1e-5


@pytest.mark.parametrize("name", CASES)
def test_equals_one_gradient_a_record(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grams, gram = [], layers._gram
    monkeypatch.setattr(layers, "_gram", lambda *given: grams.append(1) or gram(*given))
    model, x, y = built(name)
    assert rule_of(model[0])
    assert_equals_the_loop(model, x, y)
    assert bool(grams) == CASES[name].gram


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("of_model", FORMATS)
@pytest.mark.parametrize("of_images", FORMATS)
def test_in_every_layout(name: str, of_model: torch.memory_format, of_images: torch.memory_format) -> None:
    model, x, y = built(name)
    assert_equals_the_loop(model.to(memory_format=of_model), x.contiguous(memory_format=of_images), y)


def test_images_that_are_a_view_of_larger_ones() -> None:
    model, x, y = built("conv all at once")
    larger = torch.randn(RECORDS, 4, 12, 20)
    larger[:, 1:3, 2:11, 3:17:2] = x
    assert_equals_the_loop(model, larger[:, 1:3, 2:11, 3:17:2], y)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    sizes=st.tuples(*[st.integers(1, 8)] * 2),
    channels=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    kernel=st.tuples(*[st.integers(1, 4)] * 2),
    stride=st.tuples(*[st.integers(1, 3)] * 2),
    padding=st.tuples(*[st.integers(0, 3)] * 2),
    dilation=st.tuples(*[st.integers(1, 3)] * 2),
    bias=st.booleans(),
    of_model=st.sampled_from(FORMATS),
    of_images=st.sampled_from(FORMATS),
)
def test_any_convolution(sizes, channels, kernel, stride, padding, dilation, bias, of_model, of_images) -> None:
    assume(all(n + 2 * p > d * (k - 1) for n, p, d, k in zip(sizes, padding, dilation, kernel, strict=True)))
    torch.manual_seed(2)
    shape = (channels[0], *sizes)
    model = classifier(nn.Conv2d(*channels, kernel, stride, padding, dilation, bias=bias), shape)
    x, y = torch.randn(5, *shape), torch.randint(CLASSES, (5,))
    assert_equals_the_loop(model.to(memory_format=of_model), x.contiguous(memory_format=of_images), y)


@pytest.mark.parametrize("clip", [1e-3, 1.0])
@pytest.mark.parametrize("name", CASES)
def test_no_record_ever_exceeds_the_bound(name: str, clip: float) -> None:
    """Whatever the scale of the inputs, or of the parameters where the inputs are rows of a table."""
    model, x, _ = built(name, nn.LeakyReLU)
    norms = []
    for scale in torch.logspace(-8, 16, 25):
        scaled, model_scaled = (x * scale, model) if name in FLOATS else (x, deepcopy(model))
        if name not in FLOATS:
            with torch.no_grad():
                model_scaled[0].weight *= scale
        for record in scaled[:2]:
            worst = model_scaled(record[None]).argmin(1)  # the label that makes for a large gradient
            norms.append(float(flat(clipped_sum(model_scaled, record[None], worst, clip).gradient).norm()))
    assert max(norms) <= clip
    assert max(norms) > 0.9999 * clip


def understated(squared: Tensor, summed: layers.Summed) -> float:
    """How far, relatively, the norm lies below that of what is summed for a single record."""
    return 1 - float(squared.double().sqrt()) / float(flat(summed(torch.ones(1))).norm())


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3])
@pytest.mark.parametrize("width", [784, 25_088, 1_000_000])
def test_rounding_does_not_add_up_in_wide_rows(value: float, width: int) -> None:
    """Equal numbers are the worst case: summed one after the other, every addition rounds to the same side."""
    row, g = torch.full((1, width), value), torch.ones(1, 1)
    assert abs(understated(*layers.linear(nn.Linear(width, 1, bias=False), row, g))) < MARGIN / 4
    assert abs(understated(*formed([row]))) < MARGIN / 4


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1,), (1, 2)])
def test_a_small_gradient_of_a_large_input_is_no_small_gradient(bias: bool, shape: tuple[int, ...]) -> None:
    """Squares, and products with a clip factor, may be no float32, or one without digits, where their product is."""
    layer, clip, norms = nn.Linear(16, 16, bias=bias), 1e-3, []
    for large in torch.logspace(-25, 38, 22):
        for small in torch.logspace(-38, 18, 20):
            squared, summed = rule_of(layer)(layer, large * torch.rand(*shape, 16), small * torch.randn(*shape, 16))
            weights = (clip * (1 - MARGIN) / squared.float().sqrt()).clamp(max=1)
            if torch.isfinite(squared.float()):
                norms.append(float(flat(summed(weights)).norm()))
    assert max(norms) <= clip


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [1e2, 1e4, 1e6])
def test_places_that_cancel(bias: bool, size: float) -> None:
    """Of two places next to nothing remains; in float32 the Gram matrix would answer 0, or anything."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64, bias=bias), nn.Flatten(), nn.Linear(128, CLASSES, bias=False))
    head = torch.randn(CLASSES, 64)
    model[2].weight.data = torch.cat([head, head], 1)  # the gradient of the output is the same at both places
    for remains in (1e-6, 1e-4, 1e-2):
        one = size * torch.randn(1, 1, 64)
        record = torch.cat([one, -one * (1 + remains * torch.randn(64))], 1)
        label = model(record).argmin(1)
        exact = one_by_one(model, record, label)[0]
        for clip in (float(exact[: 64 * 64].norm()) / 3, 1e-3):
            assert flat(clipped_sum(model, record, label, clip).gradient).norm() <= clip


@pytest.mark.parametrize("places", [4, 30, 60])
def test_rounding_does_not_add_up_over_places(places: int) -> None:
    """1, then numbers that float32 rounds up when added to it, then minus the sum of them all: next to 0 remains."""
    step, wide = 2.0**-24, 2048
    outputs = torch.full((1, places), 1.0001 * step)
    outputs[0, 0], outputs[0, -1] = 1, -(1 + (places - 2) * step)
    g = outputs[:, :, None].expand(1, places, wide).contiguous()
    found = layers._gram(torch.ones(1, places, wide), g, False, torch.Size((wide, wide)))
    assert understated(*found) < 0


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("network", ["convolutions", "perceptron"])
def test_equals_opacus(network: str) -> None:
    opacus = pytest.importorskip("opacus.grad_sample")
    torch.manual_seed(4)
    model, x = {
        "convolutions": lambda: (
            nn.Sequential(
                nn.Conv2d(1, 6, 5, 2, padding=2), nn.GroupNorm(2, 6), nn.Tanh(), nn.MaxPool2d(2, 1),
                nn.Conv2d(6, 8, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8 * 4 * 3, CLASSES),
            ),
            torch.randn(RECORDS, 1, 14, 12),
        ),
        "perceptron": lambda: (
            nn.Sequential(nn.Linear(20, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, CLASSES)),
            torch.randn(RECORDS, 20),
        ),
    }[network]()  # fmt: skip
    y = torch.randint(CLASSES, (RECORDS,))
    theirs = opacus.GradSampleModule(deepcopy(model), loss_reduction="sum")
    cross_entropy(theirs(x), y, reduction="sum").backward()
    each = torch.cat([p.grad_sample.flatten(1).double() for p in theirs.parameters()], 1)
    clip = float(each.norm(dim=1).median()) * 1.001
    expected = ((clip * (1 - MARGIN) / each.norm(dim=1)).clamp(max=1)[:, None] * each).sum(0)
    assert float((flat(clipped_sum(model, x, y, clip).gradient) - expected).norm() / expected.norm()) < 1e-5
