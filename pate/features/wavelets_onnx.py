"""The scattering transform as ONNX operators: Fourier transforms are products with small matrices.

Runtimes differ in how, and whether, they do fast Fourier transforms, and on grids of a few dozen samples a product is
as fast. A complex map is a real one with an axis of two, its real and its imaginary part. What a wavelet filters is
subsampled by leaving rows out of the matrix that leads back.
"""

from __future__ import annotations

import math

import numpy as np

from pate.features.wavelets import _bank, scattering_shape
from pate.models.onnx import OnnxGraph


def scattering(graph: OnnxGraph, planes: str, shape: tuple[int, int, int], scales: int, angles: int) -> str:
    """Coefficients (n x channels x h x w) of planes (n x colours x H x W) in [0, 1]: those of `features.wavelets`."""
    height, width, colours = shape
    channels, h, w = scattering_shape((height, width, colours), scales, angles)
    bank = _bank(height, width, scales, angles)
    image = graph("Reshape", planes, [-1, 1, height, width])
    for axis, (side, border) in enumerate(zip((height, width), bank.border, strict=True), start=2):
        image = graph("Gather", image, np.pad(np.arange(side), border, mode="reflect"), axis=axis)
    grid = [side + sum(border) for side, border in zip((height, width), bank.border, strict=True)]

    def average(maps: str, level: int) -> str:
        rows, columns = bank.rows[level].numpy(), bank.columns[level].numpy()
        return graph("MatMul", graph("MatMul", rows, maps), np.ascontiguousarray(columns.T))

    def moduli(maps: str, level: int, scale: int) -> str:
        """Each map at `level` convolved with each wavelet, subsampled, without its phase (n x maps x angles x ...)."""
        here, there = [side >> level for side in grid], [side >> scale for side in grid]
        parts = bank.wavelets[level, scale].numpy()[..., ::2]
        spectra = parts.reshape(angles, 1, *here) * np.float32(parts.shape[1] * parts.shape[3])
        return _back(graph, graph("Mul", _spectrum(graph, maps, here), spectra), here, there)

    first, second = [], []
    for fine in range(scales):
        inner = graph("Squeeze", moduli(image, 0, fine), [1])
        first.append(average(inner, fine))
        if pairs := [average(moduli(inner, fine, coarse), coarse) for coarse in range(fine + 1, scales)]:
            together = graph("Concat", *pairs, axis=2)  # by angle of the finer wavelet first, as the encoder has them
            second.append(graph("Reshape", together, [-1, angles * angles * len(pairs), h, w]))
    whole = graph("Concat", average(image, 0), *first, *second, axis=1)
    return graph("Reshape", whole, [-1, channels, h, w])


def _spectrum(graph: OnnxGraph, maps: str, grid: list[int]) -> str:
    """The Fourier transform of real maps (n x maps x H x W), as n x maps x 1 x 2 x H x W."""
    (rows_real, rows_imaginary), columns = _waves(grid[0], grid[0], -1), np.hstack(_waves(grid[1], grid[1], -1))
    half = graph("MatMul", maps, columns)  # H x (real W, imaginary W)
    half = graph("Transpose", graph("Reshape", half, [0, 0, grid[0], 2, grid[1]]), perm=[0, 1, 3, 2, 4])
    half = graph("Reshape", half, [0, 0, 2 * grid[0], grid[1]])
    turned = np.block([[rows_real, -rows_imaginary], [rows_imaginary, rows_real]])
    return graph("Reshape", graph("MatMul", turned, half), [0, 0, 1, 2, *grid])


def _back(graph: OnnxGraph, spectra: str, grid: list[int], kept: list[int]) -> str:
    """Absolute values of the inverse transform of n x maps x angles x 2 x H x W at each of the samples kept."""
    real, imaginary = _waves(kept[0], grid[0], 1)
    tall = graph("Reshape", spectra, [0, 0, 0, 2 * grid[0], grid[1]])
    half = graph("MatMul", np.block([[real, -imaginary], [imaginary, real]]) / np.float32(math.prod(grid)), tall)
    half = graph("Transpose", graph("Reshape", half, [0, 0, 0, 2, kept[0], grid[1]]), perm=[0, 1, 2, 4, 3, 5])
    half = graph("Reshape", half, [0, 0, 0, kept[0], 2 * grid[1]])
    real, imaginary = (one.T for one in _waves(kept[1], grid[1], 1))
    whole = graph("MatMul", half, np.block([[real, imaginary], [-imaginary, real]]))
    return graph("ReduceL2", graph("Reshape", whole, [0, 0, 0, kept[0], 2, kept[1]]), [4], keepdims=0)


def _waves(samples: int, frequencies: int, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of sign 2 pi k y / frequencies (samples x frequencies), at `samples` evenly spaced y of the grid."""
    y = np.arange(samples)[:, None] * (frequencies // samples)
    angle = sign * 2 * math.pi * ((y * np.arange(frequencies)) % frequencies) / frequencies
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
