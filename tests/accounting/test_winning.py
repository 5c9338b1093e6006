"""Chances of each answer, against direct integration and against drawing answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm

from pate.accounting.law import OutOfRange
from pate.accounting.winning import winning, wrong_if_unanimous
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.noise import source

COUNTS = np.array([[30, 20, 0, 0], [13, 13, 12, 12], [0, 0, 0, 50], [24, 26, 0, 0]])


@pytest.mark.parametrize(
    ("aggregator", "noise"),
    [
        (LNMax(0.1, "continuous"), laplace(scale=10)),
        (LNMax(1.0, "continuous"), laplace(scale=1)),
        (GNMax(7.0, "continuous"), norm(scale=7)),
    ],
    ids=["laplace 10", "laplace 1", "gaussian 7"],
)
def test_chances_are_the_integral_over_the_winning_score(aggregator, noise):
    found = winning(aggregator, COUNTS)
    for row, counts in zip(found, COUNTS, strict=True):
        for j, own in enumerate(counts):
            others = np.delete(counts, j)
            bounds = -200, 300
            kinks = sorted({*counts.tolist()})
            peer = quad(
                lambda x, own=own, others=others: noise.pdf(x - own) * noise.cdf(x - others).prod(), *bounds,
                points=kinks, limit=400,
            )[0]  # fmt: skip
            assert row[j] == pytest.approx(peer, abs=1e-7)


@pytest.mark.parametrize(
    "aggregator",
    [
        LNMax(0.1),
        LNMax(1.5),
        GNMax(7.0, "continuous"),
        GNMax(7.0),
        GNMax(1.2),
        ConfidentGNMax(25.0, 10.0, 7.0, "continuous"),
        ConfidentGNMax(24.6, 3.0, 7.0),
    ],
    ids=str,
)
def test_chances_are_frequencies_of_answers(aggregator):
    draws = 20_000
    found = winning(aggregator, COUNTS)
    for row, counts in zip(found, COUNTS, strict=True):
        answers = aggregator.answer(np.tile(counts, (draws, 1)), source(3))
        for label, chance in enumerate(row):
            frequency = (answers == label).mean()
            assert abs(frequency - chance) < 5 * np.sqrt(max(chance * (1 - chance), 1e-4) / draws)


@settings(max_examples=50, deadline=None)
@given(
    votes=st.lists(st.integers(0, 9), min_size=3, max_size=60),
    gamma=st.floats(0.005, 3.0),
    noise=st.sampled_from(["discrete", "continuous"]),
    order=st.permutations(range(10)),
)
def test_chances_sum_to_one_and_follow_their_classes(votes, gamma, noise, order):
    counts = np.bincount(votes, minlength=10)[None]
    chances = winning(LNMax(gamma, noise), counts)
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert (np.diff(chances[0][np.argsort(counts[0], kind="stable")]) >= -1e-12).all()
    np.testing.assert_allclose(winning(LNMax(gamma, noise), counts[:, order]), chances[:, order], atol=1e-12)


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_a_thousand_votes_and_little_noise(noise):
    counts = np.array([[990, 10, 0], [500, 500, 0], [501, 499, 0], [0, 0, 1000]])
    chances = winning(LNMax(1.0, noise), counts)
    np.testing.assert_allclose(chances[[0, 3]], [[1, 0, 0], [0, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(chances[1], [0.5, 0.5, 0], atol=1e-9)
    small = winning(LNMax(1.0, noise), np.array([[41, 39, 0]]))  # the same gap, and the third class as far away
    np.testing.assert_allclose(chances[2], small[0], atol=1e-9)


def test_nothing_is_claimed_out_of_range():
    with pytest.raises(OutOfRange):
        winning(LNMax(50.0), COUNTS)
    with pytest.raises(OutOfRange):
        winning(GNMax(0.01), COUNTS)
    with pytest.raises(OutOfRange):
        winning(GNMax(5e4), COUNTS)
    assert winning(GNMax(5e4, "continuous"), COUNTS).sum() == pytest.approx(4)


def test_what_noise_does_to_unanimous_votes_against_drawing_it():
    for aggregator in (LNMax(0.1), GNMax(15.0), ConfidentGNMax(threshold=20, threshold_sigma=10, sigma=15)):
        counts = np.zeros((200_000, 5), np.int64)
        counts[:, 2] = 30
        answers = aggregator.answer(counts, source(0))
        given = answers[answers >= 0]
        assert wrong_if_unanimous(aggregator, 30, 5) == pytest.approx((given != 2).mean(), abs=0.003)


def test_noise_too_small_to_tell_makes_nothing_wrong():
    assert wrong_if_unanimous(LNMax(50.0), 250, 10) == 0
