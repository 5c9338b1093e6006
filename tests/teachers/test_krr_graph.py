"""Kernel ridge teachers whose answers neighbours correct."""

import numpy as np
import pytest

from pate.learning.spreading import balanced_spread
from pate.teachers.krr import KRR
from pate.teachers.krr_graph import KRRGraph
from tests.teachers.digits import PUBLIC, ensemble


def test_what_is_spread_is_what_kernel_ridge_regression_says():
    spread, plain = ensemble(KRRGraph(count=30)), ensemble(KRR(count=30))
    graph = KRRGraph(count=30).graph(PUBLIC, often=True)
    everywhere, alike = np.arange(len(PUBLIC)), np.ones(len(PUBLIC))
    for number in (0, 7):
        expected = balanced_spread(graph, plain[number], everywhere, alike, 10).argmax(axis=0)
        np.testing.assert_array_equal(spread[number], expected)
    assert (spread != plain).any()


@pytest.mark.parametrize(("field", "words"), [("gamma", "gamma must be"), ("penalty", "penalty must be")])
def test_bad_settings_are_refused(field, words):
    with pytest.raises(ValueError, match=words):
        KRRGraph(**{field: 0.0})
