"""Noise on quadrature nodes, within what was checked in high-precision arithmetic: beyond, nothing exact is offered.

`noise` is `discrete` or `continuous`.
"""

from __future__ import annotations

from pate.accounting import quadrature
from pate.accounting.law import OutOfRange
from pate.accounting.quadrature import Grid

_LARGEST_GAMMA = 3.0
_SMALLEST_SIGMA = 0.5
_LARGEST_DISCRETE_SIGMA = 1e4  # beyond, tables of the discrete Gaussian fill the memory
_STEEPEST = 500.0  # logarithm of the largest factor one vote changes a tail probability by


def laplace(gamma: float, noise: str, teachers: int, classes: int) -> Grid:
    """Laplace noise of scale 1/gamma; OutOfRange where that is not precise."""
    if gamma > _LARGEST_GAMMA:
        raise OutOfRange(f"gamma above {_LARGEST_GAMMA:g}")
    grid = quadrature.laplace if noise == "continuous" else quadrature.discrete_laplace
    return grid(gamma, teachers, classes)


def gaussian(sigma: float, noise: str, teachers: int, classes: int) -> Grid:
    """Gaussian noise; OutOfRange where that is not precise."""
    if sigma < _SMALLEST_SIGMA or (teachers + 12 * sigma) / sigma**2 > _STEEPEST:
        raise OutOfRange("sigma too small for so many teachers")
    if noise == "continuous":
        return quadrature.gaussian(sigma, teachers, classes)
    if sigma > _LARGEST_DISCRETE_SIGMA:
        raise OutOfRange(f"sigma above {_LARGEST_DISCRETE_SIGMA:g}")
    return quadrature.discrete_gaussian(sigma, teachers, classes)
