"""Exact prices against the expected values."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.exact import Ensemble, exact
from pate.accounting.quadrature import discrete_laplace, gaussian, laplace

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"].astype(int)
GRIDS = {"laplace": laplace(0.05, 250, 10), "gaussian": gaussian(40.0, 250, 10)}


@pytest.mark.parametrize(
    ("noise", "k", "rdp", "pld"),
    [
        ("laplace", 100, 0.575, 0.549),
        ("laplace", 500, 1.425, 1.458),
        ("laplace", 1000, 2.183, 2.268),
        ("gaussian", 100, 0.458, 0.454),
        ("gaussian", 500, 1.122, 1.191),
        ("gaussian", 1000, 1.646, 1.775),
    ],
)
def test_expected_values(noise, k, rdp, pld):
    found = exact(Ensemble.of(VOTES[:k]), GRIDS[noise], [1e-5])[0]
    assert max(found.rdp) == pytest.approx(rdp, abs=0.002)
    assert max(found.pld) == pytest.approx(pld, abs=0.002)


def test_discrete_noise_costs_the_same():
    found = exact(Ensemble.of(VOTES[:1000]), discrete_laplace(0.05, 250, 10), [1e-5])[0]
    assert max(found.rdp) == pytest.approx(2.1834, abs=0.0005)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=3, max_size=3).filter(any), st.randoms())
def test_permuting_classes_changes_nothing(counts, random):
    shuffled = counts.copy()
    random.shuffle(shuffled)
    one, two = (
        exact(Ensemble.of(np.array([c] * 3)), laplace(0.2, sum(counts), 3), [1e-5])[0] for c in (counts, shuffled)
    )
    assert one == two
