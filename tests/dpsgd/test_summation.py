"""One record moves a lot's clipped sum by no more than the noise pays for, however the others were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from pate.dpsgd import engine, layers
from pate.dpsgd.engine import at_once, clipped_sum
from pate.dpsgd.summation import BLOCK, MOST_AT_ONCE, pairwise, rounding

CLASSES = 3
UNIT = Fraction(1, 2**24)
NOTHING = float("nan")  # a record that is no record: it contributes nothing, and its row stays


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@dataclass
class Node:
    """In the place of a block's sum: how many records it is of, and how many are in each sum above each block."""

    size: int
    above: list[list[int]]

    def add_(self, other: Node) -> Node:
        self.size += other.size
        self.above = [[*sizes, self.size] for sizes in self.above + other.above]
        return self


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, MOST_AT_ONCE))
def test_a_record_is_added_once_and_goes_through_few_additions(records: int) -> None:
    """What the proof counts: blocks of so many, in a row, and above each the sums of 2, 4, 8... blocks at most."""
    seen: list[slice] = []
    (root,) = pairwise(records, lambda rows: [Node(rows.stop - rows.start, [[]])] if not seen.append(rows) else [])
    assert [row for rows in seen for row in range(rows.start, rows.stop)] == list(range(records))
    assert all(rows.stop - rows.start <= BLOCK for rows in seen)
    assert root.size == records
    largest = [size for level in range(1, 20) if (size := BLOCK * 2**level) <= MOST_AT_ONCE]
    for sizes in root.above:
        assert all(size <= most for size, most in zip(reversed(sizes), reversed(largest), strict=False))
        assert len(sizes) <= len(largest)


def test_what_is_paid_is_what_the_additions_can_round() -> None:
    """The sum of all roundings on a record's way, one by one and in rationals; the closed form may only be larger."""
    block = BLOCK * UNIT / (1 - BLOCK * UNIT) * (2 * BLOCK - 1)
    pairs = sum(2 * UNIT * BLOCK * 2**level for level in range(1, (MOST_AT_ONCE // BLOCK).bit_length()))
    across = sum(2 * 60_000 * Fraction(1, 2**53) for _ in range(0, 60_000, MOST_AT_ONCE))
    exact = float(block + pairs + across)
    assert exact <= rounding(60_000, MOST_AT_ONCE) <= 1.05 * exact
    assert rounding(10**6, 1) > rounding(10**6, MOST_AT_ONCE) > rounding(1, MOST_AT_ONCE)
    assert rounding(10**6, MOST_AT_ONCE) < 0.0026


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    lengths=st.lists(st.floats(2.0**-20, 1.0, width=32), min_size=2, max_size=BLOCK),
    alike=st.booleans(),
    of=st.integers(0, BLOCK - 1),
    order=st.sampled_from(["forward", "backward", "longest first", "shortest first"]),
)
def test_a_block_in_any_order_stays_within_its_bound(lengths: list[float], alike: bool, of: int, order: str) -> None:
    """Added one after the other in float32, the order with the most rounding, against exact sums."""
    terms = np.array([lengths[0]] * BLOCK if alike else lengths, np.float32)
    gone = of % len(terms)
    sums = []
    for kept in (terms, np.where(np.arange(len(terms)) == gone, np.float32(0), terms)):
        ordered = {"forward": kept, "backward": kept[::-1], "longest first": -np.sort(-kept)}.get(order, np.sort(kept))
        total = np.float32(0)
        for term in ordered:
            total += term
        sums.append(Fraction(float(total)))
    moved = sums[0] - sums[1]
    gamma = BLOCK * UNIT / (1 - BLOCK * UNIT)
    assert abs(moved - Fraction(float(terms[gone]))) <= gamma * (2 * BLOCK - 1) * Fraction(float(terms.max()))


class Residual(nn.Module):
    """Without a rule: clipped through torch.func."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.scale = nn.Linear(width, width), nn.Parameter(torch.tensor(0.7))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * torch.tanh(self.inner(x))


def head(*layers: nn.Module, width: int) -> nn.Sequential:
    return nn.Sequential(*layers, nn.Tanh(), nn.Flatten(), nn.Linear(width, CLASSES))


MODELS = {
    "linear": (lambda: nn.Sequential(nn.Linear(2, CLASSES)), (2,)),
    "linear without bias": (lambda: nn.Sequential(nn.Linear(1, 2, bias=False)), (1,)),
    "perceptron": (lambda: head(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8), width=8), (6,)),
    "convolution": (lambda: head(nn.Conv2d(1, 2, 3), nn.GroupNorm(1, 2), width=24), (1, 5, 6)),
    "gram": (lambda: head(nn.Linear(40, 30), nn.LayerNorm(30), width=60), (2, 40)),
    "embedding": (lambda: head(nn.Embedding(9, 4), width=24), (6,)),
    "by record": (lambda: head(nn.Linear(6, 8), Residual(8), width=8), (6,)),
}
HOW = ["aligned", "nearly aligned", "every other shorter", "falling", "few long", "not clipped"]


def lot(name: str, how: str, n: int, seed: int = 0) -> tuple[nn.Module, Tensor, Tensor]:
    """Records that all point one way, so that nothing in their sum cancels, of lengths that make it round unlike."""
    torch.manual_seed(seed)
    model, shape = MODELS[name][0](), MODELS[name][1]
    y, i = torch.zeros(n, dtype=torch.int64), torch.arange(n)
    if name == "embedding":
        x = torch.randint(9, (1, *shape)).repeat(n, 1)
        x[i % 2 == 1, 0] = 3
        return model, x, y
    lengths = {
        "aligned": 1 + torch.rand(n),
        "nearly aligned": 1 + torch.rand(n),
        "every other shorter": torch.where(i % 2 == 0, 1.0, 0.5),
        "falling": 2 - i / n,
        "few long": torch.where(i % 64 == 0, 1.0, 0.013),
        "not clipped": 1 + torch.rand(n) / 100,
    }[how]
    x = (0.2 + torch.rand(1, *shape)) * lengths.view(-1, *[1] * len(shape))
    return model, x * (1 + 1e-3 * torch.randn_like(x)) if how == "nearly aligned" else x, y


def flat(parts: list[Tensor]) -> Tensor:
    return torch.cat([part.double().flatten() for part in parts])


def moved(model: nn.Module, x: Tensor, y: Tensor, clip: float, of: int, micro_batch: int = 2048) -> list[float]:
    """By how much the sum moves, in units of the bound, when a record is replaced by nothing, and when it is cut out so
    that all after it move up, into other blocks and micro-batches."""
    whole = flat(clipped_sum(model, x, y, clip, micro_batch).gradient)
    rest = torch.arange(len(x)) != of
    without = [clipped_sum(model, x[rest], y[rest], clip, micro_batch)]
    if x.is_floating_point():
        nothing = x.clone()
        nothing[of] = NOTHING
        without.append(clipped_sum(model, nothing, y, clip, micro_batch))
    return [float((whole - flat(found.gradient)).norm()) / clip for found in without]


def bound(model: nn.Module, x: Tensor, y: Tensor, how: str) -> float:
    """Below every record's gradient, or just above."""
    each = [float(flat(clipped_sum(model, x[i : i + 1], y[i : i + 1], 1e6).gradient).norm()) for i in range(64)]
    return max(each) * 1.001 if how == "not clipped" else min(each) * 0.7 if how != "few long" else max(each)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    ("name", "n", "micro_batch"),
    [
        *[(name, n, 2048) for name in ("linear", "linear without bias") for n in (2048, 8192)],
        *[pytest.param(name, 60_000, 2048, marks=pytest.mark.slow) for name in ("linear", "linear without bias")],
        *[(name, 500, 2048) for name in MODELS if not name.startswith("linear")],
        *[(name, 300, 70) for name in MODELS],
    ],
)
def test_one_record_moves_the_sum_by_no_more_than_is_paid_for(name: str, n: int, micro_batch: int, how: str) -> None:
    worst = 0.0
    for seed in range(3 if name.startswith("linear") else 1):
        model, x, y = lot(name, how, n, seed)
        clip = bound(model, x, y, how)
        for of in (0, n - 1):
            worst = max(worst, *moved(model, x, y, clip, of, micro_batch))
    assert worst <= 1 + rounding(n, at_once(model, micro_batch))
    assert worst > 0.9 or name == "embedding"


@pytest.mark.parametrize("other", [NOTHING, 0.0, 1e3, 1e25])
@pytest.mark.parametrize("name", [name for name in MODELS if name != "embedding"])
def test_what_one_record_is_changes_no_other_by_one_bit(name: str, other: float) -> None:
    """Neither its norm nor its part of the sum, which shows where all others weigh nothing."""
    model, x, y = lot(name, "nearly aligned", 150)
    pass_of = engine._by_record if name == "by record" else engine._by_layer
    changed = x.clone()
    changed[7] = other
    found = [pass_of(model, records, y, None)[1](torch.arange(150) == 7) for records in (x, changed)]
    for (_, norms, summed), (_, norms_changed, summed_changed) in zip(*found, strict=True):
        assert torch.equal(norms, norms_changed)
        for record in (6, 8, 149):
            alone = (torch.arange(150) == record).float()
            assert torch.equal(flat(summed(alone)), flat(summed_changed(alone)))


@pytest.mark.parametrize("width", [2, 3, 8])
def test_others_whose_places_cancel(width: int) -> None:
    """Nothing remains of their gradients, but in float32 what cancels would round by several percent of the bound."""
    worst = 0.0
    for seed in range(40):
        torch.manual_seed(seed)
        one, g = (0.5 + torch.rand(50, 1, width) for _ in range(2))
        a = torch.cat([one, -one], 1)
        a[0, 1] = a[0, 0]  # of this one something remains
        squared, summed = layers._gram(a, g.expand(50, 2, width), False, torch.Size((width, width)))
        weights = (1 - engine.MARGIN) / squared.float().sqrt()
        without = weights.clone()
        without[0] = 0
        worst = max(worst, float((flat(summed(weights)) - flat(summed(without))).norm()))
    assert 0.999 < worst <= 1 + rounding(50, MOST_AT_ONCE)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    n=st.integers(2, 600),
    of=st.integers(0, 599),
    width=st.integers(1, 4),
    bias=st.booleans(),
    long=st.floats(0.5, 50.0, width=32),
    short=st.floats(2.0**-10, 0.5, width=32),
    every=st.integers(1, 200),
    micro_batch=st.sampled_from([1, 64, 129, 2048]),
    clip=st.sampled_from([1e-6, 1e-3, 0.5]),
)
def test_whatever_the_lengths(n, of, width, bias, long, short, every, micro_batch, clip) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(width, 2, bias=bias))
    lengths = torch.where(torch.arange(n) % every == 0, long, short)
    x, y = torch.rand(1, width) * lengths[:, None], torch.zeros(n, dtype=torch.int64)
    assert max(moved(model, x, y, clip, of % n, micro_batch)) <= 1 + rounding(n, at_once(model, micro_batch))
