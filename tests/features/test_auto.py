"""features=auto: what an input looks like says which features suit it."""

import numpy as np
import pytest

from pate.data.outline import Outline
from pate.features.auto import Auto
from pate.features.identity import Identity
from pate.features.pca import PCA
from pate.features.scattering import Scattering

FROZEN = {}


@pytest.mark.parametrize(
    ("shape", "public", "expected"),
    [
        ((28, 28), 9000, Scattering()),
        ((16, 16), 1000, Scattering()),
        ((28, 28), 400, Scattering(components=100)),
        ((32, 32, 3), 9000, Scattering(patches=200)),
        ((32, 32, 1), 9000, Scattering()),
        ((8, 8), 397, Identity()),
        ((256,), 900, Identity()),
        ((2000,), 900, PCA(100)),
        ((2000,), 200, PCA(50)),
        (None, 900, Identity()),
        ((28, 28), 0, Identity()),  # there is nothing to fit an encoder on
    ],
)
def test_what_suits_an_input(shape, public, expected):
    found, why = Auto().suited(Outline(shape, 1000, public, 10))
    assert found == expected
    assert str(Outline(shape, 1000, public, 10)) in why


@pytest.mark.parametrize("shape", [(16, 16), (17, 30), (16, 16, 3), (600,)])
def test_what_suits_can_be_fitted_on_so_few_public_inputs(shape):
    chosen, _ = Auto().suited(Outline(shape, 100, 60, 2))
    public = np.random.default_rng(0).random((60, *shape), dtype=np.float32)
    assert len(chosen.fit(public).transform(public)) == 60
