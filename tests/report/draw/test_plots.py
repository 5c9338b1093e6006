"""The plots of a page: what can be drawn, and words that say what each shows, epsilons rounded up."""

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from pate.report.draw.plots import Mark, bars, ladder, legend, score_by_epsilon, vote_gaps
from pate.report.draw.published import Reference
from pate.report.run.panel import Panel

PATE = Mark("PATE", "o", "pate", 1.0001, 0.8, 0.01, "this data set")
DPSGD = Mark("DP-SGD", "s", "dpsgd", 4.0, 0.6, 0.01, "every data set")


def words(picture):
    return next(child.text for child in ElementTree.fromstring(picture) if child.tag.endswith("desc"))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_no_logarithm_no_mark(epsilon):
    assert PATE.drawable
    assert not Mark("PATE", "o", "pate", epsilon, 0.8, 0.01, "this data set").drawable


def test_the_legend_names_each_shape_once():
    assert legend([PATE, PATE, DPSGD]) == "Circles PATE, squares DP-SGD."
    assert legend([PATE, DPSGD, replace(DPSGD, label="DP-SGD, worst case")]).endswith(
        "squares DP-SGD and DP-SGD, worst case."
    )
    assert legend([Mark("mine", "*", "mine", 1.0, 0.5, 0.0, "every data set")]) == "Marks mine."


def test_an_accuracy_is_told_with_its_epsilon_and_for_which_data_it_holds():
    paper = Reference("s", 2.0, 0.95, "every data set", "a paper")
    assert words(score_by_epsilon([PATE, DPSGD], 0.97, [paper])) == (
        "PATE: 80.0% at epsilon 1.001 for this data set; DP-SGD: 60.0% at epsilon 4.000 for every data set. "
        "Without privacy 97.0%. Published: a paper: 95.0% at 2 for every data set."
    )


ACCOUNTANTS = [
    {"accountant": "simple", "valid": True, "holds_for": "every data set"},
    {"accountant": "votes", "valid": True, "holds_for": "this data set"},
    {"accountant": "paper", "valid": False, "holds_for": "this data set"},
]
PANEL = Panel(
    "scale", [1.0], [10, 100], [1e-5], ACCOUNTANTS, [[[[1.0, 0.5, 0.25]], [[8.0, 2.0, None]]]], [[None]], [[None]],
    [0, 1, 0], "zero-out", 9, exact_order=True,
)  # fmt: skip


def test_a_ladder_tells_where_its_lines_end():
    assert words(ladder(PANEL)) == "At 100 queries, delta 1e-05: paper 0.250, votes 2.000, simple 8.000."


def test_bars_are_told_from_the_dearest_to_the_least():
    assert words(bars([("a", 1.0), ("b", 3.0), ("c", 2.0)])) == "b 3.000, c 2.000, a 1.000."


def test_gaps_are_told_with_or_without_a_line_for_the_noise():
    told = {"edges": [0, 5, 10], "queries": [1, 3], "median": 7, "teachers": 9, "close": 0.25}
    for line in ({"at": [], "overturned": []}, {"at": [1, 9], "overturned": [0.4, 0.01]}):
        assert words(vote_gaps(told | line)).startswith("The median gap is 7 of 9 votes; 25% of the queries")
