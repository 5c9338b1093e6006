"""The gan student learns from inputs nobody labelled, survives wrong labels and kills, and becomes plain layers."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import log_softmax
from sklearn.datasets import load_digits

from pate.students import gan
from pate.students.gan import GAN, Game, noisy_entropy
from pate.students.student import Lesson
from pate.students.supervised import logistic

SMALL = GAN(hidden=[32, 16], generator=[16], latent=8, steps=40, minibatch=20, labelled=10)


def moons(n, seed=0):
    """Two classes in the plane, one bent around the other: only the unlabelled points tell where they end."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    angle = rng.uniform(0, np.pi, n)
    x = np.stack([np.cos(angle), np.sin(angle)], 1)
    x[y == 1] = np.array([1.0, 0.5]) - x[y == 1]
    return 5 * (x + rng.normal(0, 0.05, x.shape)) + 20, y


def lesson(inputs, y, index, classes, wrong=0.0, seed=0):
    index = np.asarray(index)
    return Lesson(inputs, inputs.reshape(len(inputs), -1).astype(np.float32), index, y[index], classes, wrong, seed)


def digits(n=500, labels=60, wrong=0.0, seed=0):
    """8x8 digits, pixels in [0, 1], a share of the labels replaced by the next class."""
    found = load_digits()
    x, y = (found.data[:n] / 16).astype(np.float32), found.target[:n].astype(np.int64)
    rng = np.random.default_rng(seed)
    index = rng.choice(n, labels, replace=False)
    given = y.copy()
    bad = index[: round(wrong * labels)]
    given[bad] = (given[bad] + 1) % 10
    return x, y, lesson(x, given, index, 10, wrong, seed)


def same(one, two):
    return all(np.array_equal(one.layers[name], two.layers[name]) for name in two.layers)


class Memory:
    """A checkpoint that forgets nothing, and may end the run after a save."""

    def __init__(self, saves=10**9):
        self.kept, self.left = None, saves

    def save(self, arrays):
        self.kept, self.left = {name: np.array(array) for name, array in arrays.items()}, self.left - 1
        if not self.left:
            raise KeyboardInterrupt

    def load(self):
        return self.kept


def test_unlabelled_inputs_teach_what_four_labels_cannot():
    x, y = moons(600)
    index = np.concatenate([np.flatnonzero(y == one)[:4] for one in (0, 1)])
    student = GAN([64, 64], [32], 10, 350, 100, labelled=8, input_noise=0.1, noise=0.2, average=0.97)
    model = student.fit(lesson(x, y, index, 2))
    flat = x.astype(np.float32)
    supervised = (logistic(flat[index], y[index], 2, 1.0).predict(flat) == y).mean()
    accuracy = (model.predict(flat) == y).mean()
    assert accuracy > 0.95, (accuracy, supervised)
    assert accuracy > supervised + 0.05, (accuracy, supervised)


def test_few_labels_teach_digits():
    x, y, given = digits(600, 100)
    student = GAN([100, 50], [50], 20, 300, 50, input_noise=0.2, noise=0.3, average=0.97)
    model = student.fit(given)
    other = np.setdiff1d(np.arange(len(y)), given.index)
    assert (model.predict(x)[other] == y[other]).mean() > 0.92


def test_wrong_labels_are_outvoted_when_they_are_expected():
    """Four in ten labels of three clouds are wrong: told so, the student follows the clouds; not told, the labels."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    x, index, given = rng.normal(0, 1, (400, 3)) + 4 * np.eye(3)[y], np.arange(60), y.copy()
    given[:24] = (given[:24] + rng.integers(1, 3, 24)) % 3
    student = GAN([64, 64], [32], 10, 250, 50, labelled=60, input_noise=0.1, noise=0.1, average=0.97)
    score = {}
    for wrong in (0.0, 0.4):
        model = student.fit(lesson(x, given, index, 3, wrong))
        score[wrong] = (model.predict(x.astype(np.float32)) == y).mean()
    assert score[0.4] > score[0.0] + 0.05, score


def test_the_corrected_loss_is_the_law_of_noisy_labels():
    rng = np.random.default_rng(0)
    scores, label, wrong = rng.normal(0, 3, (50, 4)).astype(np.float32), rng.integers(0, 4, 50), 0.3
    transition = np.full((4, 4), wrong / 3) + (1 - wrong - wrong / 3) * np.eye(4)
    law = np.exp(log_softmax(scores, axis=1)) @ transition
    expected = -np.log(law[np.arange(50), label]).mean()
    assert noisy_entropy(torch.from_numpy(scores), torch.from_numpy(label), wrong).item() == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["pixels", "features"])
def test_the_published_layers_give_the_networks_logits(kind):
    """Weight normalisation and the scaling of features are folded away: numpy finds what torch finds."""
    x, _, given = digits(80, 30)
    rows = x if kind == "pixels" else np.random.default_rng(0).normal(3, [1, 9, 2, 2, 2], (80, 5)).astype(np.float32)
    game = Game(replace(SMALL, average=0.0, input_noise=0.0, noise=0.0), replace(given, features=rows))
    for _ in range(5):
        game.step()
    seen = rows if kind == "pixels" else (rows - rows.mean(axis=0)) / np.sqrt(rows.var(axis=0).mean())
    with torch.no_grad():
        expected = game.judge(torch.from_numpy(seen))[0].numpy()
    np.testing.assert_allclose(game.classifier().scores(rows), expected, atol=2e-3)


def test_the_same_seed_gives_the_same_student_and_leaves_global_chance_alone():
    _, _, given = digits(100, 30)
    before = torch.get_rng_state()
    one, two, other = (SMALL.fit(replace(given, seed=seed)) for seed in (4, 4, 5))
    assert torch.equal(before, torch.get_rng_state())
    assert same(one, two)
    assert not same(one, other)


def test_an_interrupted_training_ends_where_an_uninterrupted_one_does(monkeypatch):
    monkeypatch.setattr(gan, "_LOOK", 10)
    _, _, given = digits(100, 30)
    whole, memory = SMALL.fit(given), Memory(saves=2)
    with pytest.raises(KeyboardInterrupt):
        SMALL.fit(given, memory)
    assert memory.kept["done"] == 20
    assert same(SMALL.fit(given, memory), whole)
    assert memory.kept["done"] == 40
    assert same(SMALL.fit(given, memory), whole)  # nothing is left to do


def test_training_ends_early_once_answers_no_longer_change(monkeypatch):
    monkeypatch.setattr(gan, "_LOOK", 10)
    _, y, given = digits(100, 30)
    only = np.flatnonzero(y == 3)[:3]
    memory = Memory()
    SMALL.fit(replace(given, index=only, label=y[only]), memory)  # one class: no answer ever changes
    assert memory.kept["done"] == 40  # three quiet looks, counted from half way on, where agreement counts in full


@pytest.mark.parametrize("seen", [[3], [3, 7]])
def test_classes_nobody_labelled_are_never_predicted(seen):
    x, y, given = digits(200)
    index = np.flatnonzero(np.isin(y, seen))[:20]
    model = SMALL.fit(replace(given, index=index, label=y[index]))
    assert model.classes == 10
    assert set(model.predict(x)) <= set(seen)


@pytest.mark.parametrize("labels", [1, 12])
def test_small_pools_and_full_labels(labels):
    """Twelve inputs, fewer than a minibatch; the first column never changes."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(0, 1, (12, 7)), rng.integers(0, 3, 12)
    x[:, 0] = 4
    model = SMALL.fit(lesson(x, y, np.arange(labels), 3, wrong=0.02))
    scores = model.scores(x.astype(np.float32))
    assert scores.shape == (12, 3)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden": []}, "hidden must be widths of at least one layer"),
        ({"generator": [30, 0]}, "generator must be widths"),
        ({"latent": 0}, "latent must be at least 1"),
        ({"steps": 0}, "steps must be at least 1"),
        ({"labelled": 0}, "labelled must be at least 1"),
        ({"minibatch": 1}, "minibatch must be at least 2"),
        ({"learning_rate": float("nan")}, "learning_rate must be a positive number"),
        ({"input_noise": -0.1}, "input_noise must be a number of at least 0"),
        ({"noise": float("inf")}, "noise must be a number of at least 0"),
        ({"average": 1.0}, "average must be a share"),
        ({"agreement": -1.0}, "agreement must be a number of at least 0"),
        ({"late": 1.0}, "late must be a share"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        GAN(**settings)
