"""Laws of the noisy argmax in 40-digit arithmetic and by other ways than the accountants': closed forms between the
counts for Laplace noise, plain sums for discrete noise, the trapezoid rule with a step of sigma / 16 for Gaussian."""

import itertools
from collections import Counter
from functools import cache

import mpmath
from mpmath import mpf


def law(kind, scale, histogram):
    """The probability of an answer for each distinct count: one of the classes that have it."""
    digits = 40 + (len(histogram) if kind == "laplace" else 0)  # the binomials of its closed form cancel
    with mpmath.workdps(digits):
        of = {"laplace": _laplace, "gaussian": _gaussian}.get(kind, _sum)
        found = {}
        for count in set(histogram):
            others = Counter(histogram)
            others[count] -= 1
            found[count] = of(kind, mpf(scale), count, [(n, m) for n, m in others.items() if m])
        return found


def _laplace(_, gamma, own, others):
    """Between counts the integrand is u^-s times a polynomial in u = exp(-gamma (x - left)): integrate each power."""
    counts = sorted({own, *(n for n, _ in others)})
    total = mpf(0)
    for left, right in itertools.pairwise([None, *counts, None]):
        start = right if left is None else left
        ahead = [(n, m) for n, m in [*others, (own, 1)] if left is None or n > left]
        lift = sum(m for _, m in ahead)  # factors exp(gamma (x - n)) / 2
        constant = mpmath.fprod((mpmath.exp(-gamma * (n - start)) / 2) ** m for n, m in ahead)
        polynomial = [constant]
        for n, m in others:
            if left is not None and n <= left:
                c = -mpmath.exp(-gamma * (left - n)) / 2
                polynomial = _times(polynomial, [mpmath.binomial(m, i) * c**i for i in range(m + 1)])
        power = -lift
        if left is not None and own <= left:
            polynomial = [c * mpmath.exp(-gamma * (left - own)) / 2 for c in polynomial]
            power += 1
        for i, c in enumerate(polynomial):
            e = power + i
            if left is None:  # from -infinity, where all factors grow with x
                total += c / -e
            elif e == 0:
                total += c * gamma * (right - left)
            else:
                end = mpmath.exp(-gamma * e * (right - left)) if right is not None else mpf(0)
                total += c * (1 - end) / e
    return total


def _times(one, two):
    product = [mpf(0)] * (len(one) + len(two) - 1)
    for (i, a), (j, b) in itertools.product(enumerate(one), enumerate(two)):
        product[i + j] += a * b
    return product


def _gaussian(_, sigma, own, others):
    step = sigma / 16
    low, high = min([own, *(n for n, _ in others)]), max([own, *(n for n, _ in others)])
    nodes = int((high - low + 30 * sigma) / step) + 1
    total = mpf(0)
    for i in range(nodes):
        x = low - 15 * sigma + i * step
        total += mpmath.npdf(x - own, 0, sigma) * mpmath.fprod(_below((x - n) / sigma) ** m for n, m in others)
    return total * step


@cache
def _below(x):
    return mpmath.ncdf(x)


def _sum(kind, scale, own, others):
    """Over the winning value; s in (0, 1) breaks ties: the integral of a product of (below + s at) over s."""
    reach = 15 * scale if kind == "discrete gaussian" else 50 / scale
    low, high = min([own, *(n for n, _ in others)]), max([own, *(n for n, _ in others)])
    values = range(int(low - reach) - 2, int(high + reach) + 3)
    at, below = masses(kind, scale, values.start - high, values.stop - low)
    total = mpf(0)
    for v in values:
        polynomial = [at[v - own]]
        for n, m in others:
            a, b = at[v - n], below[v - n]
            polynomial = _times(polynomial, [mpmath.binomial(m, i) * a**i * b ** (m - i) for i in range(m + 1)])
        total += mpmath.fsum(c / (i + 1) for i, c in enumerate(polynomial))
    return total


def masses(kind, scale, first, last):
    """Pr[K = k] and Pr[K < k] for k in first..last, the lower tail as a sum from its small end."""
    if kind == "discrete":
        t = mpmath.exp(-scale)
        at = {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(first, last + 1)}
        return at, {k: t ** (1 - k) / (1 + t) if k <= 0 else 1 - t**k / (1 + t) for k in at}
    reach = max(-first, last) + int(20 * scale) + 5
    weights = {k: mpmath.exp(-(mpf(k) ** 2) / (2 * scale**2)) for k in range(-reach, reach + 1)}
    whole = mpmath.fsum(weights.values())
    at, below, sum_ = {}, {}, mpf(0)
    for k, weight in weights.items():
        at[k], below[k] = weight / whole, sum_ / whole
        sum_ += weight
    return at, below


def log_tail(kind, k, sigma):
    """ln Pr[K >= k] of Gaussian noise; for wide discrete noise the sum is by Euler and Maclaurin, to 1e-20."""
    with mpmath.workdps(40):
        k, sigma = mpf(k), mpf(sigma)
        if kind == "gaussian":
            return mpmath.log(mpmath.ncdf(-k / sigma))
        if sigma < 100:
            at, _ = masses(kind, sigma, -int(40 * sigma) - 3, int(40 * sigma) + 3)
            return mpmath.log(mpmath.fsum(mass for value, mass in at.items() if value >= k))
        x, whole = k / sigma, sigma * mpmath.sqrt(2 * mpmath.pi)
        first = mpf(1) / 2 + x / sigma / 12 + (3 * x - x**3) / sigma**3 / 720  # half of f(k), and its derivatives
        return mpmath.log(mpmath.ncdf(-x) + mpmath.exp(-(x**2) / 2) * first / whole)
