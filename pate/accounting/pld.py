"""Privacy loss distributions on a grid, and their composition (Sommer et al. 2019; Koskela et al. 2020).

A distribution is kept as masses of the privacy loss at whole multiples of `step`, from -reach to reach, and dominates
the mechanism it stands for: its hockey-stick curve lies on or above the true one everywhere. What an FFT could get
wrong (mass beyond the window, rounding) is bounded and added to delta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

_TAIL = 1e-6  # of delta: what may lie beyond the window, on either side
_ROUNDING = 1e-16  # of one entry of the window, for each factor of the product
_ROWS = 64  # spectra computed at once
_LARGEST = 2**22  # entries of the window


@dataclass(frozen=True)
class Losses:
    """Some distributions on the same grid: masses (rows, 2 reach + 1) and the mass at infinity of each."""

    step: float
    masses: np.ndarray
    infinite: np.ndarray

    @classmethod
    def join(cls, parts: list[Losses]) -> Losses:
        """All rows of several, one after the other."""
        masses, infinite = (np.concatenate([getattr(one, name) for one in parts]) for name in ("masses", "infinite"))
        return cls(parts[0].step, masses, infinite)

    @property
    def values(self) -> np.ndarray:
        reach = self.masses.shape[1] // 2
        return self.step * np.arange(-reach, reach + 1)


def connect_the_dots(upper: np.ndarray, lower: np.ndarray, step: float) -> Losses:
    """The distribution whose hockey-stick curve is the polygon through given values (Doroshenko et al. 2022).

    As a function of t = exp(epsilon) a hockey-stick curve is convex, so the polygon through its values on the grid lies
    above it. Its slope grows by the mass of the other world at each point, which times t is the mass we keep.
    `upper` is the curve at steps 1..reach, `lower` its excess over 1 - t at steps -reach..0 (last axis): in this form
    small values keep their digits on both sides of zero.
    """
    reach = upper.shape[-1]
    t = np.exp(step * np.arange(-reach, reach + 1))
    width = np.diff(t)
    left = np.concatenate([lower[..., :1] / t[0], np.diff(lower, axis=-1) / width[:reach]], axis=-1)  # slope + 1
    right = np.concatenate(
        [
            (upper[..., :1] - lower[..., -1:]) / width[reach],
            np.diff(upper, axis=-1) / width[reach + 1 :],
            np.zeros_like(upper[..., :1]),
        ],
        axis=-1,
    )
    at_zero = right[..., :1] + 1 - left[..., -1:]
    other = np.concatenate([np.diff(left, axis=-1), at_zero, np.diff(right, axis=-1)], axis=-1)
    masses = np.maximum(t * other, 0)
    return Losses(step, masses, np.maximum(upper[..., -1], 1 - masses.sum(axis=-1)))


@dataclass(frozen=True)
class Composed:
    """The loss of a whole composition: masses at first, first + step, ..., and what has to be added to delta."""

    first: float
    step: float
    masses: np.ndarray
    excess: float

    def delta(self, epsilon: float) -> float:
        """The hockey-stick divergence at epsilon, never below the true one."""
        loss = self.first + self.step * np.arange(len(self.masses))
        above = loss > epsilon
        return min(1.0, float(self.excess + self.masses[above] @ -np.expm1(epsilon - loss[above])))

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 with delta(epsilon) <= delta; infinite where there is none."""
        if self.delta(0.0) <= delta:
            return 0.0
        if self.excess > delta:
            return float("inf")
        loss = self.first + self.step * np.arange(len(self.masses))
        low, high = -1, len(loss) - 1  # the first grid point whose delta is small enough: the last one's is
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.delta(loss[middle]) <= delta else (middle, high)
        # Below that point, down to the one before, delta(epsilon) = excess + a - exp(epsilon - loss) b: solve it.
        a = self.masses[high:].sum()
        b = self.masses[high:] @ np.exp(loss[high] - loss[high:])
        solved = loss[high] + np.log((self.excess + a - delta) / b) if b > 0 else loss[high]
        return float(max(0.0, solved)) if np.isfinite(solved) else float("inf")


def compose(losses: Losses, times: np.ndarray, delta: float) -> list[Composed]:
    """Compositions of the rows of `losses`: one for each row of `times`, which says how often each is used.

    The window holds all but _TAIL of delta on either side by Chernoff's bound. What lies above it would come out of the
    FFT at its lower end, on the optimistic side: that mass is added to delta. What lies below comes out at the top,
    which is pessimistic.
    """
    times = np.atleast_2d(times)
    reach, rows = losses.masses.shape[1] // 2, np.flatnonzero(times.any(axis=0))
    masses, times = losses.masses[rows], times[:, rows]
    low, high = _window(masses, losses.values, times, _TAIL * delta)
    first = int(np.floor(low.min() / losses.step))
    size = next_fast_len(max(int(np.ceil(high.max() / losses.step)) - first + 1, 2 * reach + 1), real=True)
    if size > _LARGEST:
        raise ValueError(f"step {losses.step:g} is too fine: the composition needs {size} points")
    spectrum = _one_product(masses, times[0], size) if len(times) == 1 else _products(masses, times, size)
    composed = np.maximum(irfft(spectrum, size, axis=1), 0)
    total = times.sum(axis=1)
    shift = (first + total.astype(int) * reach) % size  # where the window starts in the circle
    rounding = _ROUNDING * size * np.maximum(total, 64)
    excess = times @ losses.infinite[rows] + _TAIL * delta + rounding
    return [
        Composed(first * losses.step, losses.step, np.roll(row, -int(move)), float(more))
        for row, move, more in zip(composed, shift, excess, strict=True)
    ]


def _one_product(masses: np.ndarray, times: np.ndarray, size: int) -> np.ndarray:
    """The spectrum of one composition: rows used equally often are multiplied first, then raised to that power."""
    product = np.ones(size // 2 + 1, dtype=complex)
    for often in np.unique(times):
        rows = masses[times == often]
        once = np.ones_like(product)
        for start in range(0, len(rows), _ROWS):
            once *= np.multiply.reduce(rfft(rows[start : start + _ROWS], size, axis=1), axis=0)
        product *= once ** int(often)
    return product[None]


def _products(masses: np.ndarray, times: np.ndarray, size: int) -> np.ndarray:
    """The spectra of many compositions of the same rows: products of powers are matrix products of logarithms."""
    logarithm, angle = np.zeros((2, len(times), size // 2 + 1))
    for start in range(0, len(masses), _ROWS):
        spectra = rfft(masses[start : start + _ROWS], size, axis=1)
        uses = times[:, start : start + _ROWS]
        logarithm += uses @ np.log(np.maximum(np.abs(spectra), 1e-300))
        angle += uses @ np.angle(spectra)
    return np.exp(logarithm + 1j * angle)


def _window(masses: np.ndarray, values: np.ndarray, times: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Between which losses all but `tail` of each composition lies, on either side."""
    largest = np.abs(values).max()
    rates = np.geomspace(1e-3, 500, 120) / largest
    ends = []
    for sign in (-1, 1):
        log_moments = np.stack([_log_moment(masses, sign * rate * values) for rate in rates], axis=1)
        ends.append(sign * ((times @ log_moments - np.log(tail)) / rates).min(axis=1))
    limit = times.sum(axis=1) * largest
    return np.maximum(ends[0], -limit), np.minimum(ends[1], limit)


def _log_moment(masses: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Never below the true one, and a number also where all of a row's mass is at infinity."""
    top = exponent.max()
    return np.log(np.maximum(masses @ np.exp(exponent - top), 1e-300)) + top
