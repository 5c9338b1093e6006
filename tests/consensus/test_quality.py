"""How right labels would be: against a mechanism written down by hand, and where nothing is known."""

import numpy as np
import pytest

from pate.consensus.clusters import ClusterConsensus
from pate.consensus.kernel import KernelConsensus
from pate.consensus.levels import levels
from pate.consensus.quality import quality

RNG = np.random.default_rng(0)
CENTRES = 6 * np.eye(3, 5)


def drawn(count):
    y = RNG.integers(3, size=count)
    return (CENTRES[y] + RNG.normal(size=(count, 5))).astype(np.float32), y.astype(np.int64)


PUBLIC, TRUTH = drawn(300)
PRIVATE, Y = drawn(900)


def told(consensus, truth=TRUTH, asked=0.3, group=None, by=None):
    basis, several = levels(consensus, PUBLIC, 3, len(Y), 1e-5, by, asked)
    return quality(consensus, basis, several, PUBLIC, truth, PRIVATE, Y, group, 3, asked)


def test_less_noise_more_right():
    found = told(KernelConsensus())
    assert found.right[0] < 0.9 < 0.97 < found.right[-1]
    assert found.epsilons[found.own] == 0.3
    assert found.spread[-1] < found.spread[0]


def test_against_reverse_knn_by_hand():
    """Laplace counts of the nearest centre, many draws, in ten lines that share nothing with ours but the centres."""
    consensus = ClusterConsensus(components=3)
    basis = consensus.basis(PUBLIC, 3, 0.0)
    at = [((x[:, None] - basis.centres) ** 2).sum(axis=2).argmin(axis=1) for x in (PRIVATE, PUBLIC)]
    counts = np.zeros((3, 3))
    np.add.at(counts, (at[0], Y), 1)
    noise = np.random.default_rng(1).laplace(scale=1 / 0.02, size=(4000, 3, 3))
    right = np.mean((counts + noise).argmax(axis=2)[:, at[1]] == TRUTH, axis=1)
    found = told(consensus, asked=0.02)
    assert found.right[0] == pytest.approx(right.mean(), abs=4 * right.std() / np.sqrt(5))
    assert found.right[-1] == pytest.approx(np.mean(counts.argmax(axis=1)[at[1]] == TRUTH))


def test_unknown_labels_are_left_out():
    half = np.where(np.arange(300) < 150, TRUTH, -1)
    assert told(KernelConsensus(), half).right[-1] > 0.97
    assert told(KernelConsensus(), np.full(300, -1)).right == [None] * 9


def test_groups_are_clipped():
    """All records of one person who says 300 times what is wrong weigh no more than the clip."""
    group = np.where(np.arange(900) < 300, 0, np.arange(900))
    assert told(KernelConsensus(clip=1.0), group=group, by="person").right[-1] > 0.9


def test_its_table_says_whose_it_is():
    table = told(KernelConsensus()).table()
    assert "The owner's" in table.words
    assert len(table.rows) == 9
