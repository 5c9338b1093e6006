"""Students learn from few labels, over all classes."""

from dataclasses import replace

import numpy as np
import pytest

from pate.evaluation.metrics.calibration_error import calibration_error
from pate.models.model import Model
from pate.students.graph import GraphStudent
from pate.students.krr import KRR
from pate.students.label_spreading import LabelSpreading
from pate.students.self_training import SelfTraining
from pate.students.student import Lesson
from pate.students.supervised import Supervised
from pate.workspace.store import Store
from tests.students.digits import POOL, TEST, X, Y, labelled, lesson

KINDS = [Supervised(), SelfTraining(), GraphStudent(), LabelSpreading(), KRR(), KRR(1.0, power=0.5)]


@pytest.fixture(params=KINDS, ids=lambda kind: type(kind).__name__)
def student(request):
    return request.param


def test_a_hundred_labels_teach_digits(student):
    model = student.fit(lesson(*labelled(100), seed=0))
    assert (model.predict(X[TEST]) == Y[TEST]).mean() > 0.8


@pytest.mark.parametrize("taught", ["more labels", "fewer wrong labels", "truer beliefs"])
def test_no_student_gets_worse_by_more_or_cleaner_labels(student, taught):
    """Means of three draws on the test set; a point of them is chance."""
    steps = {"more labels": (60, 200, 600), "fewer wrong labels": (0.2, 0.1, 0.0), "truer beliefs": (0.8, 0.9, 0.98)}
    reached = [
        np.mean([_right(student.fit(_lesson(taught, step, draw))) for draw in range(3)]) for step in steps[taught]
    ]
    assert np.diff(reached).min() > -0.01, reached


def _right(model):
    return (model.predict(X[TEST]) == Y[TEST]).mean()


def _lesson(taught, step, draw):
    if taught == "more labels":
        return lesson(*labelled(step, draw), seed=draw)
    rng = np.random.default_rng(draw)
    if taught == "fewer wrong labels":
        index, label = labelled(300, draw)
        bad = rng.choice(300, round(step * 300), replace=False)
        label[bad] = (label[bad] + rng.integers(1, 10, len(bad))) % 10
        return lesson(index, label, step, draw)
    truth = Y[POOL].astype(np.int64)
    sure = np.full(len(truth), 0.85)
    sure[rng.choice(len(truth), round((1 - step) * len(truth)), replace=False)] = 0.4
    other = (truth + rng.integers(1, 10, len(truth))) % 10
    belief = np.eye(10)[truth] * sure[:, None] + np.eye(10)[other] * (1 - sure)[:, None]
    return Lesson.of_beliefs(X[POOL], X[POOL], belief, draw)


def test_what_is_believed_of_every_input_is_worth_more_than_a_few_labels(student):
    taught = {"truer beliefs": 0.98, "more labels": 60}
    believed, labelled = (
        np.mean([_right(student.fit(_lesson(how, step, draw))) for draw in range(3)]) for how, step in taught.items()
    )
    assert believed > labelled


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


@pytest.mark.parametrize("kind", [GraphStudent(), LabelSpreading(), KRR()], ids=lambda kind: type(kind).__name__)
def test_students_on_graphs_know_how_sure_they_may_be(kind):
    model = kind.fit(lesson(*labelled(200)))
    belief = model.proba(X[TEST])
    np.testing.assert_allclose(belief.sum(axis=1), 1, rtol=1e-4)
    assert calibration_error(belief, Y[TEST]) < 0.08


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
