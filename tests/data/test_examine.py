"""What is seen in the data before anything is trained or drawn, and by whom it may be seen."""

import numpy as np

from pate.data.digits import Digits
from pate.data.examine import examine
from tests.data.own_files import arrays, write_csv

ROWS = {"private": 60, "public": 40, "test": 20}


def folder(tmp_path, change=lambda side, table: table):
    rng = np.random.default_rng(0)
    for side, rows in ROWS.items():
        table = {
            "age": rng.normal(50, 10, rows).round(3).tolist(),
            "town": rng.choice(["Bern", "Oslo", "Rome"], rows).tolist(),
            "seen": [f"2020-01-{1 + i % 28:02d}" for i in range(rows)],
            "y": [i % 2 for i in range(rows)],
        }
        write_csv(tmp_path / f"{side}.csv", change(side, table))
    return tmp_path


def seen(path, group_by=None, **fields):
    own = arrays(path, label="y", classes=["0", "1"], **fields)
    return examine(own.split(group_by), own.kinds_declared(), own.no_identifiers(), group_by)


def column(found, name):
    return next(one for one in found.columns if one["name"] == name)


def test_a_clean_table_leaves_nothing_to_be_said(tmp_path):
    found = seen(folder(tmp_path))
    assert (found.sizes, found.classes, found.width) == (ROWS, ["0", "1"], 5)
    assert [(one["name"], one["kind"]) for one in found.columns] == [
        ("age", "numeric"), ("town", "category"), ("seen", "date"),
    ]  # fmt: skip
    assert (found.refusals, found.warnings, found.people) == ([], [], None)


def test_cells_that_are_not_read_are_counted_for_every_side(tmp_path):
    """Half a numeric column set to text passed silently."""

    def change(side, table):
        if side != "public":
            table["age"][::2] = ["low"] * len(table["age"][::2])
            table["town"][0] = "Atlantis"
        table["age"][1] = ""
        return table

    found = seen(folder(tmp_path, change))
    assert column(found, "age")["unread"] == {"private": 30, "public": 0, "test": 10}
    assert column(found, "age")["blank"] == {"private": 1, "public": 1, "test": 1}
    assert column(found, "town")["unread"] == {"private": 1, "public": 0, "test": 1}
    (told,) = [one for one in found.warnings if "column age" in one]
    assert "of 60 private cells 1 blank and 30 that hold something else" in told
    assert "of 20 test cells 1 blank and 10 that hold something else are replaced by the public mean" in told
    assert not found.refusals


def test_identifiers_by_name_and_by_public_shape_are_refused_and_by_private_shape_said(tmp_path):
    def change(side, table):
        rows = len(table["age"])
        table["patient_id"] = [f"p{side}{i // 2}" for i in range(rows)]
        table["code"] = [f"{side}{i}" for i in range(rows)]
        table["ward"] = [f"{side}{i}" if side == "private" else "ward" for i in range(rows)]
        return table

    path = folder(tmp_path, change)
    found = seen(path)
    assert [column(found, name)["identifier"] for name in ("patient_id", "code", "ward", "town")] == [
        "by its name", "by its public values", "by its private values", "",
    ]  # fmt: skip
    assert len(found.refusals) == 2
    assert "partition.group_by=patient_id" in found.refusals[0]
    assert any("patient_id: 30 of its values are on several private rows, one on 2" in one for one in found.warnings)
    assert any(one.startswith("column ward tells private rows apart") for one in found.warnings)
    assert not seen(path, drop=["patient_id", "code", "ward"]).refusals
    assert not seen(path, keep=["patient_id", "code", "ward"]).refusals
    assert [one.split()[1] for one in seen(path, "patient_id").refusals] == ["code"]


def test_what_private_rows_show_never_reaches_the_refusals(tmp_path):
    """A refusal is seen by others: it may depend on names and public rows only."""
    plain = seen(folder(tmp_path))

    def change(side, table):
        if side == "private":
            table["town"] = [f"{i}" * 40 for i in range(len(table["town"]))]
            table["age"] = [""] * len(table["age"])
        return table

    odd = seen(folder(tmp_path, change))
    assert odd.refusals == plain.refusals
    assert odd.warnings != plain.warnings


def test_rows_that_are_on_two_sides_are_counted(tmp_path):
    rows = {}

    def change(side, table):
        if side == "private":
            rows.update({name: list(cells) for name, cells in table.items()})
        elif side == "public":
            for name in table:
                table[name][:7] = rows[name][:7]
        else:
            for name in table:
                table[name][:3] = rows[name][:3]
        return table

    found = seen(folder(tmp_path, change))
    assert found.both["public"] == 7
    assert found.both["test"] == 3
    assert any("agree with public rows" in one for one in found.warnings)
    assert any("agree with test rows" in one for one in found.warnings)


def test_images_are_compared_as_they_are():
    digits = Digits()
    split = digits.split()
    found = examine(split)
    assert found.both == {"public": 0, "test": 0}
    assert (found.columns, found.width) == ([], 64)


def test_people_are_counted(tmp_path):
    def change(side, table):
        table["who"] = [f"{side}{i // 3}" for i in range(len(table["age"]))]
        return table

    assert seen(folder(tmp_path, change), "who").people == 20
