"""Votes from teachers and from files."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.counts import tally
from pate.aggregation.labels import read_labels
from pate.aggregation.votes import read_votes
from pate.errors import ConfigError

PREDICTIONS = np.array([[0, 1, 2], [0, 1, 1], [0, 0, 1]])


def test_votes_from_predictions_and_counts(tmp_path):
    np.savez(tmp_path / "p.npz", predictions=PREDICTIONS)
    np.savez(tmp_path / "named.npz", predictions=PREDICTIONS, classes=5)
    np.savez(tmp_path / "c.npz", counts=tally(PREDICTIONS, 3).astype(float))
    np.save(tmp_path / "c.npy", tally(PREDICTIONS, 3))
    assert read_votes(tmp_path / "p.npz", 4).counts.shape == (3, 4)
    assert (
        read_votes(tmp_path / "named.npz").counts.shape == read_votes(tmp_path / "named.npz", 5).counts.shape == (3, 5)
    )
    read = read_votes(tmp_path / "p.npz", 3)
    np.testing.assert_array_equal(read_votes(tmp_path / "c.npz").counts, read.counts)
    np.testing.assert_array_equal(read_votes(tmp_path / "c.npy").counts, read.counts)
    np.testing.assert_array_equal(read.predictions, PREDICTIONS)
    np.savez(tmp_path / "both.npz", predictions=PREDICTIONS, counts=tally(PREDICTIONS, 4))
    assert read_votes(tmp_path / "both.npz").counts.shape == (3, 4)  # their width declares the classes


DECLARED = st.sampled_from(["nobody", "file", "data set", "both", "counts"])


@settings(max_examples=60, deadline=None)
@given(data=st.data(), teachers=st.integers(1, 6), queries=st.integers(1, 5), classes=st.integers(2, 6), by=DECLARED)
def test_no_teacher_decides_which_answers_there_can_be(tmp_path_factory, data, teachers, queries, classes, by):
    """Whatever one teacher votes, a file is refused before as after, or the answers that can be given are the same."""
    label = st.integers(0, classes - 1)
    row = st.lists(label, min_size=queries, max_size=queries)
    votes = np.array(data.draw(st.lists(row, min_size=teachers, max_size=teachers)))
    changed = votes.copy()
    changed[data.draw(st.integers(0, teachers - 1))] = data.draw(row)

    def answers(predictions):
        file = tmp_path_factory.mktemp("votes") / "v.npz"
        told = {"classes": classes} if by in ("file", "both") else {}
        told |= {"counts": tally(predictions, classes)} if by == "counts" else {}
        np.savez(file, predictions=predictions, **told)
        try:
            return read_votes(file, classes if by in ("data set", "both") else 0).counts.shape[1]
        except ConfigError:
            return None

    expected = None if by == "nobody" else classes
    assert answers(votes) == answers(changed) == expected


def test_what_a_file_declares_counts_and_not_a_data_set_it_may_have_nothing_to_do_with(tmp_path):
    """Where a student learns from the pool they were cast on, preflight wants both to agree."""
    np.savez(tmp_path / "v.npz", predictions=PREDICTIONS, classes=5)
    assert read_votes(tmp_path / "v.npz", 4).counts.shape[1] == 5
    assert read_votes(tmp_path / "v.npz").counts.shape[1] == 5


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"other": np.ones(3)}, "expected `counts` or `predictions`"),
        ({"predictions": np.array([[0.5, 1.0]])}, "whole numbers"),
        ({"predictions": np.array([[-1, 1]])}, "lie in 0..1"),
        ({"predictions": PREDICTIONS, "classes": 2}, "lie in 0..1"),
        ({"counts": np.array([[3, 0], [2, 2]])}, "sum to the number of teachers"),
        ({"counts": np.array([{}], dtype=object)}, "cannot be read"),
    ],
)
def test_bad_votes_are_refused(tmp_path, arrays, words):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ConfigError, match=words):
        read_votes(tmp_path / "bad.npz", 0 if "classes" in arrays else 2)


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04")
    for name in ("text.npz", "cut.npz", "absent.npz"):
        with pytest.raises(ConfigError, match="cannot be read"):
            read_votes(tmp_path / name)
        with pytest.raises(ConfigError, match="cannot be read"):
            read_labels(tmp_path / name, 10, 2)


def test_counts_whose_sum_would_wrap_around_are_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.array([[2**64 - 1, 6], [3, 2]], np.uint64))
    with pytest.raises(ConfigError, match="1 counts are more than this program counts"):
        read_votes(tmp_path / "v.npy")


def test_so_many_classes_that_counts_would_fill_the_memory_are_refused(tmp_path):
    np.savez(tmp_path / "v.npz", predictions=np.zeros((3, 1000), np.int64), classes=10**9)
    with pytest.raises(ConfigError, match="more than this program counts"):
        read_votes(tmp_path / "v.npz")
