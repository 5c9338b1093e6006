"""Graph teachers: what few records say is spread over the public inputs."""

from sklearn.datasets import load_digits

from pate.teachers.graph import GraphTeachers
from pate.teachers.krr import KRR
from pate.teachers.krr_graph import KRRGraph
from pate.teachers.ridge import Ridge
from tests.teachers.digits import ensemble


def test_spreading_makes_teachers_of_twenty_records_agree_and_be_right():
    truth = load_digits().target[1500:]
    share = {}
    for teachers in (Ridge(count=30), KRR(count=30), GraphTeachers(count=30), KRRGraph(count=30)):
        share[type(teachers).__name__] = (ensemble(teachers) == truth).mean()
    assert share["GraphTeachers"] > share["KRR"] + 0.05
    assert share["KRRGraph"] > share["KRR"] + 0.02
    assert share["GraphTeachers"] > share["Ridge"] + 0.05
