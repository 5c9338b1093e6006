"""The scattering transform without a Fourier transform."""

import math

import numpy as np


def in_space(image: np.ndarray, scales: int, angles: int) -> np.ndarray:
    """One image's coefficients without a Fourier transform: sampled filters, every convolution at full resolution."""
    unit = 2**scales
    grid = [(side // unit + 2) * unit for side in image.shape]
    rows, columns = (
        [mirror(i - (n - side) // 2, side) for i in range(n)] for n, side in zip(grid, image.shape, strict=True)
    )
    x = image[np.ix_(rows, columns)].astype(float)
    phi = sampled(grid, 0.8 * 2 ** (scales - 1), 0, 0, 1)[None].real
    psi = [np.stack([morlet(grid, j, turn, angles) for turn in range(angles)]) for j in range(scales)]

    def average(u: np.ndarray, level: int) -> np.ndarray:
        step = 2 ** (scales - level)
        return convolve(u, band_limited(phi, level))[0].real[step:-step:step, step:-step:step]

    first, second = [], []
    for j1 in range(scales):
        for u1 in np.abs(convolve(x, psi[j1])[:, :: 2**j1, :: 2**j1]):
            first.append(average(u1, j1))
            for j2 in range(j1 + 1, scales):
                step = 2 ** (j2 - j1)
                u2 = np.abs(convolve(u1, band_limited(psi[j2], j1))[:, ::step, ::step])
                second.extend(average(u, j2) for u in u2)
    return np.stack([average(x, 0), *first, *second])


def mirror(i: int, n: int) -> int:
    while not 0 <= i < n:
        i = -i if i < 0 else 2 * (n - 1) - i
    return i


def sampled(grid: list[int], sigma: float, xi: float, theta: float, slant: float) -> np.ndarray:
    """A wave under an elliptic Gaussian of integral 1, wrapped round the grid."""
    wraps = math.ceil(8 * sigma / min(slant, 1) / min(grid))
    a, b = (np.arange(-wraps * n, wraps * n) for n in grid)
    along = math.cos(theta) * a[:, None] + math.sin(theta) * b
    across = math.cos(theta) * b - math.sin(theta) * a[:, None]
    wave = np.exp(-(along**2 + slant**2 * across**2) / (2 * sigma**2) + 1j * xi * along)
    wrapped = wave.reshape(2 * wraps, grid[0], 2 * wraps, grid[1]).sum(axis=(0, 2))
    return wrapped * slant / (2 * math.pi * sigma**2)


def morlet(grid: list[int], j: int, turn: int, angles: int) -> np.ndarray:
    theta = (max(angles // 2 - 1, 0) - turn) * math.pi / angles
    wave, still = (sampled(grid, 0.8 * 2**j, xi, theta, 4 / angles) for xi in (0.75 * math.pi / 2**j, 0))
    return wave - wave.sum() / still.sum() * still


def convolve(x: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """Circularly, term by term: filters x H x W."""
    h, w = x.shape
    windows = np.lib.stride_tricks.sliding_window_view(np.tile(x[::-1, ::-1], (2, 2)), (h, w))
    turned = windows[h - 1 :: -1, w - 1 :: -1].reshape(h * w, h * w)  # row (i, j), column (a, b): x[i - a, j - b]
    taps = filters.reshape(-1, h * w)
    return (taps.real @ turned.T + 1j * (taps.imag @ turned.T)).reshape(-1, h, w)


def band_limited(filters: np.ndarray, level: int) -> np.ndarray:
    """Without the frequencies that the grid at `level` lacks (a convolution with waves of all others), on that grid."""
    step = 2**level
    for axis in (1, 2):
        n = filters.shape[axis]
        distance = step * np.arange(n // step)[:, None] - np.arange(n)
        kept = np.arange(-(n // step // 2), n // step // 2)
        kernel = np.exp(2j * math.pi * kept * distance[..., None] / n).sum(axis=-1) * step / n
        filters = np.moveaxis(np.tensordot(kernel, filters, axes=(1, axis)), 0, axis)
    return filters
