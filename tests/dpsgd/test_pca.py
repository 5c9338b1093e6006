"""Principal components of private records: the right directions, at the price that is charged."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_digits

from pate.dpsgd import pca
from pate.dpsgd.pca import private_components
from pate.errors import ConfigError
from pate.noise import source

X = (load_digits().data / 16).astype(np.float32)


def released(x: np.ndarray, monkeypatch: pytest.MonkeyPatch, noise_multiplier: float = 1e-9) -> np.ndarray:
    """The noisy matrix itself, as it leaves the mechanism."""
    seen = []
    real = np.linalg.eigh
    monkeypatch.setattr(pca.np.linalg, "eigh", lambda matrix: seen.append(matrix) or real(matrix))
    private_components(x, 2, noise_multiplier, source(None))
    return seen[0]


def test_with_little_noise_they_are_those_of_the_unit_rows() -> None:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    _, _, exact = np.linalg.svd(unit, full_matrices=False)
    got = private_components(X, 5, 1e-6, source(0))
    np.testing.assert_allclose(np.abs((got * exact[:5].T).sum(axis=0)), 1.0, atol=1e-4)
    np.testing.assert_allclose(got.T @ got, np.eye(5), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_one_record_moves_the_matrix_by_at_most_one(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with_it, without = X[:50].copy(), X[:50].copy()
    with_it[7] *= scale
    without[7] = 0
    moved = released(with_it, monkeypatch) - released(without, monkeypatch)
    assert 0.99 < np.linalg.norm(moved) <= 1.0
    assert np.linalg.norm(np.triu(moved)) <= 1.0


def test_noise_of_the_asked_deviation_stands_in_the_upper_triangle(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = released(np.zeros((3, 150), np.float32), monkeypatch, 7.0)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert stats.kstest(matrix[np.triu_indices(150)], stats.norm(scale=7.0).cdf).pvalue > 1e-6


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_broken_record_counts_as_nothing(poison: float, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, absent = X[:20].copy(), X[:20].copy()
    broken[3, 5], absent[3] = poison, 0
    np.testing.assert_allclose(released(broken, monkeypatch), released(absent, monkeypatch), atol=1e-7)


def test_more_components_than_features_are_refused() -> None:
    with pytest.raises(ConfigError, match="only 64 features"):
        private_components(X, 65, 1.0, source(0))
