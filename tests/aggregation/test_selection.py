"""Queries are chosen from public inputs alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.aggregation.selection import by_position, medoids


def test_by_position():
    assert by_position("first", 3, 10, seed=5).index.tolist() == [0, 1, 2]
    random = by_position("random", 5, 10, seed=5).index
    assert len(set(random.tolist())) == 5
    assert random.max() < 10
    assert (by_position("random", 5, 10, seed=5).index == random).all()
    assert (by_position("random", 5, 10, seed=6).index != random).any()


def test_medoids_ask_about_every_cluster_once():
    rng = np.random.default_rng(0)
    clusters = rng.permutation(np.repeat(np.arange(8), 30))
    points = rng.normal(size=(8, 5))[clusters] * 20 + rng.normal(size=(240, 5))
    chosen = medoids(8, points, seed=0).index
    assert sorted(clusters[chosen]) == list(range(8))
    for point in chosen:  # each near the middle of its cluster
        members = points[clusters == clusters[point]]
        spread = np.linalg.norm(members - members.mean(axis=0), axis=1)
        assert np.linalg.norm(points[point] - members.mean(axis=0)) <= np.quantile(spread, 0.1)


@settings(max_examples=30, deadline=None)
@given(pool=st.integers(1, 30), seed=st.integers(0, 5), data=st.data())
def test_medoids_are_distinct_also_among_equal_points(pool, seed, data):
    queries = data.draw(st.integers(1, pool))
    points = np.random.default_rng(seed).integers(0, 3, size=(pool, 2)).astype(np.float32)
    chosen = medoids(queries, points, seed).index
    assert len(set(chosen.tolist())) == queries
    assert (np.diff(chosen) > 0).all()
    assert 0 <= chosen[0] <= chosen[-1] < pool
    np.testing.assert_array_equal(chosen, medoids(queries, points, seed).index)
