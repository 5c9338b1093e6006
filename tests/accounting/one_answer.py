"""Laws of one answer, pair by pair, and the hockey-stick divergence of a pair by its definition."""

import math

import numpy as np

from pate.accounting.law import chunks, laws


def law_of(histogram, grid):
    (chunk,) = chunks(np.array([sorted(histogram, reverse=True)]), grid)
    return laws(chunk, grid)


def pairs(law):
    """The pairs of laws, as plain arrays with one entry per class."""
    for neighbour in range(law.p.shape[1]):
        weight = law.weight[0, neighbour].astype(int)
        if weight.any():
            yield np.repeat(law.p[0, neighbour], weight), np.repeat(law.other[0, neighbour], weight)


def hockey_stick(p, q, epsilon):
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()
