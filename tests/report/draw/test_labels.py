"""Names beside marks: none on another, on a mark, on an error bar, on a line or beyond the frame."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.report.draw.labels import Box, Named, name_line, name_marks
from pate.report.draw.svg import drawing

FIVE = ["PATE", "DP-SGD", "consensus", "DP-SGD, worst case", "my own method"]


def drawn(marks, line=None):
    """The boxes of the names that were written, with those of all that must not be under them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with drawing() as (figure, axes):
        axes.set_xscale("log")
        axes.set_xlim(0.5, 20)
        axes.set_ylim(0, 1)
        if line is not None:
            name_line(axes, "without privacy", line, marks)
        told = name_marks(axes, marks, line)
        figure.draw_without_rendering()
        renderer = FigureCanvasAgg(figure).get_renderer()
        boxes = {}
        for place, text in enumerate(axes.texts):
            if text.get_text():
                found = text.get_window_extent(renderer)
                boxes[text.get_text(), place] = Box(found.x0, found.y0, found.x1, found.y1)
        frame = axes.get_window_extent(renderer)
        points = [axes.transData.transform((mark.x, mark.y)) for mark in marks]
        return told, boxes, Box(frame.x0, frame.y0, frame.x1, frame.y1), points


def alone(boxes, frame, points):
    several = list(boxes.values())
    for at, box in enumerate(several):
        assert frame.holds(box)
        assert not any(box.meets(other) for other in several[:at])
        assert not any(box.meets(Box.around(x, y, 10, 10)) for x, y in points)


@pytest.mark.parametrize("apart", [0.0, 0.002, 0.02])
def test_five_methods_at_the_same_epsilon_are_all_named(apart):
    marks = [Named(name, 1.0, 0.8 + place * apart, 0.01) for place, name in enumerate(FIVE)]
    told, boxes, frame, points = drawn(marks, line=0.9)
    assert sorted(told) == sorted(FIVE)
    assert len(boxes) == len(FIVE) + 1  # and the line's
    alone(boxes, frame, points)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.6, 1.0, 1.05, 18.0]), st.floats(0.05, 0.95)), min_size=1, max_size=6),
    st.floats(0.05, 0.95),
)
def test_wherever_marks_are(places, line):
    marks = [Named(f"method {place}", x, y, 0.02) for place, (x, y) in enumerate(places)]
    _, boxes, frame, points = drawn(marks, line)
    alone(boxes, frame, points)


def test_a_name_at_one_place_is_said_once():
    told, _, _, _ = drawn([Named("PATE", 1.0, 0.5), Named("PATE", 1.0, 0.5), Named("PATE", 10.0, 0.5)])
    assert told == ["PATE", "PATE"]


def test_what_has_no_name_is_in_the_way_all_the_same():
    _, boxes, _, points = drawn([Named("PATE", 1.0, 0.5), *(Named("", 1.0 * 1.12**k, 0.5) for k in range(1, 12))])
    (box,) = boxes.values()
    assert not any(box.meets(Box.around(x, y, 10, 10)) for x, y in points)


def test_the_name_of_a_line_goes_where_no_mark_is():
    _, boxes, frame, points = drawn([Named("", 0.6, 0.52, 0.1), Named("", 0.6, 0.48, 0.1)], line=0.5)
    (box,) = boxes.values()
    assert box.left > points[0][0]
    assert math.isclose(box.right, frame.right, abs_tol=10)
