"""student=auto: who learns such inputs from a few noisy labels."""

from pate.data.outline import Outline
from pate.students.auto import Auto
from pate.students.graph import GraphStudent
from pate.students.supervised import Supervised

FROZEN = {}


def test_images_have_a_graph_and_rows_logistic_regression():
    assert Auto().suited(Outline((8, 8), 900, 90, 3)) == (GraphStudent(), "graph for grey images of 8 x 8")
    for shape in (None, (30,)):
        assert Auto().suited(Outline(shape, 900, 90, 3))[0] == Supervised()
