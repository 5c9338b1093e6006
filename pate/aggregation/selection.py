"""Which public inputs the student asks about. Choosing sees public inputs only, so it costs no privacy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from pate.workspace.artifact import Artifact

SELECTIONS = ("random", "first", "medoids", "active")


@dataclass(frozen=True)
class Queries(Artifact):
    """Sorted positions of distinct inputs in the public pool."""

    index: np.ndarray


def by_position(selection: str, queries: int, pool: int, seed: int) -> Queries:
    """`random` or `first`: needs to know nothing but the size of the pool. More queries include the fewer: asked for
    later, only what is new has to be answered and paid for."""
    return Queries(np.sort(in_order(selection, pool, seed)[:queries]))


def in_order(selection: str, pool: int, seed: int) -> np.ndarray:
    """Positions in the order in which more and more of them would be asked about."""
    return np.arange(pool) if selection == "first" else np.random.default_rng([seed, 1]).permutation(pool)


def medoids(queries: int, features: np.ndarray, seed: int) -> Queries:
    """The inputs nearest to the centres of `queries` clusters: few questions that cover the pool evenly.

    Each centre takes the nearest input that no other one has taken, centres with the nearest input first.
    """
    from scipy.spatial.distance import cdist
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    if queries == len(features):
        return Queries(np.arange(queries))
    with warnings.catch_warnings(), threadpool_limits(1):  # the same medoids on any number of cores
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal inputs: fewer clusters, still enough medoids
        centres = KMeans(queries, n_init=1, max_iter=50, random_state=seed).fit(features).cluster_centers_
    distance = cdist(centres, features)
    taken = np.full(queries, -1)
    for centre in np.argsort(distance.min(axis=1), kind="stable"):
        taken[centre] = distance[centre].argmin()
        distance[:, taken[centre]] = np.inf
    return Queries(np.sort(taken))
