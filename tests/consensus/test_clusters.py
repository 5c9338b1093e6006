"""Reverse k-NN: what a record can move, the law of the noise, and that clusters are labelled by their winners."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pate.consensus.basis import Basis
from pate.consensus.clusters import ClusterBasis, ClusterConsensus, LaplacePlan
from pate.consensus.noisy_sum import NoisySum
from pate.errors import ConfigError
from pate.noise import source

FROZEN = {
    "epsilon": 1.0,
    "components": None,
    "clip": 8.0,
    "noise": "discrete",
    "student": "itself",
    "releases": None,
    "votes": 1,
}
rng = np.random.default_rng(0)
CENTRES = rng.normal(size=(6, 4)) * 8
PUBLIC = (CENTRES[np.arange(300) % 6] + rng.normal(size=(300, 4))).astype(np.float32)
PRIVATE = (CENTRES[np.arange(900) % 6] + rng.normal(size=(900, 4))).astype(np.float32)
MADE = ClusterConsensus(components=6, votes=2).basis(PUBLIC, 3, 0.0)


def test_a_record_votes_for_the_nearest_centres():
    near = np.argsort(((PRIVATE[:, None].astype(float) - MADE.centres[None]) ** 2).sum(axis=2), axis=1)[:, :2]
    read = MADE.read(PRIVATE)
    assert all(set(np.flatnonzero(row)) == set(two) for row, two in zip(read, near, strict=True))
    assert (MADE.pool(PUBLIC).sum(axis=1) == 1).all()


@given(st.integers(0, 899), st.integers(-2, 4))
def test_one_record_moves_as_many_counts_as_it_has_votes(record, label):
    plan, y = LaplacePlan(1e-5, None, 1.0, 2), np.arange(900) % 3
    phi = MADE.read(PRIVATE)
    whole = plan.added_up(phi, y, 3, None)
    gone, changed = phi.copy(), y.copy()
    gone[record], changed[record] = 0, label
    assert np.abs(whole - plan.added_up(gone, y, 3, None)).sum() == 2
    assert np.abs(whole - plan.added_up(phi, changed, 3, None)).sum() <= 4
    greedy = phi.copy()
    greedy[record] = 1
    assert np.abs(whole - plan.added_up(greedy, y, 3, None)).sum() <= 2


def test_a_record_without_a_place_has_no_vote():
    assert not MADE.read(np.array([[np.nan, 0, 0, 0], [np.inf, 0, 0, 0]], np.float32)).any()


def test_noise_of_one_count_has_the_ratio_it_is_paid_for():
    """P(k) / P(k + 1) of discrete Laplace noise is exp(1 / scale): the whole privacy loss of a vote."""
    plan = LaplacePlan(1e-5, None, 1.0, 2)
    drawn = plan.draw(np.zeros(200_000, np.int64), source(None))
    chance = math.tanh(1 / (2 * 2.0))  # of 0
    assert binomtest(int((drawn == 0).sum()), len(drawn), chance).pvalue > 1e-6
    assert binomtest(int((drawn == 1).sum()), len(drawn), chance * math.exp(-0.5)).pvalue > 1e-6


def test_prices_are_those_of_the_laplace_mechanism():
    zero, other = LaplacePlan(1e-5, None, 0.1, 3).guarantees()
    assert (zero.epsilon, other.epsilon) == (0.1, 0.2)
    spent = LaplacePlan(1e-5, None, 0.1, 3).cost()
    assert spent.pure == spent.epsilon == 0.1
    assert max(spent.rdp) <= 0.1


def test_renyi_divergences_are_above_the_exact_ones():
    plan = LaplacePlan(1e-5, None, 0.7, 1)
    k = np.arange(-400, 401)
    here, there = np.exp(-np.abs(k) * 0.7), np.exp(-np.abs(k - 1) * 0.7)
    here, there = here / here.sum(), there / there.sum()
    from pate.accounting.filter import ORDERS

    for order, said in zip(ORDERS, plan.cost().rdp, strict=True):
        exact = np.log((here * (here / there) ** (order - 1)).sum()) / (order - 1)
        assert exact <= said + 1e-12


def test_clusters_take_the_class_that_wins():
    plan, y = LaplacePlan(1e-5, None, 5.0, 1), np.arange(900) % 6 % 3
    choice = ClusterConsensus(components=6)
    made = choice.basis(PUBLIC, 3, 0.0)
    drawn = NoisySum.of_one(plan.draw(plan.added_up(made.read(PRIVATE), y, 3, None), source(0)), 900, plan, seeded=True)
    learned = choice.learn(made.pool(PUBLIC), drawn)
    assert (learned.belief.argmax(axis=1) == np.arange(300) % 6 % 3).mean() > 0.99
    model = made.predictor(learned.weights, learned.belief, PUBLIC)
    assert (model.predict(PRIVATE) == y).mean() > 0.99


def test_it_comes_back_as_it_was():
    again = Basis.join(*MADE.split())
    assert isinstance(again, ClusterBasis)
    assert np.array_equal(again.read(PUBLIC), MADE.read(PUBLIC))


def test_what_it_does_not_do_is_refused():
    with pytest.raises(ConfigError, match="not all of one site"):
        ClusterConsensus().plan(1.0, 1e-5, "site")
    with pytest.raises(ConfigError, match="only 300 public inputs"):
        ClusterConsensus(components=301).basis(PUBLIC, 3, 0.0)
    with pytest.raises(ValueError, match="votes must lie between 1"):
        ClusterConsensus(votes=0)
    with pytest.raises(ValueError, match="discrete"):
        ClusterConsensus(noise="continuous")
