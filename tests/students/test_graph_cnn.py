"""The network student: right, repeatable, and not undone by a kill."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pate.errors import ConfigError
from pate.features.linear import LinearEncoder
from pate.learning.checkpoint import Checkpoint
from pate.models.convnet import ConvNet
from pate.students.graph_cnn import GraphCNN
from pate.students.spread import spread_labels
from pate.students.student import Lesson
from pate.workspace.store import Store

IMAGES = np.kron(load_digits().images / 16, np.ones((1, 2, 2))).astype(np.float32)
Y = load_digits().target
ROWS = LinearEncoder().transform(IMAGES)
SMALL = GraphCNN(images=6000, channels=8, hidden=32, learning_rate=0.01, minibatch=32, views=True)


def lesson(labels=100, pool=500, wrong=0.0, seed=0):
    rng = np.random.default_rng(seed)
    index = np.sort(rng.choice(pool, labels, replace=False))
    label = Y[index].copy()
    bad = rng.choice(labels, int(wrong * labels), replace=False)
    label[bad] = (label[bad] + 1) % 10
    return Lesson(IMAGES[:pool], ROWS[:pool], index, label, 10, wrong, seed)


@pytest.fixture(scope="module")
def student():
    return SMALL.fit(lesson())


def same(one, two):
    return all(np.array_equal(array, two.layers[name]) for name, array in one.layers.items())


def test_it_learns_from_few_labels_and_global_chance_is_left_alone(student):
    before = torch.get_rng_state()
    again = SMALL.fit(lesson())
    assert torch.equal(torch.get_rng_state(), before)
    assert same(student, again)  # the same seed, the same student
    assert not same(student, SMALL.fit(lesson(seed=1)))
    assert (student.predict(ROWS[1000:]) == Y[1000:]).mean() > 0.85


def test_wrong_labels_are_outvoted():
    given = lesson(150, wrong=0.2)
    said = SMALL.fit(given).predict(ROWS[given.index])
    wrong = given.label != Y[given.index]
    assert (said[wrong] == Y[given.index][wrong]).mean() > 0.6


class Interrupted(Checkpoint):
    def __init__(self, pieces, after):
        super().__init__(pieces)
        self.left = after

    def save(self, arrays):
        super().save(arrays)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [1, 13, 20])  # within a round, at its end, in the next
def test_a_killed_training_goes_on_to_the_same_student(student, tmp_path, after):
    pieces = Store(tmp_path).pieces("student", "key")
    with pytest.raises(KeyboardInterrupt):
        SMALL.fit(lesson(), Interrupted(pieces, after))
    assert same(SMALL.fit(lesson(), Checkpoint(pieces)), student)


def test_it_stops_when_the_labels_have_settled(monkeypatch):
    rounds = []
    original = GraphCNN._learn
    monkeypatch.setattr(GraphCNN, "_learn", lambda self, *rest: rounds.append(1) or original(self, *rest))
    monkeypatch.setattr("pate.students.graph_cnn._SETTLED", 1.1)
    GraphCNN(images=500, channels=4, hidden=16, rounds=5).fit(lesson())
    assert len(rounds) == 1


def test_a_label_the_network_contradicts_seeds_no_further_graph(monkeypatch):
    seeds = []
    monkeypatch.setattr(
        "pate.students.graph.spread_labels",
        lambda graph, lesson: seeds.append(lesson.label != Y[lesson.index]) or spread_labels(graph, lesson),
    )
    SMALL.fit(lesson(150, wrong=0.1))
    assert seeds[0].sum() == 15
    assert seeds[1].sum() < 5
    assert len(seeds[1]) > 120


def test_with_every_label_it_is_a_plain_network():
    everything = Lesson(IMAGES[:400], ROWS[:400], np.arange(400), Y[:400], 10, true=True)
    assert (SMALL.fit(everything).predict(ROWS[1000:]) == Y[1000:]).mean() > 0.85


def test_a_class_with_a_single_wrong_label_and_classes_without():
    index = np.flatnonzero(np.isin(Y[:500], [0, 1]))[:40]
    label = Y[index].copy()
    label[0] = 7
    said = GraphCNN(images=2000, channels=4, hidden=16).fit(Lesson(IMAGES[:500], ROWS[:500], index, label, 10))
    assert set(said.predict(ROWS[:500])) <= {0, 1, 7}


def test_colours_and_bytes():
    colours = np.repeat((IMAGES[:200, :, :, None] * 255).astype(np.uint8), 3, axis=3)
    rows = LinearEncoder().transform(colours)
    model = GraphCNN(images=1000, channels=4, hidden=16).fit(Lesson(colours, ROWS[:200], np.arange(60), Y[:60], 10))
    assert model.shape == [16, 16, 3]
    assert model.scores(rows).shape == (200, 10)


def test_tables_are_refused():
    with pytest.raises(ConfigError, match="needs images"):
        SMALL.fit(Lesson(ROWS[:50], ROWS[:50], np.arange(20), Y[:20], 10))


def test_it_survives_being_stored(student, tmp_path):
    store = Store(tmp_path)
    store.write("release", "student", "key", {"student": student}, {"seconds": 0, "notes": []})
    again = store.read("release", "student", "key", "student", ConvNet)
    np.testing.assert_array_equal(again.scores(ROWS[:100]), student.scores(ROWS[:100]))
    assert again.moved


@pytest.mark.parametrize(
    ("field", "value"),
    [("rounds", 0), ("images", 0), ("unsure", 1.0), ("learning_rate", 0), ("shift", -1), ("turn", float("nan"))],
)
def test_bad_settings_are_refused(field, value):
    with pytest.raises(ValueError, match=field):
        GraphCNN(**{field: value})
