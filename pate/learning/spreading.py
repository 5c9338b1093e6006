"""Label spreading over one nearest-neighbour graph of the public inputs (Zhou et al. 2004).

Spread scores are F = (I - alpha S)^-1 Y, with S the graph's symmetrically normalised weights and Y the seeds. The
graph is made from public inputs alone. What is attached to it later seeds scores, and changes neither its weights nor
its normalisation: seeds of different owners never meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csr_array

from pate.errors import ConfigError

_DENSE = 20_000  # public inputs up to which the whole inverse is kept: 1.6 GB, twice that while it is made
_LEAST = 1e-6  # of the largest variance: directions of less are left out
_SEEDS = 500  # spread together: bounds memory
_ROWS = 1024  # compared with the public inputs together


@dataclass(frozen=True)
class PublicGraph:
    """The graph, the coordinates its neighbours are found in, and what spreads labels over it."""

    mean: np.ndarray
    directions: np.ndarray
    points: np.ndarray  # public inputs in the graph's coordinates
    reach: np.ndarray  # each one's distance to its k-th neighbour: the local scale (Zelnik-Manor & Perona 2004)
    weights: csr_array  # S
    alpha: float
    inverse: np.ndarray | None  # (I - alpha S)^-1, where it fits in memory

    @classmethod
    def of(
        cls, public: np.ndarray, dimensions: int, power: float, neighbours: int, alpha: float, often: bool = True
    ) -> PublicGraph:
        """Coordinates are the first principal components, each divided by its standard deviation to the `power`.

        A graph that labels spread over `often`, a teacher's each, keeps the whole inverse; a student's does not.
        """
        if len(public) < 2:
            raise ConfigError(f"a graph needs at least 2 public inputs, and there are {len(public)}")
        mean, directions = _coordinates(public, dimensions, power)
        points = (public - mean) @ directions
        neighbours = min(neighbours, len(points) - 1)
        index, squared = nearest(points, points, neighbours, skip_self=True)
        reach = np.sqrt(np.maximum(squared[:, -1], 1e-12))
        similar = np.exp(-squared / (reach[:, None] * reach[index]))
        weights = _normalised(index, similar)
        inverse = _inverse(weights, alpha) if often and len(points) <= _DENSE else None
        return cls(mean, directions, points, reach, weights, alpha, inverse)

    def coordinates(self, x: np.ndarray) -> np.ndarray:
        return (x - self.mean) @ self.directions

    def attach(self, x: np.ndarray, neighbours: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest public inputs of each record, with weights that sum to 1: each record by itself."""
        return attached(self.coordinates(x), self.points, self.reach, neighbours)

    def spread(self, seeds: csr_array) -> np.ndarray:
        """Scores (classes x public inputs) of seeds (classes x public inputs)."""
        if self.inverse is not None:
            return np.asarray(seeds @ self.inverse)  # symmetric
        return _conjugate_gradients(self.weights, self.alpha, seeds.toarray())

    def echo(self, place: np.ndarray) -> np.ndarray:
        """What a seed at each of these public inputs gives to its own place."""
        if self.inverse is not None:
            return np.asarray(self.inverse[place, place])
        found = np.empty(len(place))
        for start in range(0, len(place), _SEEDS):
            some = place[start : start + _SEEDS]
            each = np.zeros((len(some), len(self.points)), np.float32)
            each[np.arange(len(some)), some] = 1
            spread = _conjugate_gradients(self.weights, self.alpha, each)
            found[start : start + _SEEDS] = spread[np.arange(len(some)), some]
        return found


@dataclass(frozen=True)
class OnGraph:
    """The configuration of whatever spreads labels over a graph of the public inputs, teacher or student."""

    dimensions: int = 100
    power: float = 0.5
    neighbours: int = 5
    alpha: float = 0.95

    def __post_init__(self) -> None:
        for name in ("dimensions", "neighbours"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie strictly between 0 and 1, got {self.alpha}")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must lie between 0 and 1, got {self.power}")

    def graph(self, public: np.ndarray, often: bool) -> PublicGraph:
        return PublicGraph.of(public, self.dimensions, self.power, self.neighbours, self.alpha, often)


def balanced_spread(
    graph: PublicGraph, label: np.ndarray, place: np.ndarray, weight: np.ndarray, classes: int
) -> np.ndarray:
    """Scores (classes x public inputs) of weighted seeds. Every class weighs 1 in all, lest frequent ones win."""
    total = np.bincount(label, weight, minlength=classes)
    share = (weight / np.maximum(total, 1e-12)[label]).astype(np.float32)
    seeds = csr_array((share, (label, place)), shape=(classes, len(graph.points)))
    return graph.spread(seeds)


def attached(x: np.ndarray, points: np.ndarray, reach: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest points of each row, with weights that sum to 1, on the local scales of both."""
    index, squared = nearest(x, points, min(count, len(points)))
    return index, similarity(index, squared, reach)


def similarity(index: np.ndarray, squared: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Weights of the nearest points, given their squared distances; they sum to 1."""
    own = np.sqrt(np.maximum(squared[:, -1:], 1e-12))
    logarithm = -squared / (own * reach[index])
    similar = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
    return np.asarray(similar / similar.sum(axis=1, keepdims=True))


def shares(scores: np.ndarray) -> np.ndarray:
    """Spread scores (classes x inputs) as shares of one (inputs x classes); any class seen where no seed reaches."""
    positive = np.maximum(scores.T, 0).astype(np.float64)
    positive[~positive.any(axis=1)] = positive.any(axis=0)
    return (positive / positive.sum(axis=1, keepdims=True)).astype(np.float32)


def surest(scores: np.ndarray, unsure: float) -> tuple[np.ndarray, np.ndarray]:
    """Inputs that a seed reaches and their class, less the share `unsure` of each with the smallest lead over the
    second: as sure as others of that class, lest a hard class is left out."""
    answer, (second, first) = scores.argmax(axis=0), np.sort(scores, axis=0)[-2:]
    lead = np.where(first > 0, (first - second) / np.maximum(first, 1e-300), -1.0)
    kept = np.zeros(len(answer), dtype=bool)
    for one in np.unique(answer[first > 0]):
        mine = np.flatnonzero((answer == one) & (first > 0))
        kept[mine[lead[mine] >= np.quantile(lead[mine], unsure)]] = True
    return np.flatnonzero(kept), answer[kept]


def nearest(x: np.ndarray, points: np.ndarray, count: int, skip_self: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The `count` nearest points of each row, nearest first, and their squared distances."""
    norms = np.einsum("nd,nd->n", points, points)
    found_index, found = np.empty((len(x), count), np.int64), np.empty((len(x), count), np.float32)
    for start in range(0, len(x), _ROWS):
        block = x[start : start + _ROWS]
        squared = norms - 2 * (block @ points.T) + np.einsum("nd,nd->n", block, block)[:, None]
        if skip_self:
            squared[np.arange(len(block)), start + np.arange(len(block))] = np.inf
        index = np.argpartition(squared, count - 1, axis=1)[:, :count]
        chosen = np.take_along_axis(squared, index, axis=1)
        order = np.argsort(chosen, axis=1, kind="stable")
        found_index[start : start + _ROWS] = np.take_along_axis(index, order, axis=1)
        found[start : start + _ROWS] = np.maximum(np.take_along_axis(chosen, order, axis=1), 0)
    return found_index, found


def _coordinates(public: np.ndarray, dimensions: int, power: float) -> tuple[np.ndarray, np.ndarray]:
    mean = public.mean(axis=0)
    covariance = np.cov(public - mean, rowvar=False, dtype=np.float64).reshape(public.shape[1], public.shape[1])
    variance, directions = np.linalg.eigh(covariance)
    variance, directions = variance[::-1][:dimensions], directions[:, ::-1][:, :dimensions]
    kept = variance >= max(_LEAST * variance[0], 1e-12)  # where public inputs do not vary there is no scale
    kept[0] = True
    scale = np.sqrt(np.maximum(variance[kept], 1e-12)) ** power
    return mean, (directions[:, kept] / scale).astype(np.float32)


def _normalised(index: np.ndarray, similar: np.ndarray) -> csr_array:
    """S = D^-1/2 W D^-1/2, W the larger of both directions' weights."""
    inputs, neighbours = index.shape
    directed = csr_array(
        (similar.ravel(), index.ravel(), np.arange(0, inputs * neighbours + 1, neighbours)), shape=(inputs, inputs)
    )
    weights = directed.maximum(directed.T).tocoo()
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scaled = weights.data / np.sqrt(degree[weights.row] * degree[weights.col])
    return csr_array((scaled.astype(np.float32), (weights.row, weights.col)), shape=(inputs, inputs))


def _inverse(weights: csr_array, alpha: float) -> np.ndarray:
    """(I - alpha S)^-1 by Cholesky: its eigenvalues lie between 1 - alpha and 1 + alpha, so it is positive definite."""
    matrix = (-alpha * weights).toarray(order="F")
    matrix.flat[:: len(matrix) + 1] += 1
    factor, failed = lapack.spotrf(matrix, lower=1, overwrite_a=1)
    inverse, failed_too = lapack.spotri(factor, lower=1, overwrite_c=1)
    if failed or failed_too:
        raise ConfigError(f"alpha={alpha} is too near to 1 for this graph: choose a smaller one")
    for start in range(0, len(inverse), _ROWS):  # the upper triangle, block by block: a copy would double the memory
        rows = slice(start, start + _ROWS)
        corner = np.tril(inverse[rows, rows])
        inverse[rows, rows] = corner + np.tril(corner, -1).T
        inverse[rows, start + _ROWS :] = inverse[start + _ROWS :, rows].T
    return inverse.T  # symmetric, and this way its rows are contiguous


def _conjugate_gradients(weights: csr_array, alpha: float, seeds: np.ndarray, steps: int = 200) -> np.ndarray:
    """The same scores, one column a class, without the inverse."""
    right = seeds.T.astype(np.float64)
    found, residual = np.zeros_like(right), right.copy()
    direction, size = residual.copy(), np.einsum("nc,nc->c", residual, residual)
    enough = 1e-12 * size
    for _ in range(steps):
        ahead = direction - alpha * (weights @ direction)
        step = size / np.maximum(np.einsum("nc,nc->c", direction, ahead), 1e-300)
        found += step * direction
        residual -= step * ahead
        size, before = np.einsum("nc,nc->c", residual, residual), size
        direction = residual + direction * (size / np.maximum(before, 1e-300))
        if (size <= enough).all():
            break
    return found.T
