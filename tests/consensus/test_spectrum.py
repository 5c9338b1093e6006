"""The bounds hold for every labelling, and are reached where a class is a direction."""

import numpy as np
import pytest

from pate.consensus.answers import unit_length
from pate.consensus.spectrum import loudness


@pytest.mark.parametrize("seed", range(20))
def test_no_labelling_is_louder(seed):
    """Brute force: labels that follow the strongest directions as well as they can, and labels by chance."""
    rng = np.random.default_rng(seed)
    classes, records, noise = int(rng.integers(2, 6)), 300, 2.0
    phi = unit_length(rng.normal(size=(records, 5)) * np.geomspace(4, 0.2, 5))
    v = np.linalg.eigh(phi.T @ phi / records)[1]
    floor = (classes - 1) * (noise / records) ** 2
    found = loudness(phi, classes, noise, records)
    for y in (rng.integers(classes, size=records), np.digitize(phi @ v[:, -1], np.linspace(-0.9, 0.9, classes - 1))):
        z = v.T @ (phi.T @ (np.eye(classes)[y] - 1 / classes)) / records
        power = (z**2).sum(axis=1)
        assert (power > floor).sum() <= found.heard
        assert power.sum() / (5 * floor) <= found.signal_to_noise * (1 + 1e-9)


def test_it_is_reached_where_a_class_is_a_direction():
    """Two classes, at 1 and -1: z is half a vote either way, |z|^2 = 1/2, beside noise of s^2 / n^2."""
    phi = np.repeat([[1.0], [-1.0]], 50, axis=0)
    y = np.repeat([0, 1], 50)
    z = phi.T @ (np.eye(2)[y] - 0.5) / 100
    found = loudness(phi, 2, noise=10.0, records=100)
    assert found.signal_to_noise == pytest.approx((z**2).sum() / 0.01) == pytest.approx(50)


def test_only_what_is_above_the_noise_is_heard():
    """Second moments 0.9 and 0.1, of three classes: 0.6 and 0.0667 beside 2 s^2 / n^2."""
    phi = np.repeat(np.eye(2), [90, 10], axis=0)
    for noise, heard in ((1.0, 2), (20.0, 1), (60.0, 0)):
        assert loudness(phi, 3, noise, 100).heard == heard
