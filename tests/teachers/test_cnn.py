"""Convolutional teachers learn from images, from their own only, and leave torch as they found it."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pate.data.partition import assign
from pate.errors import ConfigError
from pate.teachers.cnn import CNN
from pate.teachers.ensemble import train
from pate.teachers.ridge import Ridge

DIGITS = load_digits()
X, Y = (DIGITS.images * 255 / 16).astype(np.uint8), DIGITS.target
X, Y, PUBLIC, TRUTH = X[:600], Y[:600], X[1500:], Y[1500:]
SMALL = CNN(count=3, channels=4, epochs=3)


def ensemble(x=X, y=Y, **options):
    return train(SMALL, x, y, assign(len(y), SMALL.count, 0), PUBLIC, 10, **({"seed": 0} | options))


def test_it_learns_digits_of_eight_by_eight_pixels():
    votes = CNN().predict_one(X[:240], Y[:240], PUBLIC, 10, 0)
    table, public = (x.reshape(-1, 64) / np.float32(255) for x in (X[:240], PUBLIC))
    ridge = Ridge().predict_many([(table, Y[:240])], public, 10, [0])[0]
    assert votes.shape == (len(PUBLIC),)
    assert (votes == TRUTH).mean() > max(0.75, (ridge == TRUTH).mean())


def test_results_do_not_depend_on_the_number_of_processes():
    np.testing.assert_array_equal(ensemble(n_jobs=1), ensemble(n_jobs=2))


def test_the_seed_decides_and_nothing_else():
    first = SMALL.predict_one(X, Y, PUBLIC, 10, 1)
    torch.rand(3)  # the global generator has moved on
    np.testing.assert_array_equal(SMALL.predict_one(X, Y, PUBLIC, 10, 1), first)
    assert (SMALL.predict_one(X, Y, PUBLIC, 10, 2) != first).any()


@pytest.mark.parametrize("change", ["another record", "another label", "far away"])
def test_one_record_changes_one_teacher_and_no_other_bit(change):
    x, y = (X / np.float32(255)), Y.copy()
    before = ensemble(x)
    if change == "another record":
        x[7] = x[8]
    elif change == "far away":
        x[7] = 1e6
    y[7] = (Y[7] + 5) % 10
    own = assign(len(Y), SMALL.count, 0)[7]
    after = ensemble(x, y)
    others = np.arange(SMALL.count) != own
    np.testing.assert_array_equal(before[others], after[others])
    assert (before[own] != after[own]).any()


def test_public_images_do_not_change_each_others_answers():
    whole = SMALL.predict_one(X, Y, PUBLIC, 10, 0)
    np.testing.assert_array_equal(SMALL.predict_one(X, Y, PUBLIC[:100], 10, 0), whole[:100])
    assert SMALL.predict_one(X, Y, PUBLIC[:0], 10, 0).shape == (0,)


def test_torch_is_left_as_it_was():
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        state = torch.get_rng_state()
        np.random.seed(0)
        SMALL.predict_one(X, Y, PUBLIC, 10, 0)
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), state)
        assert np.random.rand() == np.random.RandomState(0).rand()
        with pytest.raises(IndexError):
            SMALL.predict_one(X, Y + 10, PUBLIC, 10, 0)  # also when training fails
        assert torch.get_num_threads() == 2
        assert torch.is_grad_enabled()
    finally:
        torch.set_num_threads(threads)


def test_floats_are_taken_as_they_are_and_bytes_are_brought_to_one():
    as_bytes = SMALL.predict_one(X, Y, PUBLIC, 10, 0)
    as_floats = SMALL.predict_one(X / np.float32(255), Y, PUBLIC / np.float32(255), 10, 0)
    np.testing.assert_array_equal(as_bytes, as_floats)
    assert (SMALL.predict_one(X.astype(np.float32), Y, PUBLIC.astype(np.float32), 10, 0) != as_bytes).any()


def test_colour_counts():
    """Red squares against blue ones: in grey there would be nothing to tell them apart by."""
    y = np.arange(200) % 2
    x = np.zeros((200, 9, 7, 3), np.uint8)
    x[np.arange(200), 2:6, 2:5] = np.where(y[:, None, None, None], [200, 0, 0], [0, 0, 200])
    votes = CNN(channels=4, epochs=5).predict_one(x[:100], y[:100], x[100:], 2, 0)
    assert (votes == y[100:]).mean() > 0.95


@pytest.mark.parametrize("side", [1, 2, 5, 28, 32])
@pytest.mark.parametrize("shifts", [0, 2])
def test_images_of_any_size(side, shifts):
    x = np.random.default_rng(0).random((20, side, side + 1), np.float32)
    votes = CNN(epochs=1, shifts=shifts).predict_one(x, np.arange(20) % 3, x, 3, 0)
    assert set(votes) <= {0, 1, 2}


def test_a_class_that_was_never_seen_keeps_its_place():
    seen = ~np.isin(Y, [0, 4])
    votes = CNN(epochs=5).predict_one(X[seen], Y[seen], PUBLIC, 10, 0)
    known = ~np.isin(TRUTH, [0, 4])
    assert (votes[known] == TRUTH[known]).mean() > 0.6


def test_a_teacher_that_saw_one_class_or_none_votes_too():
    y = np.where(np.arange(600) < 590, 3, Y)
    votes = train(SMALL, X, y, np.repeat([0, 1], [590, 10]), PUBLIC, 10, seed=0)
    assert (votes[0] == 3).all()
    assert (votes[2] == 0).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_tables_are_refused_in_one_line(n_jobs):
    table = X.reshape(len(X), 64).astype(np.float32)
    with pytest.raises(
        ConfigError, match=r"teachers=cnn needs images \(n x H x W\): .*; choose teachers=ridge"
    ) as error:
        train(SMALL, table, Y, assign(len(Y), 3, 0), PUBLIC.reshape(-1, 64), 10, seed=0, n_jobs=n_jobs)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"count": 0}, "count must be at least 1"),
        ({"channels": 0}, "channels must be at least 1"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"minibatch": -1}, "minibatch must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be a positive number"),
        ({"learning_rate": float("nan")}, "learning_rate must be a positive number"),
        ({"weight_decay": -0.1}, "weight_decay must be a number of at least 0"),
        ({"weight_decay": float("inf")}, "weight_decay must be a number of at least 0"),
        ({"shifts": -1}, "shifts must be at least 0"),
    ],
)
def test_bad_settings_are_refused(fields, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        CNN(**fields)
