"""results.json of the second version: its one lead is one of many, and its one standard error too."""

import copy

from pate.evaluation.leads import Lead
from pate.evaluation.measure import ACCURACY
from pate.evaluation.results_file import results_of

PRICE = {
    "epsilon": 1.0, "delta": 1e-5, "relation": "one record replaced by nothing", "data_dependent": False,
    "accountant": "basic", "theorem": "t", "valid": True, "withheld": "", "sanitised": False, "publishable": True,
    "holds_for": "every data set", "fixed_queries": False,
}  # fmt: skip
SECOND = {
    "version": 2,
    "methods": [
        {"name": "pate", "title": "PATE", "from_pool": True, "compared_at": "best", "guarantees": [PRICE],
         "metrics": {"accuracy": 0.9, "calibration_error": 0.1}, "accuracy_standard_error": 0.02, "ahead": None},
        {"name": "dpsgd", "title": "DP-SGD", "compared_at": "worst case", "guarantees": [PRICE],
         "metrics": {"accuracy": 0.8}, "accuracy_standard_error": 0.03, "ahead": [0.1, 0.01, 0.001]},
        {"name": "nonprivate", "title": "bound", "private": False, "metrics": {"accuracy": 0.95},
         "accuracy_standard_error": None, "ahead": [-0.05, 0.01, 0.002]},
    ],
    "pate": {}, "stages": {}, "config": {"dataset": {"name": "toy"}}, "notes": [],
}  # fmt: skip


def test_the_first_methods_lead_is_read_both_ways():
    pate, dpsgd, bound = results_of(copy.deepcopy(SECOND)).methods
    assert pate.leads == {
        "dpsgd": {"accuracy": Lead(0.1, 0.01, 0.001)},
        "nonprivate": {"accuracy": Lead(-0.05, 0.01, 0.002)},
    }
    assert dpsgd.leads == {"pate": {"accuracy": Lead(-0.1, 0.01, 0.001)}}
    assert bound.leads == {"pate": {"accuracy": Lead(0.05, 0.01, 0.002)}}


def test_accuracy_was_the_measure_and_had_the_only_standard_error():
    found = results_of(copy.deepcopy(SECOND))
    assert [row.standard_errors for row in found.methods] == [{"accuracy": 0.02}, {"accuracy": 0.03}, {}]
    assert (found.measure, found.baseline, found.version) == (ACCURACY, None, 3)
    assert found.methods[0].metrics["calibration_error"] == 0.1


def test_who_learned_from_the_pool_was_a_student():
    assert [row.from_labels for row in results_of(copy.deepcopy(SECOND)).methods] == [True, False, False]
