"""The same records are recognised in whatever file, order or spelling they come; others are not."""

import numpy as np
import pytest

from pate.data.recognise import of_records
from tests.data.own_files import arrays, write_csv, write_parquet

ROWS = {
    "age": [30.5, 41.0, 52.25, 63.0] * 3,
    "town": ["Bern", "Oslo"] * 6,
    "seen": ["2020-01-31", "2020-02-01"] * 6,
    "y": [0, 1] * 6,
}


def known(path, **fields):
    own = arrays(path, label="y", classes=["0", "1"], private=8, public=4, **fields)
    return set(own.split().contents)


@pytest.fixture
def first(tmp_path):
    write_csv(tmp_path / "a.csv", ROWS)
    return known(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: {name: rows[name] for name in reversed(rows)},
        lambda rows: rows | {"age": [f"{one:.3f}" for one in rows["age"]]},
        lambda rows: rows | {"seen": [one.replace("-", "/") for one in rows["seen"]]},
        lambda rows: rows | {"town": [f" {one} " for one in rows["town"]]},
    ],
    ids=["columns in another order", "numbers with more digits", "dates written otherwise", "blanks around text"],
)
def test_a_file_that_says_the_same_is_recognised(tmp_path, first, change):
    write_csv(tmp_path / "b.csv", change(ROWS))
    assert known(tmp_path / "b.csv") & first


def test_the_same_as_parquet_and_with_fewer_columns(tmp_path, first):
    write_parquet(tmp_path / "b.parquet", ROWS)
    assert known(tmp_path / "b.parquet") & first
    assert known(tmp_path / "a.csv", drop=["town"]) & first
    assert known(tmp_path / "a.csv", columns=["age"]) & first
    assert known(tmp_path / "a.csv", kinds={"age": "category"}) & first


@pytest.mark.parametrize("name", ["age", "town", "seen", "y"])
def test_another_cell_makes_other_records(tmp_path, first, name):
    cells = [*ROWS[name]]
    cells[:] = cells[::-1] if len(set(cells)) == 2 else [31.5, *cells[1:]]
    other = ROWS | {name: cells}
    write_csv(tmp_path / "b.csv", other)
    assert not known(tmp_path / "b.csv") & first


def test_arrays_in_any_order_and_type(tmp_path):
    x, y = np.arange(12).reshape(6, 2), np.array([0, 1] * 3)
    saved = {
        "a": (x, y),
        "b": (x[::-1].astype(float), y[::-1]),
        "c": (x, y.astype(str)),
        "d": (x + 1, y),
        "e": (x, 1 - y),
    }
    found = {}
    for name, (rows, labels) in saved.items():
        np.savez(tmp_path / f"{name}.npz", x=rows, y=labels)
        found[name] = set(arrays(tmp_path / f"{name}.npz", classes=["0", "1"], private=6).split().contents)
    assert found["a"] & found["b"]
    assert found["a"] & found["c"]
    assert not found["a"] & found["d"]
    assert not found["a"] & found["e"]


def test_records_of_any_data_set_in_any_order_with_their_labels():
    x, y = np.arange(12.0).reshape(4, 3), np.arange(4)
    assert of_records(x, y) == of_records(x[::-1], y[::-1]) != of_records(x, y[::-1])
    assert of_records(x[:0], y[:0]) == ""
    table = np.array([("a", 1.5), ("b", 2.5)], dtype=[("name", object), ("dose", float)])
    assert of_records(table, y[:2]) == of_records(table[::-1].copy(), y[1::-1]) != of_records(table, y[1:3])
