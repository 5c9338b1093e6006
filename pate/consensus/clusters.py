"""Reverse k-NN (Li et al. 2022, Fine-grained Private Knowledge Distillation): the anchor to compare a consensus with.

Public inputs are clustered, and every private record votes, with its class, for the k clusters whose centres are
nearest to it. The counts get Laplace noise, and every public input takes the class that wins its cluster. Replaced by
nothing a record takes one vote from each of k counts: noise of scale k / epsilon is epsilon-DP (Dwork & Roth 2014,
Theorem 3.6); 2 k / epsilon, which is theirs, is for a record replaced by another. Their clusters are found by
transformation-invariant k-means on images; here they are k-means on the run's features.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from pate.accounting.filter import ORDERS, Cost
from pate.accounting.guarantee import Guarantee
from pate.consensus.basis import Basis
from pate.consensus.consensus import Consensus, Learned
from pate.consensus.noisy_sum import NoisySum, Plan, under_both
from pate.errors import ConfigError
from pate.learning.spreading import nearest
from pate.models.model import Floats
from pate.models.neighbours import Neighbours
from pate.noise import Noise

_THEOREM = "Dwork & Roth 2014, Thm 3.6 (delta 0)"


@dataclass(frozen=True)
class LaplacePlan(Plan):
    """Counts, of which a record moves so many `votes` by one each."""

    epsilon: float
    votes: int

    def guarantees(self) -> tuple[Guarantee, Guarantee]:
        out, other = under_both(self.group)
        return (
            Guarantee(self.epsilon, self.delta, out, False, "laplace_counts", _THEOREM),
            Guarantee(2 * self.epsilon, self.delta, other, False, "laplace_counts", _THEOREM),
        )

    def cost(self) -> Cost:
        """Renyi divergences of a pure guarantee (Bun & Steinke 2016, Proposition 3.3)."""
        rdp = np.minimum(np.array(ORDERS, dtype=float) * self.epsilon**2 / 2, self.epsilon)
        return Cost(tuple(rdp.tolist()), self.epsilon, self.epsilon, self.delta)

    def parameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "votes": self.votes}

    def describe(self) -> str:
        width = self.votes / self.epsilon
        return f"counts of votes for {self.votes} clusters a record, with discrete Laplace noise of scale {width:.4g}"

    def floor(self, records: int, classes: int) -> float:
        return 2 * (self.votes / self.epsilon / max(records, 1)) ** 2

    def scale(self, classes: int, number: int = 0) -> tuple[float, float]:
        return 1.0, math.sqrt(2) * self.votes / self.epsilon

    def added_up(
        self,
        phi: np.ndarray,
        y: np.ndarray,
        classes: int,
        group: np.ndarray | None,
        before: np.ndarray | None = None,
        share: np.ndarray | None = None,
    ) -> np.ndarray:
        """A vote for each of its clusters; more than it has are none."""
        votes = phi != 0
        counted = (votes.sum(axis=1) <= self.votes) & (y >= 0) & (y < classes)
        total = np.zeros((phi.shape[1], classes), np.int64)
        for one in range(classes):
            total[:, one] = votes[counted & (y == one)].sum(axis=0)
        return total

    def draw(self, total: np.ndarray, noise: Noise) -> np.ndarray:
        return total + noise.discrete_laplace(total.shape, self.votes / self.epsilon)


@dataclass(frozen=True)
class ClusterBasis(Basis):
    """phi(x) is 1 at the `votes` nearest centres."""

    kind: ClassVar[str] = "clusters"

    centres: Floats
    votes: int

    @property
    def components(self) -> int:
        return len(self.centres)

    def places(self, x: np.ndarray) -> np.ndarray:
        return self._at(x, self.votes)

    def pool(self, x: np.ndarray) -> np.ndarray:
        """A public input is of one cluster."""
        return self._at(x, 1)

    def as_records(self, x: np.ndarray, pool: np.ndarray) -> np.ndarray:
        return self.read(x)

    def _at(self, x: np.ndarray, votes: int) -> np.ndarray:
        found = np.zeros((len(x), self.components))
        with threadpool_limits(1, user_api="blas"):
            index, _ = nearest(x.astype(np.float32), self.centres, votes)
        np.put_along_axis(found, index, 1.0, axis=1)
        return found

    def predictor(self, weights: np.ndarray, belief: np.ndarray, x: np.ndarray) -> Neighbours:
        """The class of the nearest centre's cluster."""
        width = self.centres.shape[1]
        plain = (np.zeros(width), np.eye(width), self.centres, np.ones(len(self.centres)), weights)
        mean, directions, points, reach, values = (np.ascontiguousarray(one, dtype=np.float32) for one in plain)
        return Neighbours(mean, directions, points, reach, values, 1)


@dataclass(frozen=True)
class ClusterConsensus(Consensus):
    """`components` are clusters, of which each record votes for the nearest so many `votes`."""

    kind: ClassVar[str] = "consensus_clusters"

    votes: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.votes < 1 or self.votes > self.clusters:
            raise ValueError(f"votes must lie between 1 and the number of clusters, {self.clusters}, got {self.votes}")
        if self.noise != "discrete":
            raise ValueError("noise of counts is discrete")
        if self.releases not in (None, 1):
            raise ValueError(f"releases: counts are released once, got {self.releases}")

    @property
    def clusters(self) -> int:
        return 100 if self.components is None else self.components

    def plan(self, epsilon: float, delta: float, group: str | None) -> LaplacePlan:
        if group is not None:
            raise ConfigError(f"consensus=clusters hides one record, not all of one {group}: choose graph or kernel")
        return LaplacePlan(delta, None, epsilon, self.votes)

    def basis(self, features: np.ndarray, classes: int, floor: float) -> ClusterBasis:
        from sklearn.cluster import KMeans

        if self.clusters > len(features):
            raise ConfigError(f"consensus.components={self.clusters}: there are only {len(features)} public inputs")
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")  # of fewer distinct inputs than clusters: some are then empty
            found = KMeans(self.clusters, n_init=4, random_state=0).fit(features)
        return ClusterBasis(np.ascontiguousarray(found.cluster_centers_, dtype=np.float32), self.votes)

    def nested(self, features: np.ndarray, classes: int, floors: Sequence[float]) -> tuple[ClusterBasis, list[int]]:
        """As many clusters, however loud the noise."""
        made = self.basis(features, classes, min(floors))
        return made, [made.components] * len(floors)

    def learn(self, pool: np.ndarray, drawn: NoisySum) -> Learned:
        """The winning class of each cluster, for all of its public inputs."""
        winner = np.eye(drawn.classes)[drawn.total[-1].argmax(axis=1)]
        return Learned(winner, pool @ winner, f"{len(winner)} clusters, each labelled by its noisy count")
