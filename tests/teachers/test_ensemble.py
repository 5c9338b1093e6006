"""Every teacher learns from its own partition only, whatever the number of processes, and again after a kill."""

from dataclasses import dataclass

import numpy as np
import pytest

from pate.data.partition import assign
from pate.learning.class_weights import ClassWeights
from pate.teachers.ensemble import Teachers, train
from pate.teachers.graph import GraphTeachers
from pate.teachers.krr import KRR
from pate.teachers.krr_graph import KRRGraph
from pate.teachers.logistic import Logistic
from pate.teachers.ridge import Ridge
from pate.teachers.sklearn import Sklearn
from pate.workspace.store import Store
from tests.teachers.digits import PUBLIC, X, Y, ensemble

TREE = {"_target_": "sklearn.tree.DecisionTreeClassifier"}
KINDS = [
    Logistic(count=6),
    Ridge(count=60),
    Sklearn(count=6, estimator=TREE),
    KRR(count=30),
    GraphTeachers(count=60),
    KRRGraph(count=30),
]


@pytest.mark.parametrize("teachers", KINDS, ids=lambda kind: type(kind).__name__)
def test_results_do_not_depend_on_the_number_of_processes(teachers):
    np.testing.assert_array_equal(ensemble(teachers, n_jobs=1), ensemble(teachers, n_jobs=2))


@pytest.mark.parametrize("teachers", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("change", ["another record", "another label", "far away"])
def test_one_record_changes_one_teacher_and_no_other_bit(teachers, change):
    x, y = X.copy(), Y.copy()
    if change == "another record":
        x[7] = X[8]
    elif change == "far away":
        x[7] = 1e6
    y[7] = (Y[7] + 5) % 10
    own = assign(len(Y), teachers.count, 0)[7]
    others = np.arange(teachers.count) != own
    np.testing.assert_array_equal(ensemble(teachers)[others], ensemble(teachers, x, y)[others])


@pytest.mark.parametrize("teachers", KINDS, ids=lambda kind: type(kind).__name__)
def test_a_teacher_that_saw_one_class_votes_for_it_and_one_that_saw_none_votes_too(teachers):
    y = np.where(np.arange(600) < 590, 3, Y)
    assignment = np.repeat([0, 1], [590, 10])
    three = type(teachers)(**{**vars(teachers), "count": 3})
    votes = train(three, X, y, assignment, PUBLIC, 10, seed=0)
    assert (votes[0] == 3).all()
    assert set(votes[1]) <= set(y[590:])
    assert votes[2].shape == (len(PUBLIC),)
    assert set(votes[2]) <= set(range(10))


@pytest.mark.parametrize("teachers", KINDS, ids=lambda kind: type(kind).__name__)
def test_one_record_changes_one_teacher_also_where_records_are_weighed(teachers):
    """Its label decides how often it is repeated, and no other's partition sees that."""
    weights = ClassWeights((0.5, *[0.5 / 9] * 9))
    assignment = assign(len(Y), teachers.count, 0)

    def votes(y):
        return train(teachers, X, y, assignment, PUBLIC, 10, seed=0, weights=weights)

    moved = Y.copy()
    moved[7] = 0 if Y[7] else 1
    others = np.arange(teachers.count) != assignment[7]
    np.testing.assert_array_equal(votes(Y)[others], votes(moved)[others])


def test_a_weighed_teacher_answers_a_class_declared_to_be_rare_more_often():
    rare = ClassWeights((0.05, *[0.95 / 9] * 9))
    x, y = X + np.random.default_rng(0).normal(0, 0.5, X.shape).astype(X.dtype), Y
    assignment = assign(len(y), 6, 0)
    plain, weighed = (
        train(Logistic(count=6), x, y, assignment, PUBLIC, 10, seed=0, weights=one) for one in (ClassWeights(), rare)
    )
    assert (weighed == 0).mean() > (plain == 0).mean()


@dataclass(frozen=True)
class Counting(Teachers):
    def predict_one(self, x, y, public, classes, seed):
        CALLS.append(len(y))
        return np.full(len(public), int(x.sum()) % classes)


CALLS: list[int] = []


@dataclass(frozen=True)
class Shared(Teachers):
    def prepare(self, public):
        return {"anything": public.mean(axis=0)}

    def predict_one(self, x, y, public, classes, seed):
        return np.full(len(PUBLIC), int(public["anything"].sum() > 0))


def test_what_teachers_share_may_be_anything():
    y = np.where(np.arange(600) < 300, 3, Y)  # the first of two teachers sees one class only
    votes = train(Shared(count=2), X, y, np.repeat([0, 1], 300), PUBLIC, 10, seed=0)
    assert (votes[0] == 3).all()
    assert (votes[1] == 1).all()


def test_only_missing_teachers_are_trained(tmp_path):
    pieces = Store(tmp_path).pieces("teachers", "key")
    CALLS.clear()
    whole = ensemble(Counting(count=5), pieces=pieces)
    assert len(CALLS) == 5
    np.testing.assert_array_equal(ensemble(Counting(count=5), pieces=pieces), whole)
    assert len(CALLS) == 5
    (next(tmp_path.rglob("000003-*.npy"))).unlink()
    np.testing.assert_array_equal(ensemble(Counting(count=5), pieces=pieces), whole)
    assert len(CALLS) == 6
