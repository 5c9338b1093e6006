"""Errors and logs of private stages count what is wrong: no record, vote or label is in them, nor in their causes."""

import csv
import traceback

import numpy as np
import pytest

import pate
from pate.errors import PateError

CANARY, NUMBER = "CANARY", 987654
HEADER = ["age", "job", "who", "ill"]


def people(count=40):
    return [[str(NUMBER + i), f"{CANARY}{i % 3}", f"{CANARY}-{i}", "yes" if i % 2 else "no"] for i in range(count)]


def table(path, rows, header=HEADER):
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def told(error):
    """All that any way of showing an error could show."""
    return "".join(traceback.format_exception(error))


def spoiled(change):
    rows = people()
    change(rows)
    return rows


def no_label(rows):
    rows[3][3] = ""


def another_label(rows):
    rows[3][3] = f"{CANARY} {NUMBER}"


def long_label(rows):
    rows[3][3] = CANARY * 1000


def shown_label(rows):
    rows[3][3] = f"{CANARY}\x1b[31m"


def no_owner(rows):
    rows[3][2] = " "


def long_owner(rows):
    rows[3][2] = CANARY * 1000


def a_cell_more(rows):
    rows[3].append(CANARY)


def long_cell(rows):
    rows[3][1] = CANARY * 100_000


def no_rows(rows):
    del rows[:]


@pytest.mark.parametrize(
    "change",
    [no_label, another_label, long_label, shown_label, no_owner, long_owner, a_cell_more, long_cell, no_rows],
    ids=lambda change: change.__name__,
)
def test_a_spoiled_private_table(tmp_path, change, caplog, capfd):
    table(tmp_path / "private.csv", spoiled(change))
    table(tmp_path / "public.csv", [[str(i), "cook", "", "no"] for i in range(10)])
    with pytest.raises(PateError) as error:
        pate.run([
            "dataset=arrays", f"dataset.path={tmp_path}", "dataset.label=ill", "dataset.classes=[no,yes]",
            "partition.group_by=who", f"workspace={tmp_path / 'w'}", f"hydra.run.dir={tmp_path / 'run'}", "stage=data",
        ])  # fmt: skip
    said = told(error.value) + caplog.text + "".join(capfd.readouterr())
    assert CANARY not in said
    assert str(NUMBER)[:5] not in said


def test_a_table_in_another_encoding_shows_no_bytes(tmp_path):
    (tmp_path / "pool.csv").write_bytes(b"age,ill\n1,no\n2,CANARY\xe9\n")
    with pytest.raises(PateError, match="not UTF-8") as error:
        pate.run([f"dataset.path={tmp_path / 'pool.csv'}", "dataset=arrays", "dataset.label=ill", "dataset.private=1"])
    assert CANARY not in told(error.value)
    assert "xe9" not in told(error.value)


@pytest.mark.parametrize(
    "arrays",
    [
        {"predictions": np.full((3, 200), NUMBER), "classes": 10},
        {"predictions": np.full((3, 200), NUMBER + 0.5)},
        {"counts": np.full((200, 10), -NUMBER)},
        {"counts": np.where(np.arange(10) == np.arange(200)[:, None] % 7, NUMBER, 0) + np.eye(200, 10, dtype=int)},
        {"counts": np.full((200, 10), f"{CANARY}")},
        {"counts": np.full((200, 10), np.nan)},
    ],
)
def test_spoiled_votes(tmp_path, arrays):
    np.savez(tmp_path / "votes.npz", **arrays)
    with pytest.raises(PateError, match=r"votes\.path=") as error:
        pate.run([f"votes.path={tmp_path / 'votes.npz'}", f"workspace={tmp_path / 'w'}", "stage=account"])
    assert CANARY not in told(error.value)
    assert str(NUMBER) not in told(error.value)


def test_a_teacher_of_scikit_learn_that_refuses_its_records(tmp_path, caplog, capfd):
    """MultinomialNB names no value; that the message is ours, whatever a classifier says, is what is tested."""
    table(tmp_path / "private.csv", people(200))
    table(tmp_path / "public.csv", [[str(NUMBER + i), f"{CANARY}0", "", "no"] for i in range(120)])
    with pytest.raises(PateError, match=r"Sklearn teacher \d+ failed with a ValueError") as error:
        pate.run([
            "dataset=arrays", f"dataset.path={tmp_path}", "dataset.label=ill", "dataset.classes=[no,yes]",
            "teachers=sklearn", "teachers.count=5", "teachers.estimator._target_=sklearn.naive_bayes.MultinomialNB",
            "features=identity", "stage=teachers", "labels.queries=50", "n_jobs=1",
            f"workspace={tmp_path / 'w'}", f"hydra.run.dir={tmp_path / 'run'}",
        ])  # fmt: skip
    said = told(error.value) + caplog.text + "".join(capfd.readouterr())
    assert CANARY not in said
    assert "Negative values" not in said
