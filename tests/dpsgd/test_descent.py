"""DP-SGD does what the accountant assumes: Poisson lots, noise once a lot, division by the expected size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_digits

from pate.dpsgd import descent
from pate.dpsgd.descent import add_noise, poisson_lot
from pate.dpsgd.train import DPSGD, Spent
from pate.noise import source

LINEAR = DPSGD(
    epsilon="pate", lot=64, epochs=10, learning_rate=1.0, clip=1.0, momentum=0.9, hidden=[], activation="none"
)


def digits() -> tuple[np.ndarray, np.ndarray]:
    x, y = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), y.astype(np.int64)


def noise_off(monkeypatch: pytest.MonkeyPatch, steps: int, rate: float) -> None:
    """A plan with next to no noise, to see the rest of a step."""
    monkeypatch.setattr(DPSGD, "plan", lambda *_: Spent(1e-12, steps, rate, 1.0, 1.0, 1e-5, "replaced-by-nothing"))


def test_lot_sizes_follow_the_binomial_law() -> None:
    noise, n, rate = source(None), 20, 0.1
    sizes = np.bincount([len(poisson_lot(n, rate, noise)) for _ in range(5_000)], minlength=n + 1)
    expected = stats.binom(n, rate).pmf(np.arange(n + 1))
    observed = np.array([*sizes[:7], sizes[7:].sum()])
    assert stats.chisquare(observed, 5_000 * np.array([*expected[:7], expected[7:].sum()])).pvalue > 1e-6
    assert sizes[0] > 0  # empty lots are part of it


def test_every_record_has_the_same_chance() -> None:
    noise = source(None)
    often = np.bincount(np.concatenate([poisson_lot(50, 0.2, noise) for _ in range(4_000)]), minlength=50)
    assert stats.chisquare(often).pvalue > 1e-6


def test_noise_has_the_asked_deviation_on_every_coordinate() -> None:
    gradient = [torch.zeros(300, 40), torch.full((300,), 5.0)]
    add_noise(gradient, 2e3, source(None))
    draws = torch.cat([part.flatten() for part in gradient]).numpy()
    assert stats.kstest(draws, stats.norm(scale=2e3).cdf).pvalue > 1e-6


def test_a_step_adds_noise_of_sigma_clip_over_the_expected_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    """All-zero gradients, one step from two starts that differ in noise only: what moved is the noise."""
    sigma, lot, clip, rate = 50.0, 32, 0.5, 0.1
    monkeypatch.setattr(DPSGD, "plan", lambda *_: Spent(sigma, 1, rate, 1.0, 1.0, 1e-5, "replaced-by-nothing"))
    monkeypatch.setattr(descent, "clipped_sum", lambda model, *_: [torch.zeros_like(p) for p in model.parameters()])
    x, y = np.zeros((320, 400), np.float32), np.zeros(320, np.int64)
    settings = replace(LINEAR, lot=lot, clip=clip, learning_rate=1.0)
    one, two = (
        settings.fit(x, y, 10, epsilon=1.0, delta=1e-5, seed=0, noise=source(None), device="cpu")[0] for _ in range(2)
    )
    moved = (one.layers["0.weight"] - two.layers["0.weight"]).ravel()
    assert stats.kstest(moved, stats.norm(scale=np.sqrt(2) * sigma * clip / lot).cdf).pvalue > 1e-6


def test_every_step_has_its_own_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(descent, "add_noise", lambda gradient, deviation, noise: drawn.append(deviation))
    x, y = digits()
    _, spent = LINEAR.fit(x, y, 10, epsilon=3.0, delta=1e-4, seed=0, noise=source(1), device="cpu")
    assert drawn == [spent.noise_multiplier * LINEAR.clip] * spent.steps


@pytest.mark.parametrize("n", [20, 40])
def test_the_sum_is_divided_by_the_expected_lot_size(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """n equal records, all drawn, expected lot 10: the bias moves by n/10 clipped gradients, not by their mean.

    With inputs (1, 1, 1) the gradient is (g, g, g, g) for g = (-t, t): clipped to norm c, its bias part is c / sqrt(8).
    """
    noise_off(monkeypatch, steps=1, rate=1.0)
    x, y = np.ones((n, 3), np.float32), np.zeros(n, np.int64)
    model, _ = replace(LINEAR, lot=10, learning_rate=1.0, clip=0.01).fit(
        x, y, 2, epsilon=1.0, delta=1e-5, seed=0, noise=source(0), device="cpu"
    )
    step = n / 10 * 0.01 / np.sqrt(8)
    np.testing.assert_allclose(model.layers["0.bias"], [step, -step], rtol=2e-5)


def test_momentum_accumulates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constant gradient g: after two steps the model moved by (1 + (1 + m)) g."""
    noise_off(monkeypatch, steps=2, rate=1.0)
    monkeypatch.setattr(descent, "clipped_sum", lambda model, *_: [torch.ones_like(p) for p in model.parameters()])
    x, y = np.zeros((10, 2), np.float32), np.zeros(10, np.int64)
    model, _ = replace(LINEAR, lot=1, learning_rate=1.0, momentum=0.5).fit(
        x, y, 2, epsilon=1.0, delta=1e-5, seed=0, noise=source(0), device="cpu"
    )
    np.testing.assert_allclose(model.layers["0.bias"], -2.5, rtol=1e-6)


def test_empty_lots_are_steps_like_any_other() -> None:
    x, y = digits()
    settings = replace(LINEAR, lot=1, epochs=2.0)
    model, spent = settings.fit(x[:20], y[:20], 10, epsilon=2.0, delta=1e-3, seed=0, noise=source(0), device="cpu")
    assert spent.steps == 40
    assert np.isfinite(model.scores(x)).all()
