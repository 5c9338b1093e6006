"""Columns as they were written, and the groups of one: cut on public rows, whatever the test rows hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.data.arrays import Arrays
from pate.data.written import BLANK, OTHERS, as_written, grouped
from pate.errors import ConfigError
from tests.data.own_files import write_csv, write_parquet

AGES = [str(age) for age in range(20, 60)]  # quarters end at 29, 39, 49


def test_many_numbers_are_quarters_of_the_public_rows():
    groups, group = grouped("age", AGES, ["20", "29", "30", "39", "40", "49", "50", "99", "?", "-5"])
    assert groups == ["up to 29", "above 29 to 39", "above 39 to 49", "above 49", BLANK]
    assert group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 0]
    assert np.bincount(grouped("age", AGES, AGES)[1], minlength=5).tolist() == [10, 10, 10, 10, 0]


@given(st.lists(st.sampled_from([*AGES, "", "x", "1e9"]), min_size=1), st.sampled_from(AGES))
def test_a_rows_quarter_is_its_own_whatever_other_test_rows_hold(others, age):
    assert grouped("age", AGES, [age, *others])[1][0] == grouped("age", AGES, [age])[1][0]


def test_cuts_that_fall_together_make_fewer_groups():
    gains = ["0"] * 90 + [str(1000 + k) for k in range(20)]
    groups, group = grouped("gain", gains, ["0", "1005"])
    assert groups == ["up to 0", "above 0", BLANK]
    assert group.tolist() == [0, 1]


def test_dates_are_quarters_too():
    days = [f"2026-01-{day:02}" for day in range(1, 31)]
    groups, group = grouped("day", days, ["2026-01-01", "2026-02-01"])
    assert groups[0] == "up to 2026-01-08"
    assert group.tolist() == [0, 3]


def test_other_cells_are_groups_by_name_the_commonest_first():
    groups, group = grouped("sex", ["M", "F"], ["F", "M", "F", "", "F ", "M"])
    assert groups == ["F", "M", BLANK]
    assert group.tolist() == [0, 1, 0, 2, 0, 1]


def test_few_numbers_are_names_and_what_is_declared_a_category_is_one():
    assert grouped("ward", ["1", "2"] * 10, ["2", "1", "2.0"])[0] == ["2", "1"]
    assert grouped("age", AGES, ["20", "21"], "category")[0] == ["20", "21"]


def test_the_rarest_of_many_stand_together():
    cells = [f"c{k}" for k in range(30) for _ in range(30 - k)]
    groups, group = grouped("town", cells, cells)
    assert len(groups) == 20
    assert groups[-1] == OTHERS
    assert (group == 19).sum() == sum(range(1, 12))


def test_without_public_rows_nothing_is_cut():
    with pytest.raises(ConfigError, match=r"report.by=age: 40 different cells, and no public row"):
        grouped("age", [], AGES)


COLUMNS = {
    "age": list(range(30)), "sex": ["M", "F"] * 15, "who": [f"p{k}" for k in range(30)],
    "ill": ["no", "yes", "no"] * 10,
}  # fmt: skip
SIDES = {"private": slice(0, 14), "public": slice(14, 22), "test": slice(22, 30)}


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@pytest.mark.parametrize("folder", [False, True])
def test_rows_are_those_of_the_test_set_also_of_a_column_that_is_dropped(tmp_path, write, folder):
    """Ages tell rows apart: standardised, they are in the order of the ages as written."""
    end = "csv" if write is write_csv else "parquet"
    for side, rows in SIDES.items() if folder else ():
        write(tmp_path / f"{side}.{end}", {name: column[rows] for name, column in COLUMNS.items()})
    if not folder:
        write(tmp_path / f"all.{end}", COLUMNS)
    whole = {} if folder else {"private": 14, "public": 8}
    path = tmp_path if folder else tmp_path / f"all.{end}"
    data = Arrays(path=str(path), label="ill", classes=["no", "yes"], drop=["sex"], **whole)
    split = data.load("who")
    data.require_column("sex")
    written = data.written(("who",), "sex")
    assert written.learned == ("age",)
    ages = [int(age) for age in written.test["age"]]
    assert np.argsort(ages).tolist() == np.argsort(split.test.x[:, 0]).tolist()
    shown = [int(age) for age in written.public["age"]]
    assert np.argsort(shown).tolist() == np.argsort(split.public.x[:, 0]).tolist()
    assert ["MF"[age % 2] for age in ages] == list(written.test["sex"])
    found = as_written(written, "sex")
    assert found.row(3) == {"age": str(ages[3])}
    assert [found.groups[place] for place in found.group] == list(written.test["sex"])


@pytest.mark.parametrize("form", ["npz", "npy"])
def test_an_array_beside_x_is_a_column_to_report_by(tmp_path, form):
    arrays = {"x": np.arange(60.0).reshape(30, 2), "y": np.arange(30) % 2, "sex": np.array(["M", "F"] * 15)}
    for side, rows in SIDES.items():
        part = {name: array[rows] for name, array in arrays.items()}
        if form == "npz":
            np.savez(tmp_path / f"{side}.npz", **part)
        for name, array in part.items() if form == "npy" else ():
            np.save(tmp_path / f"{side}_{name}.npy", array)
    data = Arrays(path=str(tmp_path), classes=["0", "1"])
    data.require_column("sex")
    written = data.written((), "sex")
    assert written.test["sex"].tolist() == ["M", "F"] * 4
    assert written.learned == ()
    with pytest.raises(ConfigError, match=r"report.by=town: .* has no array of this name: save one beside x and y"):
        data.require_column("town")


def test_a_column_of_another_length_is_refused(tmp_path):
    x, y = np.zeros((6, 2)), np.arange(6) % 2
    np.savez(tmp_path / "all.npz", x=x, y=y, sex=np.array(["M"] * 5))
    data = Arrays(path=str(tmp_path / "all.npz"), private=2, public=2, classes=["0", "1"])
    with pytest.raises(ConfigError, match=r"6 records but 'sex' of shape \(5,\)"):
        data.written((), "sex")


def test_a_long_cell_is_cut_and_what_is_stored_is_read_back(tmp_path):
    write_csv(tmp_path / "all.csv", COLUMNS | {"note": ["x" * 100] * 30})
    data = Arrays(path=str(tmp_path / "all.csv"), label="ill", classes=["no", "yes"], private=14, public=8)
    found = as_written(data.written((), None), None)
    assert found.row(0)["note"] == "x" * 39 + "…"
    assert type(found).join(*found.split()).row(0) == found.row(0)
    with pytest.raises(ConfigError, match=r"report.by=town: .*all.csv has no column of this name"):
        data.require_column("town")
