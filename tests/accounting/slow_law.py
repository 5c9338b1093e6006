"""Laws of the noisy argmax by adaptive quadrature and, for discrete noise, by summing over all values."""

import itertools
import math

import numpy as np
from scipy import integrate


def slow_law(counts, kind, scale):
    """Each class's probability by adaptive quadrature (or, for discrete noise, by summing over all values)."""
    counts = np.asarray(counts, dtype=float)
    if kind.startswith("discrete"):
        return slow_discrete(counts, kind, scale)
    far = 60 / scale if kind == "laplace" else 12 * scale
    edges = sorted({*counts, *np.linspace(counts.min() - far, counts.max() + far, 24)})
    law = []
    for j in range(len(counts)):
        others = [float(n) for n in np.delete(counts, j)]

        def density(x, own=float(counts[j]), others=others):
            value = pdf(kind, x - own, scale)
            for other in others:
                value *= cdf(kind, x - other, scale)
            return value

        parts = [integrate.quad(density, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(edges)]
        law.append(math.fsum(parts))
    return np.array(law)


def pdf(kind, x, scale):
    if kind == "laplace":
        return scale / 2 * math.exp(-scale * abs(x))
    return math.exp(-0.5 * (x / scale) ** 2) / (scale * math.sqrt(2 * math.pi))


def cdf(kind, x, scale):
    if kind == "laplace":
        return math.exp(scale * x) / 2 if x < 0 else 1 - math.exp(-scale * x) / 2
    return math.erfc(-x / (scale * math.sqrt(2))) / 2


def slow_discrete(counts, kind, scale):
    """Ties fall uniformly: sum over the winning value v and the number of others that tie with it."""
    reach = int(45 / scale) if kind == "discrete" else int(36 * scale)
    k = np.arange(-reach, reach + int(counts.max()) + 1)
    if kind == "discrete":
        t = math.exp(-scale)
        at = (1 - t) / (1 + t) * np.exp(-scale * np.abs(k - counts[:, None]))
        below = np.cumsum(at, axis=1) - at + t ** (counts[:, None] - k[0]) / (1 + t)
    else:
        at = np.exp(-(((k - counts[:, None]) / scale) ** 2) / 2)
        at /= at.sum(axis=1, keepdims=True)
        below = np.cumsum(at, axis=1) - at
    law = []
    for j in range(len(counts)):
        ties = np.zeros((len(counts), len(k)))
        ties[0] = at[j]
        for other in range(len(counts)):
            if other != j:
                ties = ties * below[other] + np.roll(ties, 1, axis=0) * at[other]
        law.append((ties / np.arange(1, len(counts) + 1)[:, None]).sum())
    return np.array(law)


def slow_discrete_log(histogram, sigma):
    """As slow_discrete, with tails that are sums of their own: no digit is lost below the others."""
    counts = np.array(histogram)
    k = np.arange(-int(14 * sigma) - 4, int(14 * sigma) + 205)
    whole = np.arange(-int(30 * sigma) - 240, int(30 * sigma) + 241)
    mass = np.exp(-((whole / sigma) ** 2) / 2)
    mass /= math.fsum(mass)
    low = np.cumsum(mass) - mass
    up_to = np.where(whole <= 0, low, 1 - np.cumsum(mass[::-1])[::-1])  # Pr[K < k]
    place = k - counts[:, None] - whole[0]
    law = []
    for j in range(len(counts)):
        ties = np.zeros((len(counts), len(k)))
        ties[0] = mass[place[j]]
        for other in range(len(counts)):
            if other != j:
                ties = ties * up_to[place[other]] + np.roll(ties, 1, axis=0) * mass[place[other]]
        law.append((ties / np.arange(1, len(counts) + 1)[:, None]).sum())
    return np.array(law)
