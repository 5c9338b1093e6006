"""A user's own files, and every way they can be wrong."""

import numpy as np
import pytest

from pate.errors import ConfigError
from tests.data.own_files import SECRET, WHO, X, Y, arrays, write


@pytest.mark.parametrize("broken", [np.nan, np.inf, 1e300])
def test_values_that_are_no_finite_float32_are_counted(tmp_path, broken):
    x = X.copy()
    x[3:5, 1] = broken
    write(tmp_path, "npz", "private", x, Y)
    with pytest.raises(ConfigError, match=r"private.npz: 2 values of x are nan or infinite"):
        arrays(tmp_path).load()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": X, "y": Y[:5]}, r"20 records but labels of shape \(5,\)"),
        ({"x": X, "y": Y.reshape(-1, 1)}, "labels of shape"),
        ({"x": X}, "has no labels"),
        ({"y": Y}, "has no array 'x'"),
        ({"x": X[:0], "y": Y[:0]}, "holds no records"),
        ({"x": X[:, 0], "y": Y}, "x must be numbers of shape"),
        ({"x": X.astype(str), "y": Y}, "x must be numbers of shape"),
        ({"x": np.zeros((20, 3, 8, 8)), "y": Y}, "colours come last"),
        ({"x": X, "y": Y + 0.5}, "20 labels are not whole numbers"),
        ({"x": X, "y": Y.astype(complex)}, "one whole number or name per record"),
        ({"x": X, "y": np.where(Y == 1, SECRET, 0)}, "10 labels are not among dataset.classes"),
        ({"x": X, "y": np.where(Y == 1, str(SECRET), "")}, "10 labels are blank"),
        ({"x": X, "y": np.array([str(SECRET + 0.5)] * 20)}, "20 labels are not among"),
    ],
)
def test_wrong_arrays_are_counted_not_shown(tmp_path, content, message):
    np.savez(tmp_path / "private.npz", **content)
    with pytest.raises(ConfigError, match=message) as error:
        arrays(tmp_path, classes=["0", "1"]).load()
    assert "private.npz" in str(error.value)
    assert str(SECRET) not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a,y\n1,0\n{SECRET}\n", "1 of 2 records do not have 2 cells"),
        (f"{SECRET},{SECRET}\n1,0\n", "first line must name every column"),
        (f",y\n{SECRET},1\n", "first line must name every column"),
        ("", "first line must name every column"),
        (
            f"a,b\n{SECRET},1\n",
            r"has no labels in a column y: name the label column with dataset.label=; its columns are a, b$",
        ),
        ("a,y\n", "holds no records"),
        ("y\n1\n0\n", "no feature columns"),
    ],
)
def test_wrong_csv_files_are_counted_not_shown(tmp_path, text, message):
    (tmp_path / "private.csv").write_text(text)
    with pytest.raises(ConfigError, match=message) as error:
        arrays(tmp_path, label="y", classes=["0", "1"]).load()
    assert str(SECRET) not in str(error.value)


def test_a_table_without_public_rows_cannot_be_encoded(tmp_path):
    write(tmp_path, "csv", "private", X, Y)
    with pytest.raises(ConfigError, match="encoders are fitted on public data only"):
        arrays(tmp_path, label="y").load()


def test_a_label_column_makes_no_sense_for_arrays(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    with pytest.raises(ConfigError, match=r"dataset.label=y names a column of csv"):
        arrays(tmp_path, label="y").load()


def test_two_files_for_one_side_are_refused(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    write(tmp_path, "csv", "private", X, Y)
    with pytest.raises(ConfigError, match=r"both private.npz and private.csv"):
        arrays(tmp_path).load()


def test_nothing_there_says_what_is_wanted(tmp_path):
    own = arrays(tmp_path / "nothing")
    assert own.missing()
    assert own.files() == []
    for ask in (own.load, own.sizes, own.fetch):
        with pytest.raises(ConfigError, match=r"dataset.path="):
            ask()
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(ConfigError, match=r"cannot be read: dataset.path="):
        arrays(tmp_path / "x.npy", private=3).load()


def test_the_files_of_a_folder_of_npy_are_all_of_its_arrays(tmp_path):
    write(tmp_path, "npy", "private", X, Y, WHO)
    assert [path.name for path in arrays(tmp_path).files()] == ["private_who.npy", "private_x.npy", "private_y.npy"]
