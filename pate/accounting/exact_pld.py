"""The exact privacy loss of one answer: hockey-stick curves of all neighbours, and the curve above them all.

For each neighbour the curve is sum_j (P_j - exp(epsilon) P'_j)_+; the largest over neighbours, for every real epsilon,
is what one answer can lose, and composes (Zhu, Dong & Wang 2022: dominating pairs).
"""

from __future__ import annotations

import numpy as np

from pate.accounting.exact_rdp import RARE
from pate.accounting.law import Laws
from pate.accounting.pld import Losses, connect_the_dots
from pate.accounting.quadrature import SLACK


def losses(laws: Laws, step: float, reach: int, by_origin: bool = False) -> list[Losses]:
    """Per direction (D||D', D'||D): one distribution for each histogram.

    `by_origin`: one for each histogram and each of its distinct counts, from which the vote is taken.
    """
    groups = laws.distinct.shape[1] if by_origin else 1
    ours = np.where(laws.p > RARE, laws.weight * laws.p, 0.0)
    theirs = np.where(laws.other > RARE, laws.weight * laws.other, 0.0)
    return [
        _directed(ours, theirs, laws.logratio, step, reach, groups),
        _directed(theirs, ours, -laws.logratio, step, reach, groups),
    ]


def _directed(p: np.ndarray, q: np.ndarray, loss: np.ndarray, step: float, reach: int, groups: int) -> Losses:
    size, neighbours, _ = p.shape
    # Outcomes by the grid interval their loss falls in; interval i is [i, i + 1) steps.
    with np.errstate(invalid="ignore"):
        interval = np.floor(loss / step)
    interval = np.clip(np.nan_to_num(interval), -reach - 1, reach).astype(int) + reach + 1
    points = 2 * reach + 2
    place = (np.arange(size * neighbours).reshape(size, neighbours, 1) * points + interval).ravel()
    total = size * neighbours * points
    p_in, q_in = (
        np.bincount(place, weights=mass.ravel(), minlength=total).reshape(size, groups, neighbours // groups, points)
        for mass in (p, q)
    )
    t = np.exp(step * np.arange(-reach, reach + 1))
    above = slice(reach + 1, None)  # intervals 0..reach, for the curve at points 1..reach
    p_above, q_above = (_suffix(mass[..., above])[..., 1:] for mass in (p_in, q_in))
    upper = np.maximum(p_above - t[reach + 1 :] * q_above, 0).max(axis=2)
    p_below, q_below = (np.cumsum(mass[..., : reach + 1], axis=-1) for mass in (p_in, q_in))
    lower = np.maximum(t[: reach + 1] * q_below - p_below, 0).max(axis=2)
    found = connect_the_dots(upper, lower, step)
    error = 2 * SLACK  # in every point of the curve: of the P_j that count, and of the smaller exp(epsilon) P'_j
    return Losses(step, found.masses.reshape(-1, 2 * reach + 1), found.infinite.reshape(-1) + error)


def _suffix(mass: np.ndarray) -> np.ndarray:
    return np.cumsum(mass[..., ::-1], axis=-1)[..., ::-1]
