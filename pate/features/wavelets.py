"""The scattering transform (Bruna & Mallat 2013): averages of wavelet moduli, a descriptor fitted on nothing.

An image x gives x * phi, |x * psi1| * phi and ||x * psi1| * psi2| * phi: psi1 over all scales and angles, psi2 over
those of coarser scales. Filters, borders, sampling and the order of channels are kymatio's, so that two scales and
eight angles give the 81 channels of Tramer & Boneh (2021).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import torch


def scattering(images: np.ndarray, scales: int = 2, angles: int = 8, batch: int = 16) -> np.ndarray:
    """Coefficients of all images (n x H x W or n x H x W x C), float32 (n x channels x h x w).

    Bytes are brought to [0, 1].
    """
    return scattering_of_views(images, scales, angles, batch, mirrored=False)[:, 0]


def scattering_of_views(
    images: np.ndarray, scales: int = 2, angles: int = 8, batch: int = 16, mirrored: bool = True
) -> np.ndarray:
    """The same of each image and, if `mirrored`, of its mirror image (n x views x channels x h x w)."""
    found = np.empty((len(images), 1 + mirrored, *scattering_shape(images.shape[1:], scales, angles)), np.float32)
    start = 0
    for block in scattering_batches(images, scales, angles, batch, mirrored):
        found[start : start + len(block)] = block
        start += len(block)
    return found


def scattering_shape(image: tuple[int, ...], scales: int = 2, angles: int = 8) -> tuple[int, int, int]:
    """Channels, rows and columns of the coefficients of one image (H x W or H x W x C); refuses what has none."""
    if scales < 1 or angles < 1:
        raise ValueError(f"scattering needs at least one scale and one angle, got {scales} and {angles}")
    if len(image) not in (2, 3):
        raise ValueError(f"scattering needs images of H x W or H x W x C, got one of {len(image)} dimensions")
    height, width, *colours = image
    if min(height, width) < 2**scales:
        raise ValueError(f"scattering at {scales} scales needs {2**scales} pixels a side, got {height} x {width}")
    paths = 1 + scales * angles + angles**2 * scales * (scales - 1) // 2
    return math.prod(colours) * paths, height >> scales, width >> scales


def scattering_batches(
    images: np.ndarray, scales: int = 2, angles: int = 8, batch: int = 16, mirrored: bool = False
) -> Iterator[np.ndarray]:
    """The same in order, at most `batch` images at a time, for who cannot hold all (60 000 digits are 950 MB).

    Each batch is computed by one thread and as many batches at once as torch has threads: torch's own threads cost
    tenfold on a busy machine, and like this no coefficient depends on the number of cores.
    """
    channels, height, width = scattering_shape(images.shape[1:], scales, angles)
    if batch < 1:
        raise ValueError(f"scattering needs batches of at least one image, got {batch}")
    bank = _bank(images.shape[1], images.shape[2], scales, angles)

    def compute(start: int) -> np.ndarray:
        block = images[start : start + batch]
        planes = np.moveaxis(block, 3, 1).reshape(-1, *images.shape[1:3]) if images.ndim == 4 else block
        views = _views(planes, bank, mirrored)
        return np.stack([view.reshape(len(block), channels, height, width) for view in views], axis=1)

    return in_order(compute, range(0, len(images), batch))


def in_order(compute: Callable[[int], np.ndarray], starts: range) -> Iterator[np.ndarray]:
    """`compute` of each start, each by one thread and as many at once as torch has threads."""
    threads = torch.get_num_threads()
    if threads == 1:
        yield from map(compute, starts)
        return
    waiting: deque[Future[np.ndarray]] = deque()
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for start in starts:
                waiting.append(pool.submit(compute, start))
                if len(waiting) > threads:  # one more than at work, and no further ahead: memory stays bounded
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(threads)  # the workers' setting is also that of threads yet to come


@dataclass(frozen=True)
class _Bank:
    """Filters for one size of image. Level l is the grid after subsampling by 2^l; filters there are cut off at its
    highest frequency."""

    border: tuple[tuple[int, int], ...]
    wavelets: dict[tuple[int, int], torch.Tensor]  # (level, scale) -> spectra: angles x fold x h x fold x 2w
    rows: list[torch.Tensor]  # level -> kept x grid: low-pass, subsampling and the loss of the border in one
    columns: list[torch.Tensor]


@lru_cache(maxsize=8)
def _bank(height: int, width: int, scales: int, angles: int) -> _Bank:
    unit = 2**scales
    grid = [(side // unit + 2) * unit for side in (height, width)]
    border = tuple(((n - side) // 2, (n - side + 1) // 2) for n, side in zip(grid, (height, width), strict=True))
    wavelets = {}
    for scale in range(scales):
        spectra = np.stack([_morlet(grid, scale, turn, angles) for turn in range(angles)])
        for level in range(max(scale, 1)):
            fold = 2 ** (scale - level)  # dropping all but each fold-th sample averages the spectrum's fold parts
            cut = _cut(_cut(spectra, 1, level), 2, level) / fold**2
            parts = cut.reshape(angles, fold, grid[0] >> scale, fold, grid[1] >> scale)
            wavelets[level, scale] = torch.from_numpy(parts.repeat(2, axis=4).astype(np.float32))
    rows, columns = ([torch.from_numpy(_low_pass(n, scales, level)) for level in range(scales)] for n in grid)
    return _Bank(border, wavelets, rows, columns)


def _morlet(grid: list[int], scale: int, turn: int, angles: int) -> np.ndarray:
    """Spectrum of a Gaussian wave less as much of its Gaussian as makes the sum zero; it is real.

    Sampling a wave in space repeats its spectrum every 2 pi, and the repetitions that reach the grid are added up.
    """
    sigma, xi, slant = 0.8 * 2**scale, 0.75 * math.pi / 2**scale, 4 / angles
    theta = (max(angles // 2 - 1, 0) - turn) * math.pi / angles
    reach = math.ceil((8 * max(slant, 1) / sigma + xi) / (2 * math.pi))
    x, y = (_frequencies(n, reach) for n in grid)
    along = math.cos(theta) * x[:, :, None, None] + math.sin(theta) * y
    across = math.cos(theta) * y - math.sin(theta) * x[:, :, None, None]

    def gaussian(centre: float) -> np.ndarray:
        return np.exp(-(sigma**2) / 2 * ((along - centre) ** 2 + (across / slant) ** 2)).sum(axis=(0, 2))

    wave, still = gaussian(xi), gaussian(0)
    return wave - wave[0, 0] / still[0, 0] * still


def _low_pass(n: int, scales: int, level: int) -> np.ndarray:
    """One side of the Gaussian phi, which is separable, as a matrix from the grid at `level` to the samples kept."""
    sigma = 0.8 * 2 ** (scales - 1)
    spectrum = np.exp(-(sigma**2) / 2 * _frequencies(n, math.ceil(8 / sigma / (2 * math.pi))) ** 2).sum(axis=0)
    phi = np.fft.ifft(_cut(spectrum, 0, level)).real
    kept = np.arange(1, (n >> scales) - 1) << (scales - level)
    return phi[(kept[:, None] - np.arange(len(phi))) % len(phi)].astype(np.float32)


def _frequencies(n: int, reach: int) -> np.ndarray:
    """Of a grid of n samples, and `reach` times 2 pi to either side (repetitions x n)."""
    return 2 * math.pi * (np.fft.fftfreq(n) + np.arange(-reach, reach + 1)[:, None])


def _cut(spectrum: np.ndarray, axis: int, level: int) -> np.ndarray:
    """The frequencies that the grid at `level` has; the highest, -pi, is also its pi."""
    n = spectrum.shape[axis] >> level
    return spectrum.take(np.fft.fftfreq(n, 1 / n).astype(int), axis)


@dataclass(frozen=True)
class _Seen:
    """What an image and its mirror image share."""

    image: torch.Tensor
    spectrum: torch.Tensor
    moduli: torch.Tensor  # at the finest scale
    inner: torch.Tensor  # their spectra


def _views(planes: np.ndarray, bank: _Bank, mirrored: bool) -> list[np.ndarray]:
    """Coefficients of the planes and, if `mirrored`, of their mirror images."""
    padded = np.pad(planes, ((0, 0), *bank.border), mode="reflect").astype(np.float32)
    image = torch.from_numpy(padded / np.float32(255) if planes.dtype == np.uint8 else padded)[:, None]
    spectrum = torch.fft.fft2(image)
    moduli = _moduli(spectrum, bank.wavelets[0, 0])[:, 0]
    seen = _Seen(image, spectrum, moduli, torch.fft.fft2(moduli))
    views = [_coefficients(seen, bank, mirror=False)]
    left, right = bank.border[1]
    if mirrored and left == right:
        views.append(_coefficients(seen, bank, mirror=True))
    elif mirrored:
        views += _views(planes[:, :, ::-1], bank, mirrored=False)
    return views


def _coefficients(seen: _Seen, bank: _Bank, mirror: bool) -> np.ndarray:
    """In the mirror image a wavelet answers what the one at the opposite angle answers here, column j of what is
    subsampled by f is column f j + f - 1 from the other end, and averages run backwards."""
    scales = len(bank.rows)
    first, second = [], []
    for fine in range(scales):
        moduli, inner = seen.moduli, seen.inner
        if fine:
            moduli = _moduli(_moved(seen.spectrum, fine, mirror), bank.wavelets[0, fine])[:, 0]
            inner = torch.fft.fft2(moduli) if fine + 1 < scales else inner
        first.append(_turned(_average(moduli, bank, fine, mirror), 1, mirror))
        pairs = []
        for coarse in range(fine + 1, scales):
            pair = _moduli(_moved(inner, coarse - fine, mirror), bank.wavelets[fine, coarse])
            pairs.append(_turned(_turned(_average(pair, bank, coarse, mirror), 1, mirror), 2, mirror))
        if pairs:
            second.append(torch.cat(pairs, dim=2).flatten(1, 2))
    return torch.cat([_average(seen.image, bank, 0, mirror), *first, *second], dim=1).numpy()


def _moved(spectrum: torch.Tensor, levels: int, mirror: bool) -> torch.Tensor:
    """Of a mirror image: the spectrum of what lies so far to the right that subsampling keeps the last of each
    2^levels columns instead of the first."""
    if not mirror:
        return spectrum
    places = (2**levels - 1) * torch.fft.fftfreq(spectrum.shape[-1], dtype=torch.float64)
    return spectrum * torch.polar(torch.ones_like(places), 2 * math.pi * places).to(spectrum.dtype)


def _turned(maps: torch.Tensor, axis: int, mirror: bool) -> torch.Tensor:
    """Of a mirror image: each angle's map in the place of the opposite angle's."""
    angles = maps.shape[axis]
    opposite = (2 * max(angles // 2 - 1, 0) - torch.arange(angles)) % angles
    return maps.index_select(axis, opposite) if mirror else maps


def _moduli(spectrum: torch.Tensor, wavelets: torch.Tensor) -> torch.Tensor:
    """Each map convolved with each wavelet, subsampled, without its phase (n x maps x angles x h x w)."""
    angles, fold, h, _, w = wavelets.shape
    n, maps = spectrum.shape[:2]
    parts = torch.view_as_real(spectrum).view(n, maps, 1, fold, h, fold, w)
    found = wavelets.new_empty(n, maps, angles, h, w // 2)
    for one in range(maps):  # by itself it stays in a core's cache
        waves = parts[:, one, :, 0, :, 0] * wavelets[:, 0, :, 0]
        for p, q in list(product(range(fold), repeat=2))[1:]:
            waves.addcmul_(parts[:, one, :, p, :, q], wavelets[:, p, :, q])
        waves = torch.view_as_real(torch.fft.ifft2(torch.view_as_complex(waves.view(n, angles, h, -1, 2))))
        real, imaginary = waves.unbind(-1)
        torch.sqrt(real.square().addcmul_(imaginary, imaginary), out=found[:, one])  # abs() takes twice the time
    return found


def _average(maps: torch.Tensor, bank: _Bank, level: int, mirror: bool) -> torch.Tensor:
    columns = bank.columns[level]
    return (bank.rows[level] @ maps) @ (columns.flip(1) if mirror else columns).T
