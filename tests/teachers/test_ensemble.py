"""Every teacher learns from its own partition only, whatever the number of processes, and again after a kill."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifier

from pate.data.partition import assign
from pate.teachers.ensemble import Teachers, train
from pate.teachers.graph import GraphTeachers
from pate.teachers.krr import KRR
from pate.teachers.krr_graph import KRRGraph
from pate.teachers.logistic import Logistic
from pate.teachers.ridge import Ridge
from pate.teachers.sklearn import Sklearn
from pate.workspace.store import Store

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
X, Y, PUBLIC = X[:600], Y[:600], X[1500:]
TREE = {"_target_": "sklearn.tree.DecisionTreeClassifier"}
KINDS = [
    Logistic(count=6),
    Ridge(count=60),
    Sklearn(count=6, estimator=TREE),
    KRR(count=30),
    GraphTeachers(count=60),
    KRRGraph(count=30),
]


def ensemble(teachers, x=X, y=Y, **options):
    return train(teachers, x, y, assign(len(y), teachers.count, 0), PUBLIC, 10, **({"seed": 0} | options))


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


def test_ridge_is_scikit_learns_ridge():
    x = np.concatenate([X, np.ones((600, 1), np.float32)], axis=1)
    public = np.concatenate([PUBLIC, np.ones((len(PUBLIC), 1), np.float32)], axis=1)
    for count in (2, 30):  # more records than features, and fewer
        votes = ensemble(Ridge(count=count, penalty=0.7))
        rows = assign(600, count, 0) == 1
        peer = RidgeClassifier(alpha=0.7, fit_intercept=False).fit(x[rows], Y[rows])
        assert (peer.classes_[peer.decision_function(public).argmax(axis=1)] == votes[1]).mean() > 0.995


def test_krr_is_scikit_learns_kernel_ridge():
    votes = ensemble(KRR(count=3, gamma=0.1, penalty=0.03))
    rows = assign(600, 3, 0) == 1
    peer = KernelRidge(alpha=0.03, kernel="rbf", gamma=0.1).fit(X[rows], np.eye(10)[Y[rows]])
    assert (peer.predict(PUBLIC).argmax(axis=1) == votes[1]).mean() > 0.995


def test_spreading_makes_teachers_of_twenty_records_agree_and_be_right():
    truth = load_digits().target[1500:]
    share = {}
    for teachers in (Ridge(count=30), KRR(count=30), GraphTeachers(count=30), KRRGraph(count=30)):
        share[type(teachers).__name__] = (ensemble(teachers) == truth).mean()
    assert share["GraphTeachers"] > share["KRR"] + 0.05
    assert share["KRRGraph"] > share["KRR"] + 0.02
    assert share["GraphTeachers"] > share["Ridge"] + 0.05


def test_a_random_estimator_is_seeded_per_teacher():
    first, again = ensemble(KINDS[2], seed=1), ensemble(KINDS[2], seed=1)
    np.testing.assert_array_equal(first, again)
    assert (ensemble(KINDS[2], seed=2) != first).any()


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


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ridge(count=0), "count must be at least 1"),
        (lambda: Ridge(penalty=0), "penalty must be a positive number"),
        (lambda: Logistic(inverse_penalty=-1), "inverse_penalty must be a positive number"),
        (lambda: Logistic(iterations=0), "iterations must be at least 1"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.nothing.Here"}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.svm.SVC", "depth": 3}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.preprocessing.StandardScaler"}), "no classifier"),
        (lambda: Sklearn(estimator={}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.linear_model.LinearRegression"}), "no classifier"),
        (lambda: Sklearn(estimator=TREE | {"max_depth": -5}), "estimator: .*max_depth"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
