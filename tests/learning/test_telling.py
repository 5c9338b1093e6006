"""Trainings tell plain numbers to whoever follows, and learn the same whether anybody does or not."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pate.dpsgd.models import Linear
from pate.learning.telling import followed, following, tell, telling
from pate.noise import source
from pate.students import gan
from pate.students.gan import GAN
from pate.students.graph_cnn import GraphCNN
from pate.students.student import Lesson

X, Y = (load_digits().data[:300] / 16).astype(np.float32), load_digits().target[:300].astype(np.int64)


@pytest.fixture
def heard():
    """Whatever is told while the test runs."""
    told = []
    with following(lambda step, figures: told.append((step, dict(figures)))):
        yield told


def test_nobody_follows_unless_asked_to():
    assert not followed()
    tell(1, loss=2.0)
    told = []
    with following(lambda *one: told.append(one)), telling("student"):
        assert followed()
        tell(1, loss=2.0)
    tell(2, loss=1.0)
    assert told == [(1, {"student_loss": 2.0})]


def test_who_follows_is_forgotten_when_the_run_fails():
    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError), following(lambda *one: None), telling("student"):
        fail()
    assert not followed()


def trained(epochs=10):
    settings = Linear(epsilon=3.0, lot=60, epochs=epochs, learning_rate=1.0, clip=1.0)
    return settings.fit(X, Y, 10, epsilon=3.0, delta=1e-4, seed=0, noise=source(1), device="cpu")


def test_dpsgd_tells_its_loss_and_what_it_has_spent_once_an_epoch(heard):
    with telling("dpsgd"):
        _, spent = trained()
    assert [step for step, _ in heard] == list(range(5, 51, 5))  # a lot is a fifth of the records
    epsilons = [figures["dpsgd_epsilon_so_far"] for _, figures in heard]
    assert epsilons == sorted(epsilons)
    assert epsilons[-1] == spent.epsilon
    losses = [figures["dpsgd_loss"] for _, figures in heard]
    assert losses[0] < 1.1 * np.log(10)  # at first it guesses among ten
    assert losses[-1] < losses[0]


def test_a_long_training_tells_a_hundred_times(heard):
    trained(epochs=200)
    assert len(heard) == 100
    assert heard[-1][0] == 1000


def test_dpsgd_learns_the_same_unfollowed():
    alone = trained()[0]
    with following(lambda *one: None):
        watched = trained()[0]
    assert all(np.array_equal(array, watched.layers[name]) for name, array in alone.layers.items())


def test_the_gan_tells_its_loss(heard, monkeypatch):
    monkeypatch.setattr(gan, "_LOOK", 10)
    with telling("student"):
        GAN(hidden=[16], generator=[16], latent=8, steps=30, minibatch=20, labelled=10).fit(
            Lesson(X, X, np.arange(60), Y[:60], 10)
        )
    assert [step for step, _ in heard] == [10, 20, 30]
    assert all(np.isfinite(figures["student_loss"]) for _, figures in heard)


def test_the_network_student_tells_its_loss_once_an_epoch(heard):
    lesson = Lesson(X[:100].reshape(-1, 8, 8), X[:100], np.arange(100), Y[:100], 10, true=True)
    with telling("nonprivate"):
        GraphCNN(images=200, rounds=1, channels=4, hidden=8, minibatch=32).fit(lesson)
    assert [step for step, _ in heard] == [100, 200]
    assert all(0 < figures["nonprivate_loss"] < 10 for _, figures in heard)
