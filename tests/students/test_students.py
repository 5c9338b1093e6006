"""Students learn from few labels, over all classes."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading as SklearnSpreading

from pate.evaluation.metrics.calibration_error import calibration_error
from pate.models.model import Model
from pate.students.graph import GraphStudent
from pate.students.krr import KRR
from pate.students.label_spreading import LabelSpreading
from pate.students.self_training import SelfTraining
from pate.students.student import Lesson
from pate.students.supervised import Supervised
from pate.workspace.store import Store

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
POOL, TEST = slice(0, 600), slice(1000, None)
KINDS = [Supervised(), SelfTraining(), GraphStudent(), LabelSpreading(), KRR(), KRR(1.0, power=0.5)]


@pytest.fixture(params=KINDS, ids=lambda kind: type(kind).__name__)
def student(request):
    return request.param


def labelled(n, seed=0):
    index = np.random.default_rng(seed).choice(600, n, replace=False)
    return index, Y[POOL][index].astype(np.int64)


def lesson(index, label, wrong=0.0, seed=0):
    return Lesson(X[POOL], X[POOL], index, label, 10, wrong, seed)


def test_a_hundred_labels_teach_digits(student):
    model = student.fit(lesson(*labelled(100), seed=0))
    assert (model.predict(X[TEST]) == Y[TEST]).mean() > 0.8


def test_supervised_is_scikit_learns_logistic_regression():
    index, label = labelled(100)
    peer = LogisticRegression(C=1.0, max_iter=300).fit(X[POOL][index], label)
    model = Supervised(1.0).fit(lesson(index, label))
    np.testing.assert_allclose(model.proba(X[TEST]), peer.predict_proba(X[TEST]), atol=1e-5)


@pytest.mark.parametrize("classes", [[3], [3, 7], [1, 3, 7]])
def test_classes_nobody_labelled_are_never_predicted(student, classes):
    index = np.flatnonzero(np.isin(Y[POOL], classes))[:60]
    model = student.fit(lesson(index, Y[POOL][index].astype(np.int64)))
    assert model.classes == 10
    assert set(model.predict(X[TEST])) <= set(classes)
    own = np.isin(Y[TEST], classes)
    assert (model.predict(X[TEST][own]) == Y[TEST][own]).mean() > 0.8


def test_the_same_seed_gives_the_same_student(student):
    one, two = (student.fit(lesson(*labelled(80), seed=4)) for _ in range(2))
    for name, array in one.split()[0].items():
        np.testing.assert_array_equal(array, two.split()[0][name])


def test_a_student_survives_being_stored(student, tmp_path):
    model = student.fit(lesson(*labelled(80), seed=0))
    store = Store(tmp_path)
    store.write("release", "student", "key", {"student": model}, {"seconds": 0, "notes": []})
    again = store.read("release", "student", "key", "student", Model)
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.scores(X[TEST]), model.scores(X[TEST]))


def test_the_graph_outvotes_wrong_labels():
    """A fifth of 150 labels wrong: most of the wrongly labelled inputs are put right, and all of the pool gains."""
    index, label = labelled(150)
    wrong = np.random.default_rng(1).random(150) < 0.2
    label = np.where(wrong, (label + 1) % 10, label)
    guess = {kind: kind.fit(lesson(index, label)).predict(X[POOL]) for kind in (Supervised(), GraphStudent())}
    share = {type(kind).__name__: (found == Y[POOL]).mean() for kind, found in guess.items()}
    assert (guess[GraphStudent()][index[wrong]] == Y[POOL][index[wrong]]).mean() > 0.7
    assert share["GraphStudent"] > share["Supervised"] + 0.05


@pytest.mark.parametrize("kind", [GraphStudent(), LabelSpreading(), KRR()], ids=lambda kind: type(kind).__name__)
def test_students_on_graphs_know_how_sure_they_may_be(kind):
    model = kind.fit(lesson(*labelled(200)))
    belief = model.proba(X[TEST])
    np.testing.assert_allclose(belief.sum(axis=1), 1, rtol=1e-4)
    assert calibration_error(belief, Y[TEST]) < 0.08


def test_label_spreading_is_no_worse_than_scikit_learns():
    index = np.concatenate([np.flatnonzero(Y[POOL] == digit)[:10] for digit in range(10)])
    ours = LabelSpreading().fit(lesson(index, Y[POOL][index].astype(np.int64))).predict(X[POOL])
    seeds = np.full(600, -1)
    seeds[index] = Y[POOL][index]
    peer = SklearnSpreading(kernel="knn", n_neighbors=5, alpha=0.95, max_iter=300).fit(X[POOL], seeds)
    assert (ours == Y[POOL]).mean() > (peer.transduction_ == Y[POOL]).mean() - 0.01


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": X[:5]}, "expected as many"),
        ({"label": np.zeros(3, int)}, "expected as many, at least one"),
        ({"index": np.empty(0, int), "label": np.empty(0, int)}, "at least one"),
        ({"wrong": 1.0}, "wrong must be a share"),
        ({"true": True}, "labels are true for all inputs"),
    ],
)
def test_a_lesson_that_does_not_fit_together_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Lesson(
            **({"inputs": X[POOL], "features": X[POOL], "index": np.arange(5), "label": Y[:5], "classes": 10} | change)
        )


def test_evened_features_do_not_depend_on_their_units():
    index, label = labelled(100)
    units = np.geomspace(0.1, 10, 64, dtype=np.float32)
    one = KRR(power=1.0).fit(lesson(index, label)).predict(X[TEST])
    other = KRR(power=1.0).fit(replace(lesson(index, label), features=X[POOL] * units)).predict(X[TEST] * units)
    assert (one == other).mean() > 0.99


def test_noisy_labels_everywhere_are_still_noisy():
    rng = np.random.default_rng(0)
    label = np.where(rng.random(600) < 0.3, rng.integers(0, 10, 600), Y[POOL]).astype(np.int64)
    said = GraphStudent().fit(lesson(np.arange(600), label)).predict(X[TEST])
    assert (said == Y[TEST]).mean() > 0.85


@pytest.mark.parametrize("kind", [GraphStudent(), KRR()], ids=lambda kind: type(kind).__name__)
def test_far_from_everything_a_class_nobody_saw_still_never_wins(kind):
    index = np.flatnonzero(Y[POOL] > 2)[:100]
    model = kind.fit(lesson(index, Y[POOL][index].astype(np.int64)))
    assert min(model.predict(X[TEST] + 100)) > 2


@pytest.mark.parametrize("kind", [GraphStudent(), KRR()], ids=lambda kind: type(kind).__name__)
def test_the_unit_of_the_features_does_not_matter(kind):
    one = kind.fit(lesson(*labelled(100))).predict(X[TEST])
    other = kind.fit(replace(lesson(*labelled(100)), features=16 * X[POOL])).predict(16 * X[TEST])
    assert (one == other).mean() > 0.99


def test_with_every_label_self_training_is_supervised():
    index, label = np.arange(600), Y[POOL].astype(np.int64)
    everything = replace(lesson(index, label), true=True)
    one, two = (kind.fit(everything) for kind in KINDS[:2])
    np.testing.assert_array_equal(one.layers["0.weight"], two.layers["0.weight"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Supervised(0), "inverse_penalty"),
        (lambda: SelfTraining(float("nan")), "inverse_penalty"),
        (lambda: SelfTraining(rounds=0), "rounds"),
        (lambda: GraphStudent(neighbours=0), "neighbours must be at least 1"),
        (lambda: GraphStudent(alpha=1.0), "alpha must lie strictly between 0 and 1"),
        (lambda: GraphStudent(gamma=0), "gamma must be a positive number"),
        (lambda: GraphStudent(penalty=float("inf")), "penalty must be a positive number"),
        (lambda: KRR(gamma=-1), "gamma must be a positive number"),
        (lambda: KRR(power=1.5), "power must lie between 0 and 1"),
        (lambda: KRR(penalty=0), "penalty must be a positive number"),
        (lambda: GraphStudent(power=2), "power must lie between 0 and 1"),
        (lambda: GraphStudent(unsure=1.0), "unsure must be a share"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
