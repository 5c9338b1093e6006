"""teachers=auto: who learns such inputs from few records, and how many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.data.outline import Outline
from pate.teachers.auto import Auto, usual_count
from pate.teachers.graph import GraphTeachers
from pate.teachers.logistic import Logistic

FROZEN = {"count": 50}


def test_images_have_graph_teachers_and_rows_logistic_ones():
    assert Auto(count=7).suited(Outline((16, 16), 900, 90, 3))[0] == GraphTeachers(count=7)
    for shape in (None, (30,)):
        assert Auto(count=7).suited(Outline(shape, 900, 90, 3))[0] == Logistic(count=7, inverse_penalty=1.0)


@pytest.mark.parametrize(
    ("records", "classes", "count"), [(1200, 10, 50), (60000, 10, 958), (32561, 2, 605), (199523, 2, 1000)]
)
def test_how_many_so_many_records_make(records, classes, count):
    assert usual_count(Outline(None, records, 1, classes)) == count


@given(records=st.integers(1, 10**6), classes=st.integers(0, 50))
def test_every_teacher_has_records_and_more_records_make_no_fewer(records, classes):
    count = usual_count(Outline(None, records, 1, classes))
    assert 1 <= count <= max(records, 1)
    assert count == 1 or records // count >= 2 * max(classes, 2)
    assert usual_count(Outline(None, records + 1, 1, classes)) >= count
