"""Discrete noise by definition, and the places where its laws are asked for."""

import math
from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from pate.accounting.three_outcomes_discrete import DiscreteGaussian

# On the lattice of the certificate's boxes: adding whole votes there is exact, and finds the right cell.
places = st.floats(-400, 400).map(lambda x: round(x * 2**30) / 2**30)


@lru_cache
def masses(noise):
    """Pr[k] for k = -reach..reach, and their running sums from either end; by definition."""
    reach = int((30 if isinstance(noise, DiscreteGaussian) else 50) * noise.scale) + 30
    k = np.arange(-reach, reach + 1)
    if isinstance(noise, DiscreteGaussian):
        law = np.exp(-((k / noise.sigma) ** 2) / 2)
    else:
        law = np.exp(-noise.gamma * np.abs(k))
    law /= math.fsum(law)
    return reach, k, law, np.cumsum(law), np.cumsum(law[::-1])[::-1]
