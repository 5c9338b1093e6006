"""What is published answers about raw inputs, alone."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pate.data.split import Public
from pate.features.linear import LinearEncoder
from pate.features.pca import PCA
from pate.features.scattering import Scattering
from pate.models.decision import Decision
from pate.models.predictor import Predictor
from pate.students.graph import GraphStudent
from pate.students.student import Lesson
from pate.students.supervised import Supervised
from pate.workspace.store import Store
from pate.workspace.versions import MODEL, Newer

IMAGES = (load_digits().images * 15).astype(np.uint8)
Y = load_digits().target
PUBLIC = Public(IMAGES[:500], [f"digit {i}" for i in range(10)])


def published(features, student=Supervised()):
    encoder = features.fit(PUBLIC.x) if features else LinearEncoder()
    x = encoder.transform(PUBLIC.x)
    lesson = Lesson(PUBLIC.x, x, np.arange(300), Y[:300], 10)
    return Predictor.of(student.fit(lesson), encoder, PUBLIC)


@pytest.mark.parametrize("features", [None, PCA(20), Scattering(components=30)], ids=["pixels", "pca", "scattering"])
@pytest.mark.parametrize("student", [Supervised(), GraphStudent()], ids=["supervised", "graph"])
def test_it_survives_being_stored(features, student, tmp_path):
    one = published(features, student)
    store = Store(tmp_path)
    store.write("release", "student", "key", {"student": one}, {"seconds": 0, "notes": []})
    two = store.read("release", "student", "key", "student", Predictor)
    rows = one.rows(IMAGES[500:600])
    np.testing.assert_array_equal(rows, two.rows(IMAGES[500:600]))
    np.testing.assert_array_equal(one.model.scores(rows), two.model.scores(rows))
    assert two.classes == PUBLIC.classes
    assert (two.model.predict(rows) == Y[500:600]).mean() > 0.7


def test_features_at_hand_are_not_made_again():
    features = np.ones((2, 20), np.float32)
    own = published(PCA(20))
    assert own.rows_at_hand(IMAGES[:2], PCA(20).fit(PUBLIC.x), features) is features
    assert own.rows_at_hand(IMAGES[:2], PCA(20).fit(PUBLIC.x[:400]), features) is not features
    pixels = published(None).rows_at_hand(IMAGES[:2], own.encoder, features)
    np.testing.assert_allclose(pixels, IMAGES[:2].reshape(2, 64) / 255, 1e-6)


@pytest.mark.parametrize("inputs", [IMAGES[:3, :7], IMAGES[:3] / 255, IMAGES[:3].reshape(3, 64)])
def test_other_inputs_are_refused(inputs):
    with pytest.raises(ValueError, match=r"this model was made for \(8, 8\) uint8"):
        published(None).rows(inputs)


def plain(**changes):
    """A student as it is published, with some of its parts exchanged."""
    arrays, facts = published(PCA(20)).split()
    for name, value in changes.items():
        (arrays if isinstance(value, np.ndarray) else facts)[name.replace("__", ".")] = value
    return arrays, facts


def test_a_whole_one_is_joined():
    assert Predictor.join(*plain()).classes == PUBLIC.classes


def test_its_decision_travels_with_it_and_earlier_ones_have_none():
    arrays, facts = plain()
    decision = Decision([0.1] * 10, 3, 0.2, "somewhere")
    assert Predictor.join(arrays, facts | {"decision": decision.plain()}).decision == decision
    for version in ({"version": 2}, {}):  # as they were written before there were decisions
        before = {name: fact for name, fact in facts.items() if name not in ("decision", "version")} | version
        one = Predictor.join(arrays, before)
        assert one.decision is None
        belief = np.eye(10)[[4, 2]]
        np.testing.assert_array_equal(one.answers(belief), [4, 2])
    with pytest.raises(Newer):
        Predictor.join(arrays, facts | {"version": MODEL + 1})


@pytest.mark.parametrize(
    "changes",
    [
        {"decision": {"shares": [0.5, 0.5]}},
        {"decision": Decision([0.5, 0.5]).plain()},
        {"decision": Decision(None, 10, 0.2).plain()},
        {"classes": ["a", "b"]},
        {"classes": ["a"] * 10},
        {"classes": [f"\x1b[{i}m" for i in range(10)]},
        {"classes": list(range(10))},
        {"shape": [8, 9]},
        {"shape": [10**9, 10**9]},
        {"shape": []},
        {"shape": [64.0]},
        {"dtype": "object"},
        {"dtype": "f4,f4"},
        {"columns": {"numeric": [["a", 0, 1]], "categorical": []}},
        {"columns": {"numeric": "a"}},
        {"model": {"kind": "Classifier"}},
        {"model": {"kind": ["Classifier"]}},
        {"model": None},
        {"encoder": {"scattering": {"scales": 2, "angles": 10**9, "groups": None, "flip": False}}},
        {"encoder": {"low": 1.0, "high": 0.0}},
        {"encoder": {"low": "0"}},
        {"encoder__mean": np.full(64, np.nan)},
        {"encoder__mean": np.zeros((64, 2))},
        {"encoder__components": np.zeros((64, 3))},
        {"encoder__components": np.zeros((64, 20), complex)},
        {"model__layers.0.weight": np.full((10, 20), np.inf, np.float32)},
        {"model__layers.0.weight": np.zeros((10, 20))},
        {"model__layers.0.bias": np.zeros((10, 1), np.float32)},
        {"model__more": np.zeros(3, np.float32)},
    ],
    ids=str,
)
def test_parts_that_no_training_made_are_refused_when_they_are_read(changes):
    with pytest.raises(ValueError):
        Predictor.join(*plain(**changes))
