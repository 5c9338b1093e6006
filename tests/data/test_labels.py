"""Labels become places in a class list, which is declared or says that it was not."""

import numpy as np
import pytest

from pate.errors import ConfigError
from tests.data.own_files import X, Y, arrays, write, write_csv


def test_undeclared_fractional_labels_are_no_classes(tmp_path):
    write_csv(tmp_path / "private.csv", {"a": [1, 2, 3], "y": ["0.25", "0.5", "1"]})
    with pytest.raises(ConfigError, match="2 labels are numbers but not whole"):
        arrays(tmp_path, label="y").load()


def test_a_single_class_is_refused(tmp_path):
    write(tmp_path, "npz", "private", X, Y * 0)
    with pytest.raises(ConfigError, match=r"1 class\(es\)"):
        arrays(tmp_path).load()
    for classes in (["one"], ["a", "a"]):
        with pytest.raises(ConfigError, match=r"dataset.classes needs at least two"):
            arrays(tmp_path, classes=classes)


@pytest.mark.parametrize("classes", [["True", "False"], ["false", "true"]])
def test_truths_are_found_by_name(tmp_path, classes):
    for labels in (np.array([True, False] * 10), np.array([classes[0], classes[1]] * 10)):
        np.savez(tmp_path / "private.npz", x=X, y=labels)
        places = arrays(tmp_path, classes=classes).load().private.y[:2].tolist()
        wanted = (
            [0, 1] if labels.dtype.kind == "U" else [classes.index(next(c for c in classes if c.lower() == "true"))]
        )
        assert places[: len(wanted)] == wanted


def test_without_any_labels_the_classes_must_be_declared(tmp_path):
    write(tmp_path, "npz", "public", X)
    assert arrays(tmp_path, classes=["no", "yes"]).load().public.classes == ["no", "yes"]
    with pytest.raises(ConfigError, match=r"declare them with dataset.classes"):
        arrays(tmp_path).load()


def test_classes_that_are_read_from_private_labels_leave_a_note(tmp_path):
    write(tmp_path, "npz", "private", X, np.array(["10", "9"] * 10))
    write(tmp_path, "npz", "test", X[:2], np.array(["b", "9"]))
    split = arrays(tmp_path).load()
    assert split.private.classes == ["9", "10", "b"]
    assert split.private.y[:2].tolist() == [1, 0]
    assert "dataset.classes" in split.notes[0]


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["cat", "dog"], ["dog", "cat"], [1, 0]),
        ([0, 1], ["dog", "cat"], [0, 1]),
        ([3, 7], ["3", "7"], [0, 1]),
        ([7.0, 3.0], ["3", "7"], [1, 0]),
        ([True, False], ["no", "yes"], [1, 0]),
        (["1.0", " 0"], ["0", "1"], [1, 0]),
        (["1.5", "2.5"], ["1.5", "2.5"], [0, 1]),
    ],
)
def test_labels_are_found_by_name_or_by_place(tmp_path, labels, classes, expected):
    np.savez(tmp_path / "private.npz", x=X[:2], y=np.array(labels))
    assert arrays(tmp_path, classes=classes).load().private.y.tolist() == expected
