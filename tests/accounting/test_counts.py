"""Counts of votes: every class counted, and what is no count refused (`test_ladder` asks for the refusals)."""

import numpy as np

from pate.accounting.counts import checked_counts, tally

PREDICTIONS = np.array([[0, 1, 2], [0, 1, 1], [0, 0, 1]])


def test_tally_counts_every_class():
    np.testing.assert_array_equal(tally(PREDICTIONS, 4), [[3, 0, 0, 0], [1, 2, 0, 0], [0, 2, 1, 0]])


def test_what_is_tallied_is_counts():
    np.testing.assert_array_equal(checked_counts(tally(PREDICTIONS, 4).astype(float)), tally(PREDICTIONS, 4))
