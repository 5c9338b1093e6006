"""Principal components of the private records, paid for: Abadi et al. 2016, section 4, and Dwork et al. 2014."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pate.errors import ConfigError
from pate.noise import Noise

_MARGIN = 1e-6  # rows are brought to a little less than norm 1: what rounding may add
_ROWS = 4096


def private_components(
    x: NDArray[np.float32], count: int, noise_multiplier: float, noise: Noise
) -> NDArray[np.float32]:
    """The `count` first directions (features x count) of the noisy second moments of the rows, each of norm 1.

    Taking a record u u^T, |u| <= 1, away moves the matrix by at most 1 (Frobenius), and so its upper triangle: Gaussian
    noise of deviation `noise_multiplier` there is a Gaussian mechanism on all records; the rest is post-processing.
    """
    width = x.shape[1]
    if count > width:
        raise ConfigError(f"dpsgd.pca={count}: the records have only {width} features")
    moments = np.zeros((width, width))
    with threadpool_limits(1, user_api="blas"):  # the same directions on any number of cores
        for start in range(0, len(x), _ROWS):
            unit = _unit(x[start : start + _ROWS])
            moments += unit.T @ unit
        upper = np.triu_indices(width)
        moments[upper] += noise.gaussian(len(upper[0]), noise_multiplier)
        moments = np.triu(moments) + np.triu(moments, 1).T
        _, directions = np.linalg.eigh(moments)
    return directions[:, : -count - 1 : -1].astype(np.float32)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows of norm 1, in double precision; a row that is not finite counts as nothing."""
    wide = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0).astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide * ((1 - _MARGIN) / np.maximum(norms, 1e-300))
