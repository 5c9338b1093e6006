"""DP-SGD learns, repeats itself when asked, says what it spent, and refuses what cannot work."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pate.dpsgd import descent
from pate.dpsgd.calibrate import epsilon as cost
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError
from pate.noise import Noise, source

LINEAR = DPSGD(
    epsilon="pate", lot=64, epochs=10, learning_rate=1.0, clip=1.0, momentum=0.9, hidden=[], activation="none"
)


def digits() -> tuple[np.ndarray, np.ndarray]:
    x, y = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), y.astype(np.int64)


@pytest.mark.parametrize("hidden", [[], [16]])
def test_same_seed_and_same_noise_same_model(hidden: list[int]) -> None:
    x, y = digits()

    def weights(seed: int, noise: Noise) -> np.ndarray:
        settings = replace(LINEAR, hidden=hidden, activation="tanh", epochs=2)
        model, _ = settings.fit(x, y, 10, epsilon=2.0, delta=1e-4, seed=seed, noise=noise, device="cpu")
        return np.concatenate([layer.ravel() for layer in model.layers.values()])

    before = torch.random.get_rng_state()
    reference = weights(0, source(5))
    assert (weights(0, source(5)) == reference).all()
    assert (weights(1, source(5)) != reference).any()
    assert (weights(0, source(6)) != reference).any()
    assert (weights(0, source(None)) != reference).any()
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(("hidden", "least"), [([], 0.75), ([32], 0.75)])
def test_learns_digits(hidden: list[int], least: float) -> None:
    x, y = digits()
    settings = replace(LINEAR, hidden=hidden, activation="tanh", lot=256, epochs=20)
    model, _ = settings.fit(x[:1200], y[:1200], 10, epsilon=8.0, delta=1e-4, seed=0, noise=source(0), device="cpu")
    assert (model.predict(x[1200:]) == y[1200:]).mean() > least
    assert model.activation == ("tanh" if hidden else "none")


def test_what_is_spent_is_what_was_asked_and_says_under_which_relation() -> None:
    x, y = digits()
    _, spent = LINEAR.fit(x[:640], y[:640], 10, epsilon=2.0, delta=1e-4, seed=0, noise=source(0), device="cpu")
    assert (spent.sampling_rate, spent.steps, spent.delta) == (0.1, 100, 1e-4)
    assert spent.relation == "replaced-by-nothing"
    assert 1.99 < spent.epsilon <= 2.0
    assert spent.epsilon == cost(spent.noise_multiplier, 0.1, 100, 1e-4, "replaced-by-nothing")
    assert spent.epsilon_replace_one == cost(spent.noise_multiplier, 0.1, 100, 1e-4, "replace-one") > 2.0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lot": 0}, "lot=0"),
        ({"lot": 12.5}, "lot=12.5"),
        ({"epochs": "many"}, "epochs=many"),
        ({"epochs": 0.0}, "epochs"),
        ({"learning_rate": float("nan")}, "learning_rate=nan"),
        ({"clip": -1.0}, "clip"),
        ({"momentum": 1.0}, "momentum"),
        ({"hidden": [0], "activation": "tanh"}, "hidden"),
        ({"hidden": [4], "activation": "none"}, "tanh or relu"),
    ],
)
def test_impossible_settings_are_refused(change: dict, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        replace(LINEAR, **change)


def broken(x: np.ndarray, value: float) -> np.ndarray:
    x = x.copy()
    x[3, 2] = value
    return x


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda x, y: (x[:50], y[:50]), "at most 50"),
        (lambda x, y: (broken(x, np.nan), y), "NaN"),
        (lambda x, y: (broken(x, np.inf), y), "NaN"),
        (lambda x, y: (x, y + 1), "outside 0..9"),
        (lambda x, y: (x, y - 1), "outside 0..9"),
        (lambda x, y: (x, y[:-1]), "shape"),
        (lambda x, y: (x.reshape(-1, 8, 8), y), "shape"),
        (lambda x, y: (x[:0], y[:0]), "only 0"),
    ],
)
def test_unusable_data_is_refused_before_any_gradient(spoil, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "clipped_sum", lambda *_: pytest.fail("a gradient was computed"))
    x, y = spoil(*digits())
    with pytest.raises(ConfigError, match=says):
        LINEAR.fit(x, y, 10, epsilon=1.0, delta=1e-5, seed=0, noise=source(0), device="cpu")


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan")])
def test_an_impossible_budget_is_refused(epsilon: float) -> None:
    x, y = digits()
    with pytest.raises(ConfigError, match="epsilon"):
        LINEAR.fit(x, y, 10, epsilon=epsilon, delta=1e-5, seed=0, noise=source(0), device="cpu")


def test_choosing_dpsgd_does_not_load_torch() -> None:
    """The command line reads this class to check a configuration, and must start quickly."""
    slow = "{'torch', 'dp_accounting', 'opendp', 'scipy'}"
    code = f"import sys, pate.dpsgd.train; sys.exit(sorted({slow} & set(sys.modules)) or 0)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
