"""The plot of characters: where marks stand, what the legend says, and that nothing is drawn as what it is not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.accounting.guarantee import ZERO_OUT, Guarantee
from pate.evaluation.measure import ACCURACY
from pate.report.draw.terminal_plot import ASCII, HEIGHT, MARGIN, UNICODE, WIDTH, Dot, plot, points
from tests.evaluation.made_up import typed
from tests.report.draw.rows import BOUND, DPSGD, PATE, row


def dot(name, epsilon, accuracy, dependent):
    return Dot(name, accuracy, Guarantee(epsilon, 1e-5, ZERO_OUT, dependent, "", ""))


def test_a_method_with_two_epsilons_has_two_marks_and_the_legend_says_which_is_which():
    drawn = plot(points(typed({"methods": [PATE, DPSGD, BOUND]}).methods, ACCURACY), 0.95, UNICODE)
    field, legend = drawn[:HEIGHT], drawn[-3:]
    assert "".join(field).count("○") == 1
    assert "".join(field).count("●") == 2
    told = "delta 0.0001, one record replaced by nothing"
    assert legend == [
        f"  ○ PATE: 80.0% at epsilon 1.000 for this data set (the owner's, not publishable), {told}",
        f"  ● PATE: 80.0% at epsilon 10.000 for every data set (publishable), {told}",
        f"  ● DP-SGD: 60.0% at epsilon 1.000 for every data set (the owner's, not publishable), {told}",
    ]
    (line,) = [one for one in field if "╌" in one]
    assert "non-private 95.0%" in line
    same = [one for one in field if "○" in one]
    assert len(same) == 1
    assert same[0].index("○") < same[0].index("●")  # one accuracy, two prices


def test_an_epsilon_that_is_publishable_itself_is_one_point():
    alone = row("dpsgd", epsilon=2.0, epsilon_publishable=2.0, guarantee="every data set")
    (point,) = points(typed({"methods": [alone]}).methods, ACCURACY)
    assert point.guarantee.publishable


@pytest.mark.parametrize("epsilon", [None, 0.0, math.inf])
def test_what_no_logarithmic_axis_can_show_is_left_out(epsilon):
    assert (
        points(typed({"methods": [row("pate", epsilon=epsilon, epsilon_publishable=None), BOUND]}).methods, ACCURACY)
        == []
    )
    assert points(typed({"methods": [row("pate", accuracy=None)]}).methods, ACCURACY) == []


def test_the_axis_is_logarithmic():
    epsilons = (0.1, 1.0, 10.0)
    found = [dot("x", e, 0.2 + n / 4, True) for n, e in enumerate(epsilons)]
    places = [line.index("o") for line in reversed(plot(found, None, ASCII)[:HEIGHT]) if "o" in line]
    assert len(places) == 3
    assert places[2] - places[1] == pytest.approx(places[1] - places[0], abs=1)


share = st.floats(0, 1)
point = st.builds(
    dot, st.sampled_from(["PATE", "DP-SGD", "a longer name than most"]), st.floats(1e-6, 1e6), share, st.booleans()
)


@given(st.lists(point, min_size=1, max_size=6), st.none() | share)
def test_every_point_has_its_mark_inside_the_field_whatever_the_numbers(found, bound):
    drawn = plot(found, bound, UNICODE)
    field = drawn[:HEIGHT]
    for kind, mark in UNICODE.marks.items():
        assert sum(line.count(mark) for line in field) == sum(one.guarantee.holds_for == kind for one in found)
    assert max(map(len, field)) <= MARGIN + WIDTH
    assert "\n".join(plot(found, bound, ASCII)).isascii()
