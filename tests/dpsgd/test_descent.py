"""DP-SGD does what the accountant assumes: Poisson lots, noise once a lot, division by the expected size."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_digits

from pate.dpsgd import descent
from pate.dpsgd.accountant import Accountant
from pate.dpsgd.descent import add_noise, descend, drawn_ahead, poisson_lot
from pate.dpsgd.engine import Clipped
from pate.dpsgd.models import Linear
from pate.dpsgd.network import perceptron, start
from pate.dpsgd.summation import rounding
from pate.errors import PateError
from pate.learning.checkpoint import Checkpoint
from pate.noise import Noise, source
from pate.workspace.store import Store

LINEAR = Linear(epsilon="pate", lot=64, epochs=10, learning_rate=1.0, clip=1.0, momentum=0.9)
QUIET = 1e-12  # a noise multiplier of next to nothing, to see the rest of a step


def digits() -> tuple[np.ndarray, np.ndarray]:
    x, y = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), y.astype(np.int64)


def descended(
    x: np.ndarray,
    y: np.ndarray,
    *,
    settings: Linear = LINEAR,
    classes: int = 10,
    sigma: float = QUIET,
    rate: float = 1.0,
    steps: int = 1,
    noise: Noise | None = None,
    accountant: Accountant | None = None,
    saved: dict | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias of a linear model after so many steps."""
    network = start(perceptron(x.shape[1], [], classes, "none"), 0)
    descend(
        settings,
        network,
        x,
        y,
        (),
        accountant=accountant or Accountant(sigma, rate, steps, 1e-5),
        noise=noise or source(0),
        device="cpu",
        saved=saved,
        checkpoint=checkpoint,
        keep={},
    )
    return network[0].weight.detach().numpy().copy(), network[0].bias.detach().numpy().copy()


def constant(value: float) -> Callable[..., Clipped]:
    """In the place of the clipped sum."""
    return lambda model, *_: Clipped([torch.full_like(p, value).detach() for p in model.parameters()], 0.0)


def test_lot_sizes_follow_the_binomial_law() -> None:
    noise, n, rate = source(1), 20, 0.1
    sizes = np.bincount([len(poisson_lot(n, rate, noise)) for _ in range(5_000)], minlength=n + 1)
    expected = stats.binom(n, rate).pmf(np.arange(n + 1))
    observed = np.array([*sizes[:7], sizes[7:].sum()])
    assert stats.chisquare(observed, 5_000 * np.array([*expected[:7], expected[7:].sum()])).pvalue > 1e-6
    assert sizes[0] > 0  # empty lots are part of it


def test_every_record_has_the_same_chance() -> None:
    noise = source(2)
    often = np.bincount(np.concatenate([poisson_lot(50, 0.2, noise) for _ in range(4_000)]), minlength=50)
    assert stats.chisquare(often).pvalue > 1e-6


def test_every_coordinate_has_a_number_of_its_own() -> None:
    gradient = [torch.zeros(30, 4), torch.full((30,), 5.0), torch.zeros(4, 3, 2, 2).permute(0, 3, 1, 2)]
    add_noise(gradient, torch.arange(1.0, 199.0))
    gradient[1] -= 5.0
    added = torch.cat([part.flatten() for part in gradient])
    torch.testing.assert_close(added, torch.arange(1.0, 199.0))
    with pytest.raises(RuntimeError):
        add_noise(gradient, torch.zeros(197))


def test_a_step_adds_noise_of_sigma_clip_over_the_expected_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without gradients, one step from two equal starts: what moved is the noise of both."""
    sigma, lot, clip = 50.0, 32, 0.5
    monkeypatch.setattr(descent, "clipped_sum", constant(0.0))
    x, y = np.zeros((320, 400), np.float32), np.zeros(320, np.int64)
    settings = replace(LINEAR, lot=lot, clip=clip)
    one, two = (descended(x, y, settings=settings, sigma=sigma, rate=0.1, noise=source(seed))[0] for seed in range(2))
    moved = (one - two).ravel()
    assert stats.kstest(moved, stats.norm(scale=np.sqrt(2) * sigma * clip / lot).cdf).pvalue > 1e-6


@pytest.mark.parametrize("n", [320, 5000])
def test_noise_pays_for_what_rounding_adds_to_the_bound(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound one record of n can move the sum by what summation.py proves, over 0.2% of it."""
    asked: list[float] = []
    monkeypatch.setattr(
        Noise, "many_gaussians", lambda _, total, sigma: asked.append(sigma) or np.zeros(total, np.float32)
    )
    settings = replace(LINEAR, lot=32, clip=0.5)
    descended(np.zeros((n, 4), np.float32), np.zeros(n, np.int64), settings=settings, sigma=3.0, rate=0.1)
    assert min(asked) == max(asked) == pytest.approx(3.0 * 0.5 * (1 + rounding(n, 2048)), rel=1e-12)
    assert min(asked) > 1.002 * 3.0 * 0.5


@pytest.mark.parametrize("micro_batch", [7, 2048])
def test_noise_is_added_once_a_lot_whatever_the_micro_batches(micro_batch: int, monkeypatch) -> None:
    drawn: list[torch.Tensor] = []
    monkeypatch.setattr(descent, "add_noise", lambda gradient, noises: drawn.append(noises))
    settings = replace(LINEAR, clip=0.5, micro_batch=micro_batch)
    descended(*digits(), settings=settings, sigma=3.0, rate=0.05, steps=12)
    assert len(drawn) == 12
    assert all(len(noises) == 650 for noises in drawn)
    draws = torch.cat(drawn).numpy()
    assert len(np.unique(draws)) > 0.99 * len(draws)
    assert stats.kstest(draws, stats.norm(scale=1.5).cdf).pvalue > 1e-6


@pytest.mark.parametrize("n", [20, 40])
def test_the_sum_is_divided_by_the_expected_lot_size(n: int) -> None:
    """n equal records, all drawn, expected lot 10: the bias moves by n/10 clipped gradients, not by their mean.

    With inputs (1, 1, 1) the gradient is (g, g, g, g) for g = (-t, t): clipped to norm c, its bias part is c / sqrt(8).
    """
    x, y = np.ones((n, 3), np.float32), np.zeros(n, np.int64)
    _, bias = descended(x, y, settings=replace(LINEAR, lot=10, clip=0.01), classes=2)
    step = n / 10 * 0.01 / np.sqrt(8)
    np.testing.assert_allclose(bias, [step, -step], rtol=2e-5)


@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_a_broken_record_contributes_nothing(poison: float) -> None:
    x, y = digits()
    x[5] = poison
    whole = np.arange(len(x)) != 5
    for with_it, without in zip(descended(x, y), descended(x[whole], y[whole]), strict=True):
        np.testing.assert_allclose(with_it, without, rtol=1e-4, atol=1e-5)


def test_momentum_accumulates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constant gradient g: after two steps the model moved by (1 + (1 + m)) g."""
    monkeypatch.setattr(descent, "clipped_sum", constant(1.0))
    x, y = np.zeros((10, 2), np.float32), np.zeros(10, np.int64)
    _, bias = descended(x, y, settings=replace(LINEAR, lot=1, momentum=0.5), steps=2)
    np.testing.assert_allclose(bias, -2.5, rtol=1e-6)


@pytest.mark.parametrize(("schedule", "travelled"), [("constant", 4.0), ("linear", 2.5), ("cosine", 2.5)])
def test_the_learning_rate_falls_as_scheduled(schedule: str, travelled: float, monkeypatch) -> None:
    """Four steps of a gradient of 1: 1 + 1 + 1 + 1, 1 + .75 + .5 + .25, and the cosines of 0, 45, 90, 135 degrees."""
    monkeypatch.setattr(descent, "clipped_sum", constant(1.0))
    x, y = np.zeros((10, 2), np.float32), np.zeros(10, np.int64)
    _, bias = descended(x, y, settings=replace(LINEAR, lot=1, momentum=0.0, schedule=schedule), steps=4)
    np.testing.assert_allclose(bias, -travelled, rtol=1e-6)


def test_the_average_is_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Biases -1, -2, -3, -4 with the decays 1/10, 2/11, 3/12, 4/13 of the first steps."""
    monkeypatch.setattr(descent, "clipped_sum", constant(1.0))
    x, y = np.zeros((10, 2), np.float32), np.zeros(10, np.int64)
    _, bias = descended(x, y, settings=replace(LINEAR, lot=1, momentum=0.0, average=0.99), steps=4)
    expected = 0.0
    for step in range(1, 5):
        decay = step / (step + 9)
        expected = decay * expected + (1 - decay) * -step
    np.testing.assert_allclose(bias, expected, rtol=1e-6)


def test_empty_lots_are_steps_like_any_other() -> None:
    x, y = digits()
    accountant = Accountant(2.0, 1 / 20, 40, 1e-3)
    weight, _ = descended(x[:20], y[:20], settings=replace(LINEAR, lot=1), accountant=accountant)
    assert accountant.taken == 40
    assert np.isfinite(weight).all()


def test_no_step_goes_beyond_the_plan() -> None:
    accountant = Accountant(2.0, 0.1, 3, 1e-5, taken=3)
    before, _ = descended(*digits(), accountant=accountant)
    assert (before == start(perceptron(64, [], 10, "none"), 0)[0].weight.detach().numpy()).all()
    with pytest.raises(PateError, match="budget is spent"):
        accountant.step()


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_what_is_resumed_is_step_by_step_what_was_not(tmp_path, monkeypatch, average: float) -> None:
    """Killed after the 12th of 20 steps: the rest continues the same weights, velocity, noise and spend."""
    settings = replace(LINEAR, schedule="cosine", average=average)
    question = {"settings": settings, "noise": source(4)}
    whole = descended(*digits(), **question, sigma=1.5, rate=0.05, steps=20)

    monkeypatch.setattr(descent, "_SAVE_EVERY", 0.0)
    checkpoint = Checkpoint(Store(tmp_path).pieces("dpsgd", "key"))
    real, calls = descent.clipped_sum, []

    def killed(*arguments):
        calls.append(1)
        if len(calls) > 12:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(descent, "clipped_sum", killed)
    with pytest.raises(KeyboardInterrupt):
        descended(*digits(), **question, sigma=1.5, rate=0.05, steps=20, checkpoint=checkpoint)
    monkeypatch.setattr(descent, "clipped_sum", real)

    saved = Checkpoint(Store(tmp_path).pieces("dpsgd", "key")).load()
    accountant = Accountant.of(saved, Accountant(1.5, 0.05, 20, 1e-5))
    assert (accountant.taken, accountant.steps) == (12, 20)
    resumed = descended(*digits(), **question, accountant=accountant, saved=saved)
    assert accountant.taken == 20
    for one, two in zip(whole, resumed, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_finished_training_is_taken_up_again_as_the_same_model(tmp_path):
    checkpoint = Checkpoint(Store(tmp_path).pieces("dpsgd", "key"))
    question = {
        "noise": source(None),
        "settings": replace(LINEAR, average=0.9),
    }  # fresh noise: another draw would be another model
    first = descended(*digits(), **question, sigma=1.5, rate=0.05, steps=5, checkpoint=checkpoint)
    saved = Checkpoint(Store(tmp_path).pieces("dpsgd", "key")).load()
    accountant = Accountant.of(saved, Accountant(1.5, 0.05, 5, 1e-5))
    again = descended(*digits(), **question, accountant=accountant, saved=saved)
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)


def test_every_step_has_its_own_chance_and_the_next_is_drawn_during_it() -> None:
    asked: list[int] = []
    ready = threading.Event()

    def draw(step: int) -> tuple[int, int]:
        asked.append(step)
        if step == 8:
            ready.set()
        return step, -step

    with closing(drawn_ahead(draw, 7)) as drawn:
        assert next(drawn) == (7, -7)
        assert ready.wait(60)  # before anybody asks for it
        assert [next(drawn) for _ in range(3)] == [(8, -8), (9, -9), (10, -10)]
    assert asked == [7, 8, 9, 10, 11]


def test_a_draw_that_fails_ends_the_training() -> None:
    def draw(step: int) -> tuple[int, int]:
        raise PateError("no chance")

    with closing(drawn_ahead(draw, 0)) as drawn, pytest.raises(PateError, match="no chance"):
        next(drawn)


def test_a_checkpoint_is_of_every_so_many_seconds_and_of_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[dict] = []

    class Kept(Checkpoint):
        def __init__(self) -> None:
            pass

        def save(self, arrays: dict) -> None:
            saved.append(arrays)

    for every, times in ((-1.0, 6), (3600.0, 1)):
        saved.clear()
        monkeypatch.setattr(descent, "_SAVE_EVERY", every)
        descended(*digits(), steps=5, rate=0.05, checkpoint=Kept())
        assert len(saved) == times
        assert saved[-1]["accountant.taken"] == 5
