"""What tiny ensembles really pay: laws of the answers by plain integration and summation, every neighbour in turn.

Nothing here is shared with the accountants: no common grid, no grouping of equal counts, no tables, no orders.
"""

import itertools
import math
from functools import cache

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.lnmax import LNMax

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def worst_delta(aggregator, counts, epsilon, predictions=None, law=None):
    """The largest delta at this epsilon over all data sets one record away, in both directions.

    One record is one teacher: on each query it moves one vote, to any class or nowhere. Without predictions any class
    that has a vote may be where it starts, on each query apart. `law` is ln of the chances of a mechanism's answers to
    a histogram, if it is none of those below.
    """
    starts = [[tuple(c for c in range(len(row)) if row[c]) for row in counts]]
    if predictions is not None:
        starts = [[(vote,) for vote in votes] for votes in {tuple(int(v) for v in row) for row in predictions}]
    worst = 0.0
    for start in starts:
        moves = [_moves(aggregator, tuple(row), own, law or log_law) for row, own in zip(counts, start, strict=True)]
        for chosen in itertools.product(*moves):
            here, there = np.zeros(1), np.zeros(1)  # logarithms: a test with little noise is all but certain
            for p, q in chosen:
                here, there = np.add.outer(here, p).ravel(), np.add.outer(there, q).ravel()
            worst = max(worst, _hockey_stick(here, there, epsilon), _hockey_stick(there, here, epsilon))
    return worst


def _hockey_stick(p, q, epsilon):
    more = p > q + epsilon
    return float((np.exp(p[more]) * -np.expm1(epsilon + q[more] - p[more])).sum())


@cache
def _moves(aggregator, row, starts, law):
    """The law of the answer beside that of each histogram with one vote moved, as logarithms."""
    found = []
    for a, b in itertools.product(starts, range(len(row))):
        there = list(row)
        there[a] -= 1
        there[b] += 1
        found.append((law(aggregator, row), law(aggregator, tuple(there))))
    return found


@cache
def log_law(aggregator, row):
    """ln of the probability of each answer; with a threshold, that of no answer comes last."""
    counts = np.array(row, dtype=float)
    argmax = _discrete(aggregator, counts) if aggregator.noise == "discrete" else _continuous(aggregator, counts)
    argmax = np.log(argmax / argmax.sum())
    if not isinstance(aggregator, ConfidentGNMax):
        return argmax
    short, sigma = aggregator.threshold - counts.max(), aggregator.threshold_sigma
    if aggregator.noise == "continuous":
        passes, fails = stats.norm.logsf(short / sigma), stats.norm.logcdf(short / sigma)
    else:
        reach = math.ceil(40 * sigma + abs(short)) + 2
        k = np.arange(-reach, reach + 1)
        log_mass = -((k / sigma) ** 2) / 2
        log_mass -= logsumexp(log_mass)
        passes, fails = logsumexp(log_mass[k >= short]), logsumexp(log_mass[k < short])
    return np.append(argmax + passes, fails)


def _continuous(aggregator, counts):
    if isinstance(aggregator, LNMax):
        far, noise = 60 / aggregator.gamma, stats.laplace(scale=1 / aggregator.gamma)
    else:
        far, noise = 14 * aggregator.sigma, stats.norm(scale=aggregator.sigma)
    steps = [np.linspace(a, b, 120) for a, b in itertools.pairwise(sorted({*counts}))]  # kinks are at the counts
    outer = np.linspace(0, far, 200)
    edges = np.unique(np.concatenate([counts.min() - outer, counts.max() + outer, *steps]))
    x = (edges[:-1, None] + np.diff(edges)[:, None] * (_NODES + 1) / 2).ravel()
    weights = np.outer(np.diff(edges) / 2, _WEIGHTS).ravel()
    density, below = noise.pdf(x - counts[:, None]), noise.cdf(x - counts[:, None])
    others = [np.prod(np.delete(below, j, axis=0), axis=0) for j in range(len(counts))]
    return np.array([weights @ (density[j] * others[j]) for j in range(len(counts))])


def _discrete(aggregator, counts):
    """Sum over the winning value and how many tie for it; a tie falls to each alike."""
    gaussian = not isinstance(aggregator, LNMax)
    reach = math.ceil(14 * aggregator.sigma + 3 if gaussian else 60 / aggregator.gamma + 3)
    k = np.arange(-reach, reach + int(counts.max()) + 1)
    away = k - counts[:, None]
    wide = np.arange(-3 * reach - 30, 3 * reach + 31)
    exponent = -((wide / aggregator.sigma) ** 2) / 2 if gaussian else -aggregator.gamma * np.abs(wide)
    mass = np.exp(exponent) / np.exp(exponent).sum()
    below_of = np.cumsum(mass) - mass
    place = (away - wide[0]).astype(int)
    at, below = mass[place], below_of[place]
    found = []
    for j in range(len(counts)):
        ties = np.zeros((len(counts), len(k)))
        ties[0] = at[j]
        for other in range(len(counts)):
            if other != j:
                ties = ties * below[other] + np.roll(ties, 1, axis=0) * at[other]
        found.append((ties / np.arange(1, len(counts) + 1)[:, None]).sum())
    return np.array(found)
