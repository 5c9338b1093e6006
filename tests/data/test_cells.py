"""One cell, read by itself."""

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.data.cells import blank, date, missing, number, text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("3", 3),
        ("3.5", 3.5),
        (" 3", 3),
        (3, 3),
        (True, 1),
        ("True", 1),
        ("false", 0),
        (2**70, 2.0**70),
        (10**400, None),
    ],
)
def test_numbers(cell, expected):
    assert number(cell) == expected if expected is not None else math.isnan(number(cell))


@pytest.mark.parametrize(
    "cell", ["", None, math.nan, "nan", "inf", "-Infinity", "1e999", "NA", "n/a", "?", ".", "NULL", "None", "-"]
)
def test_what_is_no_finite_number_is_missing(cell):
    assert math.isnan(number(cell))


@pytest.mark.parametrize("cell", ["12 kg", "2020-01-01", "a", "<5", "3,14"])
def test_text_is_no_number(cell):
    assert number(cell) is None


@given(st.datetimes(min_value=dt.datetime(1, 1, 2), max_value=dt.datetime(9999, 12, 30)))
def test_dates_are_days_since_1970(moment):
    days = (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    for written in (str(moment), moment.isoformat(), f"{moment.isoformat()}+00:00"):
        assert date(written) == pytest.approx(days, abs=1e-8)
    later = moment.replace(tzinfo=dt.timezone(dt.timedelta(hours=-6)))
    assert date(later.isoformat()) == pytest.approx(days + 0.25, abs=1e-8)


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("1970-01-02", 1),
        ("1970/1/2", 1),
        ("1970-01-01T12:00", 0.5),
        ("06:00", 0.25),
        ("6:00:00", 0.25),
        ("1969-12-31", -1),
    ],
)
def test_dates_and_times_by_hand(written, days):
    assert date(written) == days


@pytest.mark.parametrize(
    "cell", ["31.12.2020", "12/31/2020", "2020-13-01", "2020-02-30", "2020", 2020, "24:00", "6:60", "x"]
)
def test_what_can_be_read_two_ways_or_not_at_all_is_no_date(cell):
    assert date(cell) is None


def test_a_blank_date_is_missing():
    assert math.isnan(date(""))


SPELLINGS = {
    "3": [3, 3.0, "3", "3.0", "+3."],
    "0": [0, -0.0, "-0.0"],
    "10000000000000000": [10**16, 1e16, "1e+16", "1E16"],
    "": [None, math.nan, ""],
    "True": [True, "True"],
    "2.5": [2.5, "2.5"],
    "1e-07": [1e-7, "1e-07"],
    "007": ["007", "007.0"],
    "3.10": ["3.10"],
    str(2**62 + 1): [2**62 + 1],
}


@pytest.mark.parametrize(("category", "cell"), [(name, cell) for name, cells in SPELLINGS.items() for cell in cells])
def test_a_category_is_the_same_from_a_file_of_whole_numbers_and_of_fractions(category, cell):
    assert text(cell) == category


@given(st.one_of(st.none(), st.integers(), st.floats(), st.booleans(), st.text()))
def test_any_cell_has_a_meaning(cell):
    value, days = number(cell), date(cell)
    assert value is None or math.isnan(value) or math.isfinite(value)
    assert days is None or math.isnan(days) or math.isfinite(days)
    assert isinstance(text(cell), str)
    assert not blank(cell) or (math.isnan(value) and math.isnan(days) and text(cell) == "")
    assert missing(cell) or not blank(cell)
