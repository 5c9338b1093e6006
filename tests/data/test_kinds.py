"""The kind of a column: by its public cells, or declared; and what is refused because it stays unclear."""

from decimal import Decimal

import numpy as np
import pytest

from pate.data.kinds import free_text, kind_of
from pate.data.split import Rows
from pate.errors import ConfigError

SENTENCES = [f"Patient {i} came in with a cough and was sent home after {i} days of rest." for i in range(40)]


def kind(cells, declared=None, positions=None):
    return kind_of("c", cells, Rows("public.csv", np.arange(len(cells)) if positions is None else positions), declared)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2.5", ""], "numeric"),
        ([1, None, 3], "numeric"),
        ([True, False, None], "numeric"),
        ([0.5, float("nan")], "numeric"),
        (["True", "False", ""], "category"),
        (["2020-01-31", "2020/2/1", ""], "date"),
        (["12:30", "08:15"], "date"),
        (["a", "b", "1"], "category"),
        (["", ""], "category"),
        (["nan", "inf"], "category"),
        (["1", "2", "?", "NA"], "numeric"),  # words for no number
        (["a", "b", "?"], "category"),
        (["1", "2", "x"], "category"),  # too few to call it a slip
        (["1"] * 4 + ["x"] * 6, "category"),
        (["New York City", "San Juan de la Maguana"] * 30, "category"),
    ],
)
def test_kinds(cells, expected):
    assert kind(cells) == expected


def test_a_slip_among_numbers_is_named_with_its_record_and_the_way_out():
    cells = [str(i) for i in range(193)]
    cells[17] = "too low"
    with pytest.raises(
        ConfigError, match=r"record 18 of public.csv holds text where 192 .*kinds=\{c: numeric\}"
    ) as told:
        kind(cells)
    assert "too low" not in str(told.value)
    with pytest.raises(ConfigError, match=r"record 1018 of public.csv \(and 1 more\) holds"):
        kind([*cells, "high"], positions=np.arange(1000, 1194))
    assert kind(cells, "numeric") == "numeric"
    assert kind(cells, "category") == "category"


def test_a_slip_among_dates_too():
    with pytest.raises(ConfigError, match=r"where 20 public cells hold dates.*kinds=\{c: date\}"):
        kind(["2020-01-31"] * 20 + ["soon"])


@pytest.mark.parametrize(
    "written", ["31.12.2020", "12/31/2020", "1/2/20", "31 Dec 2020", "December 31, 2020", "31-Dec-20"]
)
def test_dates_that_can_be_read_two_ways_say_how(written):
    with pytest.raises(ConfigError, match="do not begin with the year: write them as 2026-01-31"):
        kind([written] * 20)


def test_dates_written_with_dots_are_no_numbers_with_a_comma():
    with pytest.raises(ConfigError, match="do not begin with the year: write them as 2026-01-31"):
        kind([f"{day:02d}.04.2019" for day in range(1, 31)])


def test_free_text_is_refused_with_advice():
    with pytest.raises(ConfigError, match=r"free text.*dataset.drop=\[c\].*public encoder"):
        kind(SENTENCES)
    assert kind(SENTENCES, "category") == "category"


def test_names_of_a_few_kinds_are_no_free_text():
    assert not free_text(SENTENCES[:3] * 30)
    assert not free_text([f"town {i}" for i in range(100)])


def test_declared_kinds_must_be_kinds_and_have_something_to_learn_from():
    with pytest.raises(ConfigError, match="expected one of numeric, date, category"):
        kind(["1"], "number")
    with pytest.raises(ConfigError, match="no public row has a number there"):
        kind(["a", ""], "numeric")
    with pytest.raises(ConfigError, match="no public row has a date that begins with the year"):
        kind(["31.12.2020", ""], "date")
    assert kind(["0", "a"], "numeric") == "numeric"
    assert kind(["1970-01-01", "a"], "date") == "date"


def test_truth_values_are_numeric_whatever_is_declared():
    """As a category, one number in the column of another file would rename them all."""
    with pytest.raises(ConfigError, match="holds truths or decimals, which are numeric"):
        kind([True, False], "category")
    with pytest.raises(ConfigError, match="which are numeric"):
        kind([Decimal("1.50")], "category")
    assert kind([True, False], "numeric") == "numeric"


@pytest.mark.parametrize("cells", [["<5"] * 4 + [str(i) for i in range(6)], ["high"] * 9 + [str(i) for i in range(11)]])
def test_half_a_column_of_numbers_is_asked_about(cells):
    with pytest.raises(ConfigError, match=r"holds text where .* public cells hold numbers"):
        kind(cells)


@pytest.mark.parametrize("form", ["{},5", "{}%", "<{}", "{} %", "{},{}"])
def test_numbers_that_are_not_written_plainly_are_named(form):
    with pytest.raises(ConfigError, match="decimal comma, % or <"):
        kind([form.format(i, i) for i in range(30)])
