"""Spreading against the formulas written out, in float64 and with loops."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from pate.errors import ConfigError
from pate.learning import spreading
from pate.learning.spreading import PublicGraph, balanced_spread, nearest

DIGITS = (load_digits().data[:300] / 16).astype(np.float32)
TRUTH = load_digits().target[:300]


def written_out(points: np.ndarray, neighbours: int) -> tuple[np.ndarray, np.ndarray]:
    """S and the local scales of a graph over points, entry by entry."""
    distance = cdist(points, points)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)[:, :neighbours]
    reach = np.array([distance[i, order[i, -1]] for i in range(len(points))])
    weights = np.zeros_like(distance)
    for i in range(len(points)):
        for j in order[i]:
            weights[i, j] = weights[j, i] = np.exp(-(distance[i, j] ** 2) / (reach[i] * reach[j]))
    degree = weights.sum(axis=1)
    return weights / np.sqrt(np.outer(degree, degree)), reach


def seeds(count: int = 40) -> np.ndarray:
    found = np.zeros((10, len(DIGITS)), np.float32)
    found[TRUTH[:count], np.arange(count)] = 1
    return found


def test_scores_are_the_solution_of_the_linear_system():
    graph = PublicGraph.of(DIGITS, dimensions=30, power=0.5, neighbours=7, alpha=0.95)
    weights, reach = written_out(graph.points.astype(np.float64), 7)
    np.testing.assert_allclose(graph.weights.toarray(), weights, atol=2e-5)
    np.testing.assert_allclose(graph.reach, reach, rtol=1e-4)
    peer = np.linalg.solve(np.eye(300) - 0.95 * weights, seeds().T.astype(np.float64)).T
    found = graph.spread(csr_array(seeds()))
    np.testing.assert_allclose(found, peer, atol=1e-3 * peer.max())
    assert (found.argmax(axis=0) == peer.argmax(axis=0)).mean() > 0.99
    assert (found.argmax(axis=0) == TRUTH).mean() > 0.85  # from 40 labels


def test_a_pool_too_large_for_the_inverse_spreads_the_same_scores(monkeypatch):
    whole = PublicGraph.of(DIGITS, 30, 0.5, 7, 0.99)
    monkeypatch.setattr(spreading, "_DENSE", 10)
    iterated = PublicGraph.of(DIGITS, 30, 0.5, 7, 0.99)
    assert iterated.inverse is None
    expected = whole.spread(csr_array(seeds()))
    np.testing.assert_allclose(iterated.spread(csr_array(seeds())), expected, atol=1e-3 * expected.max())


def test_coordinates_are_principal_components_with_their_spread_tempered():
    graph = PublicGraph.of(DIGITS, dimensions=12, power=0.5, neighbours=5, alpha=0.9)
    _, singular, rows = np.linalg.svd((DIGITS - DIGITS.mean(axis=0)).astype(np.float64), full_matrices=False)
    spread = singular[:12] / np.sqrt(299)
    peer = (DIGITS - DIGITS.mean(axis=0)) @ rows[:12].T / np.sqrt(spread)
    np.testing.assert_allclose(np.abs(graph.points), np.abs(peer), atol=1e-4)


def test_attaching_goes_to_the_nearest_with_weights_that_sum_to_one():
    graph = PublicGraph.of(DIGITS[:200], 20, 0.5, 7, 0.9)
    index, weight = graph.attach(DIGITS[200:], 5)
    distance = cdist(graph.coordinates(DIGITS[200:]).astype(np.float64), graph.points.astype(np.float64))
    order = np.argsort(distance, axis=1)[:, :5]
    assert (index == order).mean() > 0.99  # ties aside
    for record in range(100):
        d = distance[record, order[record]]
        peer = np.exp(-(d**2) / (d[-1] * graph.reach[order[record]]))
        assert weight[record].sum() == pytest.approx(1, abs=1e-5)
        np.testing.assert_allclose(weight[record], peer / peer.sum(), atol=1e-3)
    np.testing.assert_array_equal(graph.attach(DIGITS[200:], 1)[1], 1)


@pytest.mark.parametrize("public", [np.zeros((5, 3)), np.eye(2), np.ones((40, 1)), np.repeat(np.eye(4), 9, axis=0)])
def test_equal_and_few_points_still_make_a_graph(public):
    graph = PublicGraph.of(public.astype(np.float32), 100, 0.5, 7, 0.99)
    some = csr_array((np.ones(1, np.float32), ([0], [0])), shape=(2, len(public)))
    assert np.isfinite(graph.spread(some)).all()
    assert np.isfinite(graph.attach(public[:1].astype(np.float32) + 1, 7)[1]).all()


def test_one_public_input_is_no_graph():
    with pytest.raises(ConfigError, match="at least 2 public inputs"):
        PublicGraph.of(DIGITS[:1], 10, 0.5, 7, 0.9)


def test_nearest_is_brute_force():
    index, squared = nearest(DIGITS[:50], DIGITS[50:], 4)
    peer = cdist(DIGITS[:50], DIGITS[50:], "sqeuclidean")
    np.testing.assert_allclose(squared, np.sort(peer, axis=1)[:, :4], atol=1e-4)
    np.testing.assert_allclose(np.take_along_axis(peer, index, axis=1), squared, atol=1e-4)


def test_directions_in_which_public_inputs_do_not_vary_are_left_out():
    rng = np.random.default_rng(0)
    public = np.zeros((40, 6), np.float32)
    public[:, :2] = rng.normal(size=(40, 2))
    graph = PublicGraph.of(public, dimensions=6, power=1.0, neighbours=5, alpha=0.9)
    assert graph.points.shape == (40, 2)
    record = public[7:8] + np.array([0, 0, 9, 0, 0, 0], np.float32)  # far away where nothing public is
    assert graph.attach(record, 1)[0][0, 0] == 7


def test_a_class_weighs_the_same_however_many_seeds_it_has():
    graph = PublicGraph.of(DIGITS, 30, 0.5, 7, 0.95)
    label, place = TRUTH[:40], np.arange(40)
    once = balanced_spread(graph, label, place, np.ones(40), 10)
    heavy = balanced_spread(graph, label, place, np.where(label == 3, 50.0, 1.0), 10)
    np.testing.assert_allclose(heavy, once, rtol=1e-4, atol=1e-7)
    again = np.concatenate([np.arange(40), np.repeat(np.flatnonzero(label == 3), 9)])  # every 3 ten times
    np.testing.assert_allclose(
        balanced_spread(graph, label[again], again, np.ones(len(again)), 10), once, rtol=1e-4, atol=1e-7
    )
