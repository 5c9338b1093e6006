"""Labels from files."""

import numpy as np
import pytest

from pate.aggregation.labels import read_labels
from pate.errors import ConfigError


def test_labels_from_a_file(tmp_path):
    np.savez(tmp_path / "l.npz", index=[4, 2], label=[1, 0])
    read = read_labels(tmp_path / "l.npz", 5, 2)
    assert (read.index.tolist(), read.label.tolist()) == ([4, 2], [1, 0])


@pytest.mark.parametrize(
    ("index", "label", "words"),
    [
        ([0, 5], [0, 1], "lie in 0..4"),
        ([-1, 1], [0, 1], "lie in 0..4"),
        ([0, 0], [0, 1], "twice"),
        ([0, 1], [0, 2], "lie in 0..1"),
        ([0], [0, 1], "1 indices and 2 labels"),
        ([], [], "whole numbers|at least one"),
        ([0.0, 1.0], [0, 1], "whole numbers"),
        ([[0, 1]], [0, 1], "whole numbers"),
    ],
)
def test_bad_labels_are_refused(tmp_path, index, label, words):
    np.savez(tmp_path / "l.npz", index=index, label=label)
    with pytest.raises(ConfigError, match=words):
        read_labels(tmp_path / "l.npz", 5, 2)


def test_labels_need_both_arrays(tmp_path):
    np.savez(tmp_path / "l.npz", index=[1])
    with pytest.raises(ConfigError, match="lacks"):
        read_labels(tmp_path / "l.npz", 5, 2)
