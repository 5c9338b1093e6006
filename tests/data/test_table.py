"""A table keeps its columns as they are, gives rows like any array, and names what may be named."""

from pathlib import Path

import numpy as np
import pytest

from pate.data.table import Chosen, cells_of, columns_of, shown_names, tabulated
from pate.errors import ConfigError

COLUMNS = {
    "age": np.array([30.5, 41.0]),
    "town": np.array(["Bern", ""], object),
    "well": np.array([True, None], object),
}


def test_columns_keep_their_types_and_cells():
    table = tabulated(COLUMNS)
    assert columns_of(table) == ("age", "town", "well")
    assert cells_of(table["age"]) == [30.5, 41.0]
    assert cells_of(table["town"]) == ["Bern", ""]
    assert cells_of(table["well"]) == [True, None]


def test_rows_are_taken_like_those_of_an_array():
    assert tabulated(COLUMNS)[[1, 0]].tolist() == [(41.0, "", None), (30.5, "Bern", True)]
    assert columns_of(tabulated(COLUMNS)[:0]) == ("age", "town", "well")


def test_an_array_has_no_columns():
    assert columns_of(np.zeros((2, 3))) == ()


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        (Chosen(), ["age", "town", "well"]),
        (Chosen(only=("well", "age")), ["age", "well"]),
        (Chosen(drop=("town", "absent")), ["age", "well"]),
        (Chosen(only=("age", "town"), drop=("town",)), ["age"]),
    ],
)
def test_columns_are_chosen_in_the_order_of_the_file(chosen, left):
    assert list(chosen.of(COLUMNS, Path("a.csv"))) == left


def test_what_is_not_there_or_leaves_nothing_is_refused():
    with pytest.raises(ConfigError, match=r"a\.csv has no column weight; its columns are age, town, well"):
        Chosen(only=("age", "weight")).of(COLUMNS, Path("a.csv"))
    with pytest.raises(ConfigError, match="leave no column to learn from"):
        Chosen(only=("age",), drop=("age",)).of(COLUMNS, Path("a.csv"))


@pytest.mark.parametrize("first", ["41", "2020-01-31", "Bern"])
def test_names_that_may_be_a_record_are_not_shown(first):
    told = shown_names({first: np.array(["Bern", "Oslo"], object), "b": np.array(["x", "y"], object)})
    assert told == "its first line names 2 columns that look like values: does it have a header?"


def test_of_many_names_some_are_shown():
    told = shown_names({name: np.array([0.0]) for name in "abcd"}, most=3)
    assert told == "its columns are a, b, c and 1 more"
    assert shown_names(tabulated(COLUMNS)) == "its columns are age, town, well"
