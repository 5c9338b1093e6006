"""Who pays: shares and their errors, against scipy's binomial law, sklearn, and a count by hand."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import balanced_accuracy_score

from pate.evaluation.by_column import by_column
from pate.evaluation.results import Results
from pate.workspace.typed_json import from_json, to_json
from tests.evaluation.made_up import typed

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 200)
GROUP = RNG.integers(0, 2, 200)
ANSWER = np.where(RNG.random(200) < 0.7, TRUTH, 0)


def test_a_share_has_the_standard_error_of_its_binomial_law():
    found = by_column("sex", ["F", "M"], GROUP, TRUTH, {"pate": ANSWER})
    for place, (count, one) in enumerate(zip(found.counts, found.methods["pate"], strict=True)):
        mine = place == GROUP
        assert count == mine.sum()
        assert one.error == pytest.approx((ANSWER[mine] != TRUTH[mine]).mean())
        assert one.standard_error == pytest.approx(binom.std(count, one.error) / count)


def test_balanced_accuracy_is_sklearns_and_its_error_that_of_a_mean_of_shares():
    found = by_column("sex", ["F", "M"], GROUP, TRUTH, {"pate": ANSWER})
    rng = np.random.default_rng(1)
    for place, one in enumerate(found.methods["pate"]):
        truth, answer = TRUTH[place == GROUP], ANSWER[place == GROUP]
        assert one.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, answer))
        held = np.bincount(truth)
        drawn = [rng.binomial(n, (answer[truth == c] == c).mean(), 40000) / n for c, n in enumerate(held)]
        assert one.balanced_standard_error == pytest.approx(np.mean(drawn, axis=0).std(), rel=0.02)


def test_a_group_of_one_class_has_no_balanced_accuracy_and_an_empty_one_is_left_out():
    truth, group = np.array([1, 1, 0, -1]), np.array([0, 0, 2, 1])
    found = by_column("town", ["a", "b", "c"], group, truth, {"pate": np.array([1, 0, 0])})
    assert (found.groups, found.counts) == (["a", "c"], [2, 1])
    assert [one.balanced_accuracy for one in found.methods["pate"]] == [None, None]
    assert [one.error for one in found.methods["pate"]] == [0.5, 0.0]


def test_it_is_read_back_from_results_and_none_stands_where_nobody_asked():
    found = by_column("sex", ["F", "M"], GROUP, TRUTH, {"pate": ANSWER})
    plain = to_json(typed({"methods": []})) | {"by": to_json(found)}
    assert from_json(Results, plain).by == found
    assert typed({"methods": []}).by is None
