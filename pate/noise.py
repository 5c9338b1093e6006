"""The one source of privacy randomness: a cryptographic generator, or a seed that makes a run repeatable."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Size = int | tuple[int, ...]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]


SEEDED = "seeded noise: not private"  # what everything made with a known seed carries


@dataclass(frozen=True, eq=False)
class Noise:
    """Samplers over a stream of random 64-bit words; `seeded` noise is for evaluation and protects nobody.

    Continuous samples are doubles and share the floating-point caveat of every such sampler (Mironov 2012);
    `discrete_laplace` and `discrete_gaussian`, which integer votes call for, are exact when unseeded.
    """

    seed: tuple[int, ...] | None
    words: Callable[[int], Words]

    @property
    def seeded(self) -> bool:
        return self.seed is not None

    def at(self, step: int) -> Noise:
        """The noise of one step of many: seeded, it is the same however often the steps before it were taken."""
        return self if self.seed is None else source([*self.seed, step + 1])  # 0 would be this one again

    def uniform(self, size: Size) -> Floats:
        """Uniform on [0, 1), with all 53 bits of a double."""
        top = self.words(int(np.prod(size))) >> np.uint64(11)
        return (top.astype(np.float64) * 2.0**-53).reshape(size)

    def laplace(self, size: Size, scale: float) -> Floats:
        """Laplace of density exp(-|x|/scale) / (2 scale): the difference of two exponentials."""
        return _positive(scale, "scale") * (self._exponential(size) - self._exponential(size))

    def discrete_laplace(self, size: Size, scale: float) -> Integers:
        """Integers with P(k) proportional to exp(-|k|/scale) (the geometric mechanism, Ghosh et al. 2009).

        Unseeded draws go through OpenDP's exact sampler (Canonne, Kamath, Steinke 2020), which has no rounding to leak.
        """
        scale = _positive(scale, "scale")
        if not self.seeded:
            return _drawn(_exact_laplace(scale), size)
        # The floor of an exponential is geometric, and two geometrics differ by a discrete Laplace.
        up, down = np.floor(scale * self._exponential(size)), np.floor(scale * self._exponential(size))
        return (up - down).astype(np.int64)

    def discrete_gaussian(self, size: Size, sigma: float) -> Integers:
        """Integers with P(k) proportional to exp(-k^2 / (2 sigma^2)) (Canonne, Kamath & Steinke 2020).

        Unseeded draws go through OpenDP's exact sampler. Seeded ones follow the paper's Algorithm 3 in floating point:
        propose a discrete Laplace k of scale t = floor(sigma) + 1, keep it with probability
        exp(-(|k| - sigma^2/t)^2 / (2 sigma^2)).
        """
        sigma = _positive(sigma, "sigma")
        if not self.seeded:
            return _drawn(_exact_gaussian(sigma), size)
        t, total = np.floor(sigma) + 1, int(np.prod(size))
        kept = np.empty(0, np.int64)
        while len(kept) < total:
            proposed = self.discrete_laplace(2 * (total - len(kept)) + 16, t)
            log_chance = -(((np.abs(proposed) - sigma**2 / t) / sigma) ** 2) / 2
            kept = np.append(kept, proposed[self.uniform(len(proposed)) < np.exp(log_chance)])
        return kept[:total].reshape(size)

    def gaussian(self, size: Size, sigma: float) -> Floats:
        """Gaussian of standard deviation sigma (Box & Muller 1958)."""
        sigma = _positive(sigma, "sigma")
        total = int(np.prod(size))
        half = (total + 1) // 2
        radius = sigma * np.sqrt(2.0 * self._exponential(half))
        angle = 2.0 * np.pi * self.uniform(half)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:total].reshape(size)

    def many_gaussians(self, total: int, sigma: float) -> NDArray[np.float32]:
        """The same in single precision and a fraction of the time, for every coordinate of a gradient.

        Sizes come from 53 bits, so that tails reach as far as those of `gaussian`; directions from 32.
        """
        half = (total + 1) // 2
        size = (self.words(half) >> np.uint64(11)).astype(np.float64)
        size += 1.0
        size *= 2.0**-53
        np.log(size, out=size)
        size *= -2.0 * _positive(sigma, "sigma") ** 2
        radius = np.sqrt(size, out=size).astype(np.float32)
        angle = self.words((half + 1) // 2).view(np.uint32)[:half].astype(np.float32)
        angle *= np.float32(2.0 * np.pi * 2.0**-32)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:total]

    def choice_among(self, mask: NDArray[np.bool_]) -> Integers:
        """For each row of a boolean matrix, one of its True columns, each with the same chance: ties without bias."""
        candidates = mask.sum(axis=1)
        if not candidates.all():
            raise ValueError(f"row {int(np.argmin(candidates))} of the mask has no True column to choose from")
        rank = np.floor(self.uniform(len(mask)) * candidates).astype(np.int64)
        reached = np.cumsum(mask, axis=1) > rank[:, None]
        return np.asarray(reached.argmax(axis=1), dtype=np.int64)

    def _exponential(self, size: Size) -> Floats:
        return -np.log1p(-self.uniform(size))


def source(seed: int | list[int] | None) -> Noise:
    """Noise from a cryptographic generator, or with a seed the same noise every time."""
    if seed is None:
        return Noise(None, _cryptographic)
    generator = np.random.Generator(np.random.PCG64(seed))
    key = (seed,) if isinstance(seed, int) else tuple(seed)
    return Noise(key, lambda n: generator.integers(0, 2**64, size=n, dtype=np.uint64))


def _cryptographic(n: int) -> Words:
    """OpenSSL's generator, which the operating system's entropy seeds, again after a fork: 16 times as fast as it."""
    return np.frombuffer(ssl.RAND_bytes(8 * n), dtype=np.uint64)


@lru_cache(maxsize=64)
def _exact_laplace(scale: float) -> Callable[[list[int]], Any]:
    opendp, integers = _opendp()
    measurement: Callable[[list[int]], Any] = opendp.m.make_laplace(integers, opendp.l1_distance(T="i64"), scale=scale)
    return measurement


@lru_cache(maxsize=64)
def _exact_gaussian(sigma: float) -> Callable[[list[int]], Any]:
    opendp, integers = _opendp()
    measurement: Callable[[list[int]], Any] = opendp.m.make_gaussian(integers, opendp.l2_distance(T="i64"), scale=sigma)
    return measurement


def _opendp() -> tuple[Any, Any]:
    """The library and its vectors of whole numbers."""
    import opendp.prelude as opendp  # here, because it takes seconds to import

    opendp.enable_features("contrib")
    return opendp, opendp.vector_domain(opendp.atom_domain(T="i64"))


def _drawn(measurement: Callable[[list[int]], Any], size: Size) -> Integers:
    """As many exact draws: what a measurement adds to zeros."""
    zeros = [0] * int(np.prod(size))
    return np.asarray(measurement(zeros), dtype=np.int64).reshape(size)


def _positive(value: float, name: str) -> float:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}={value}: noise needs a positive, finite {name}")
    return float(value)
