"""How loud the answers can be at most, beside the noise: told by public inputs alone.

The mean answer in direction j of the second moments is z_j = mean of (v_j' phi) (e_y - 1/K), one number a class. With
w_j the mean of (v_j' phi)^2, |z_j|^2 <= w_j (1 - 1/K) (Cauchy-Schwarz: |e_y - 1/K|^2 is 1 - 1/K). Over all directions
the functions v_j' phi / sqrt(w_j) are orthonormal, so that sum_j |z_j|^2 / w_j <= 1 - 1/K too (Bessel), and no more
than w_1 (1 - 1/K) is ever heard in all. Noise of deviation s on every entry of the sum over n records is (K - 1) s^2 /
n^2 in each direction, once answers are known to sum to zero over classes.

Both are bounds, reached where a class is a direction. w_j is taken from public inputs in the place of private ones: it
holds as far as they stand for them. Clipping a group's answer makes it shorter, never longer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.consensus.moments import second_moments


@dataclass(frozen=True)
class Loudness:
    """Of so many directions `heard` could be louder than their noise; in all the signal is at most `signal_to_noise`
    times the noise of all directions (squares)."""

    heard: int
    signal_to_noise: float


def loudness(places: np.ndarray, classes: int, noise: float, records: int) -> Loudness:
    """Of public inputs that stand at these places, as records would; `noise` is an entry's deviation in answers."""
    strongest = second_moments(places)[0] * (1 - 1 / classes)
    floor = (classes - 1) * (noise / records) ** 2
    return Loudness(int((strongest > floor).sum()), float(strongest.max() / (len(strongest) * floor)))
