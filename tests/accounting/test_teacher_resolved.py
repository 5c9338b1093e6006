"""Each teacher pays for its own votes: against brute force and the expected value."""

from pathlib import Path

import numpy as np
import pytest

from pate.accounting.exact import Ensemble, exact
from pate.accounting.exact_pld import losses
from pate.accounting.ladder import price
from pate.accounting.pld import Losses, compose
from pate.accounting.quadrature import laplace
from pate.accounting.teacher_resolved import teacher_resolved
from pate.aggregation.lnmax import LNMax
from tests.accounting.one_answer import law_of

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"].astype(int)
LAPLACE = laplace(0.05, 250, 10)


def votes_of(counts, rng):
    return np.stack([rng.permutation(np.repeat(np.arange(len(row)), row)) for row in counts], axis=1)


def test_teacher_resolved_lies_near_its_expected_value():
    """The reference gives counts only; for votes spread at random the price is near 0.507."""
    counts = VOTES[:100]
    predictions = votes_of(counts, np.random.default_rng(0))
    found = teacher_resolved(Ensemble.of(counts), counts, predictions, LAPLACE, [1e-5])[0]
    assert found == pytest.approx(0.507, abs=0.02)
    assert found < min(max(side) for side in (exact(Ensemble.of(counts), LAPLACE, [1e-5])[0].pld,))


def test_teacher_resolved_by_brute_force():
    """Three queries, four teachers: compose each teacher's own worst neighbours directly."""
    counts = np.array([[3, 1, 0], [2, 2, 0], [4, 0, 0]])
    predictions = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]])
    grid, delta = laplace(0.4, 4, 3), 1e-2
    found = teacher_resolved(Ensemble.of(counts), counts, predictions, grid, [delta])[0]
    worst = 0.0
    for votes in predictions:
        for way in (0, 1):
            per_query = []
            for row, vote in zip(counts, votes, strict=True):
                law = law_of(row.tolist(), grid)
                by_count = losses(law, 0.002, 450, by_origin=True)[way]
                place = law.distinct[0].tolist().index(row[vote])
                per_query.append((by_count.masses[place], by_count.infinite[place]))
            table = Losses(0.002, np.stack([m for m, _ in per_query]), np.array([i for _, i in per_query]))
            worst = max(worst, compose(table, np.ones(3), delta)[0].epsilon(delta))
    assert found == pytest.approx(worst, abs=0.01)


def test_a_teacher_who_always_agrees_with_a_wide_majority_costs_least():
    counts = np.array([[30, 1, 0]] * 40)
    predictions = votes_of(counts, np.random.default_rng(1))
    resolved = teacher_resolved(Ensemble.of(counts), counts, predictions, laplace(0.2, 31, 3), [1e-5])[0]
    plain = exact(Ensemble.of(counts), laplace(0.2, 31, 3), [1e-5])[0]
    assert resolved <= min(max(plain.rdp), max(plain.pld)) + 1e-9


def test_a_teacher_owes_nothing_for_votes_of_others():
    """At the orders that suit one small loss, a moment of one teacher's is no double: 0 times it must be 0."""
    costs = price(LNMax(0.2), np.array([[1, 3]]), 1e-5, np.array([[1], [0], [1], [1]]))
    found = {one.accountant: one.epsilon for one in costs}
    assert found["teacher_resolved"] <= found["exact_rdp"] <= 2 * 0.2
