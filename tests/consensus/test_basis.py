"""A basis is known by its kind."""

import numpy as np
import pytest

from pate.consensus.basis import Basis


def test_an_unknown_kind_says_what_to_do():
    with pytest.raises(ValueError, match="install the package"):
        Basis.join({}, {"kind": "no such"})


@pytest.mark.parametrize("ask", [lambda one: one.components, lambda one: one.read(np.zeros((1, 2)))])
def test_whoever_says_nothing_claims_nothing(ask):
    with pytest.raises(TypeError, match="Basis does not"):
        ask(Basis())
