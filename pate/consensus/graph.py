"""The graph basis: the leading eigenvectors of the public inputs' neighbour graph, read at a record's neighbours.

Few directions tell nearly all where classes are clusters, so that it works at the smallest epsilons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from pate.consensus.answers import unit_length
from pate.consensus.basis import Basis
from pate.consensus.consensus import Consensus, enough
from pate.consensus.moments import handed_on
from pate.errors import ConfigError
from pate.learning.spreading import OnGraph, PublicGraph, attached, nearest, similarity
from pate.models.model import Floats
from pate.models.neighbours import Neighbours

_ROWS = 4096
_HEARD = 200.0  # times the floor that a direction has to hold (docs/explanation/consensus.md: chosen on proxies)
_MOST = 300  # eigenvectors that are looked for


@dataclass(frozen=True)
class GraphBasis(Basis):
    """phi(x) is the weighted mean of the rows of `vectors` at the `attached` points nearest to x, at length 1."""

    kind: ClassVar[str] = "graph"

    mean: Floats
    directions: Floats
    points: Floats
    reach: Floats
    vectors: np.ndarray  # (points, components)
    attached: int

    @property
    def components(self) -> int:
        return int(self.vectors.shape[1])

    def places(self, x: np.ndarray) -> np.ndarray:
        found = np.empty((len(x), self.components))
        with threadpool_limits(1, user_api="blas"):
            for start in range(0, len(x), _ROWS):
                rows = (x[start : start + _ROWS] - self.mean) @ self.directions
                found[start : start + _ROWS] = self._at(*attached(rows, self.points, self.reach, self.attached))
        return found

    def pool(self, x: np.ndarray) -> np.ndarray:
        """At the nearest others: at itself, an input would be told what private records are not."""
        index, squared = nearest(self.points, self.points, min(self.attached, len(self.points) - 1), skip_self=True)
        weight = similarity(index, squared, self.reach)
        parts = range(0, len(index), _ROWS)
        return np.concatenate(
            [self._at(index[start : start + _ROWS], weight[start : start + _ROWS]) for start in parts]
        )

    def _at(self, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return unit_length(np.einsum("nk,nkm->nm", weight, self.vectors[index]))

    def predictor(self, weights: np.ndarray, belief: np.ndarray, x: np.ndarray) -> Neighbours:
        """The mean belief of the nearest public inputs."""
        arrays = (self.mean, self.directions, self.points, self.reach, belief.astype(np.float32))
        return Neighbours(*arrays, self.attached)


@dataclass(frozen=True)
class GraphConsensus(OnGraph, Consensus):
    """For classes that are clusters, and the smallest epsilons."""

    kind: ClassVar[str] = "consensus_graph"

    attached: int = 7

    def __post_init__(self) -> None:
        OnGraph.__post_init__(self)
        Consensus.__post_init__(self)
        if self.attached < 1:
            raise ValueError(f"attached must be at least 1, got {self.attached}")

    def basis(self, features: np.ndarray, classes: int, floor: float) -> GraphBasis:
        return self.nested(features, classes, [floor])[0]

    def nested(self, features: np.ndarray, classes: int, floors: Sequence[float]) -> tuple[GraphBasis, list[int]]:
        possible = len(features) - 1
        if self.components is not None and self.components > possible:
            raise ConfigError(
                f"consensus.components={self.components}: {len(features)} public inputs have at most {possible}"
            )
        wanted = min(self.components or _MOST, possible)
        how = OnGraph(self.dimensions, self.power, self.neighbours, self.alpha)
        graph, value, vectors = _leading(features, how, wanted)
        held = 1 / np.maximum(
            1 - self.alpha * value, 1e-9
        )  # what spreading labels would make of each (Zhou et al. 2004)
        kept_by = [wanted if self.components else enough(held, _HEARD * floor, classes) for floor in floors]
        wanted = max(kept_by)
        scaled = vectors[:, :wanted] * np.sqrt(held[:wanted] * len(graph.points))
        parts = (graph.mean, graph.directions, graph.points, graph.reach)
        mean, directions, points, reach = (np.ascontiguousarray(one, dtype=np.float32) for one in parts)
        return GraphBasis(mean, directions, points, reach, np.ascontiguousarray(scaled), self.attached), kept_by


@handed_on
def _leading(features: np.ndarray, how: OnGraph, wanted: int) -> tuple[PublicGraph, np.ndarray, np.ndarray]:
    """The graph, and its largest eigenvalues with their eigenvectors, largest first."""
    from scipy.sparse.linalg import eigsh  # here, because every command would wait for it

    graph = how.graph(features, often=False)
    with threadpool_limits(1, user_api="blas"):
        start = np.random.default_rng(0).standard_normal(len(graph.points))
        value, vectors = eigsh(graph.weights.astype(np.float64), k=wanted, which="LA", v0=start)
    return graph, value[::-1], vectors[:, ::-1]
