"""A unit moves the sum by no more than its bound, whatever it holds, and nothing but the sum, by not one bit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pate.consensus.answers import (
    BOUND,
    centred_length,
    in_steps,
    sum_of_groups,
    sum_of_records,
    sum_of_residuals,
    unit_length,
)

nasty = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-320, 5e-324, 1e308, -1e308, math.nan, math.inf, 1 - 2**-53, 1 + 2**-52]),
)
rows = st.integers(1, 6).flatmap(lambda m: arrays(np.float64, st.tuples(st.integers(2, 8), st.just(m)), elements=nasty))


def squared(matrix):
    return sum(int(entry) ** 2 for entry in matrix.ravel())


@settings(max_examples=300, deadline=None)
@given(rows, st.integers(2, 12), st.data())
def test_one_record_moves_the_sum_by_at_most_the_bound(raw, classes, data):
    y = np.array(data.draw(st.lists(st.integers(-2, classes + 1), min_size=len(raw), max_size=len(raw))), np.int64)
    phi = unit_length(raw)
    whole = sum_of_records(phi, y, classes)
    gone, other = phi.copy(), phi.copy()
    gone[0], other[0] = 0.0, unit_length(-raw[:1][:, ::-1])[0]
    changed = y.copy()
    changed[0] = data.draw(st.integers(-2, classes + 1))
    assert squared(whole - sum_of_records(gone, y, classes)) <= BOUND**2
    assert squared(whole - sum_of_records(other, changed, classes)) <= (2 * BOUND) ** 2


@settings(max_examples=300, deadline=None)
@given(rows, st.integers(2, 6), st.floats(0.05, 1), st.data())
def test_what_is_left_unsaid_moves_by_at_most_the_bound(raw, classes, cut, data):
    """Whatever was said before, by weights of any size; and nobody else's share moves by one step."""
    y = np.array(data.draw(st.lists(st.integers(-2, classes + 1), min_size=len(raw), max_size=len(raw))), np.int64)
    said = st.floats(-1e6, 1e6) | st.floats(-2, 2)
    weights = data.draw(arrays(np.float64, (raw.shape[1], classes), elements=said))
    phi = unit_length(raw)
    whole = sum_of_residuals(phi, y, classes, weights, cut)
    gone, other = phi.copy(), phi.copy()
    gone[0], other[0] = 0.0, unit_length(-raw[:1][:, ::-1])[0]
    changed = y.copy()
    changed[0] = data.draw(st.integers(-2, classes + 1))
    alone = sum_of_residuals(phi[:1], y[:1], classes, weights, cut)
    assert squared(alone) <= BOUND**2
    assert squared(whole - sum_of_residuals(gone, y, classes, weights, cut)) <= BOUND**2
    assert squared(whole - sum_of_residuals(other, changed, classes, weights, cut)) <= (2 * BOUND) ** 2
    group = np.arange(len(raw)) // 2
    together = sum_of_groups(phi, y, group, classes, 3 * cut, weights)
    without = sum_of_groups(np.where((group == 0)[:, None], np.nan, phi), y, group, classes, 3 * cut, weights)
    assert squared(together - without) <= BOUND**2


@settings(max_examples=300, deadline=None)
@given(rows, st.integers(2, 6), st.floats(0, 1) | st.floats(0, 1e-6), st.data())
def test_who_allows_less_moves_the_sum_by_as_much_less(raw, classes, share, data):
    """Alone and beyond weights, as a record and as a group, which has the least share of its records."""
    y = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=len(raw), max_size=len(raw))), np.int64)
    weights = data.draw(arrays(np.float64, (raw.shape[1], classes), elements=st.floats(-2, 2)))
    phi, shares = unit_length(raw), np.r_[share, np.ones(len(raw) - 1)]
    group = np.arange(len(raw)) // 2
    for whose, summed in (
        (slice(0, 1), lambda phi: sum_of_records(phi, y, classes, shares)),
        (slice(0, 1), lambda phi: sum_of_residuals(phi, y, classes, weights, 0.7, shares)),
        (slice(0, 2), lambda phi: sum_of_groups(phi, y, group, classes, 2.0, None, shares)),
        (slice(0, 2), lambda phi: sum_of_groups(phi, y, group, classes, 1.4, weights, shares)),
    ):
        gone = phi.copy()
        gone[whose] = np.nan
        assert squared(summed(phi) - summed(gone)) <= (share * BOUND) ** 2


def test_a_share_of_an_answer_is_that_share_of_it():
    rng = np.random.default_rng(0)
    phi, y, shares = unit_length(rng.normal(size=(50, 5))), rng.integers(3, size=50), rng.random(50)
    expected = sum(
        share * np.outer(place, np.eye(3)[label] - 1 / 3) for place, label, share in zip(phi, y, shares, strict=True)
    )
    assert np.allclose(sum_of_records(phi, y, 3, shares) * centred_length(3) / BOUND, expected, atol=50 * 1e-6)


def test_what_is_left_unsaid_is_the_residual():
    """Against the formula, record by record; and groups of one clipped as high as it takes are the same."""
    rng = np.random.default_rng(0)
    phi, y = unit_length(rng.normal(size=(300, 7))), rng.integers(4, size=300)
    weights = rng.normal(size=(7, 4))
    expected = np.zeros((7, 4))
    for place, label in zip(phi, y, strict=True):
        rest = np.eye(4)[label] - 0.25 - place @ weights
        rest *= min(1, 0.7 * centred_length(4) / np.linalg.norm(rest))
        expected += np.outer(place, rest)
    found = sum_of_residuals(phi, y, 4, weights, 0.7) * 0.7 * centred_length(4) / BOUND
    assert np.allclose(found, expected, atol=300 * 2e-6)
    alone = sum_of_groups(phi, y, np.arange(300), 4, 0.7, weights) * 0.7 * centred_length(4) / BOUND
    assert np.allclose(alone, expected, atol=300 * 2e-6)


@settings(max_examples=200, deadline=None)
@given(rows, st.integers(2, 5), st.floats(0.01, 50), st.data())
def test_one_group_moves_the_sum_by_at_most_the_bound(raw, classes, clip, data):
    draw = st.lists(st.integers(0, 2), min_size=len(raw), max_size=len(raw))
    group = np.array(data.draw(draw), np.int64)
    y = np.array(data.draw(st.lists(st.integers(-1, classes), min_size=len(raw), max_size=len(raw))), np.int64)
    phi = unit_length(raw)
    whole = sum_of_groups(phi, y, group, classes, clip)
    gone = np.where((group == group[0])[:, None], 0.0, phi)
    assert squared(whole - sum_of_groups(gone, y, group, classes, clip)) <= BOUND**2
    hostile = np.where((group == group[0])[:, None], unit_length(raw[::-1].copy()), phi)
    assert squared(whole - sum_of_groups(hostile, y, group, classes, clip)) <= (2 * BOUND) ** 2


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, (4, 3), elements=nasty), st.integers(2, 6))
def test_what_was_not_brought_to_length_adds_nothing_too_long(raw, classes):
    """The mechanism does not rely on its caller: rows of any length, or none, cannot exceed the bound."""
    with np.errstate(all="ignore"):
        label, own, others = in_steps(raw, np.zeros(4, np.int64), classes)
    for mine, rest in zip(own, others, strict=True):
        assert squared(mine) + (classes - 1) * squared(rest) <= BOUND**2
    assert len(label) == len(own)


def test_squares_that_overflow_do_not_pass_for_short():
    """2^19 entries of 2^22 steps, for two classes: their squares add up to 2^64, which 64 bits take for nothing."""
    one = (2**22 + 0.5) * centred_length(2) / (BOUND * 0.5)
    label, _, _ = in_steps(np.full((1, 1 << 19), one), np.zeros(1, np.int64), 2)
    assert len(label) == 0


@given(rows)
def test_a_length_is_at_most_one_or_nothing(raw):
    phi = unit_length(raw)
    assert np.isfinite(phi).all()
    length = np.sqrt((phi**2).sum(axis=1))
    assert ((length <= 1) & ((length > 1 - 1e-5) | (length == 0))).all()
    assert not phi[~np.isfinite(raw).all(axis=1)].any()


def test_the_sum_is_that_of_the_answers():
    rng = np.random.default_rng(0)
    phi, y = unit_length(rng.normal(size=(500, 7))), rng.integers(4, size=500)
    answers = phi[:, :, None] * (np.eye(4)[y] - 0.25)[:, None, :]
    found = sum_of_records(phi, y, 4) * centred_length(4) / BOUND
    assert np.allclose(found, answers.sum(axis=0), atol=500 * 2 / BOUND)
    alone = sum_of_groups(phi, y, np.arange(500), 4, 1.0) * centred_length(4) / BOUND
    assert np.allclose(alone, answers.sum(axis=0), atol=500 * 2e-6 + 500 * 2 / BOUND)


def test_a_group_is_clipped_as_one():
    phi, y = unit_length(np.ones((60, 2))), np.zeros(60, np.int64)
    one, many = sum_of_groups(phi, y, np.zeros(60, np.int64), 2, 8.0), sum_of_groups(phi, y, np.arange(60), 2, 8.0)
    assert squared(one) == pytest.approx(BOUND**2, rel=1e-4)
    assert squared(many) == pytest.approx((60 / 8 * BOUND) ** 2, rel=1e-4)


def test_names_of_groups_do_for_numbers():
    phi, y = unit_length(np.arange(12.0).reshape(6, 2) - 5), np.array([0, 1, 0, 1, 1, 0])
    names = np.array(["b", "a", "b", "c", "a", "c"])
    assert np.array_equal(
        sum_of_groups(phi, y, names, 2, 2.0), sum_of_groups(phi, y, np.array([1, 0, 1, 2, 0, 2]), 2, 2.0)
    )


def test_what_is_no_number_any_more_adds_nothing():
    """As an integer NaN is -2^63, whose square is 0: shorter than any bound."""
    phi, y = unit_length(np.ones((1, 3))), np.array([0])  # one: two of them wrap to 0 again
    with np.errstate(all="ignore"):
        assert not sum_of_residuals(phi, y, 2, np.full((3, 2), np.inf), 0.7).any()
        assert not sum_of_groups(phi, y, np.array([0]), 2, 1e-309).any()
