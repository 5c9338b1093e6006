"""Before the first spend: what is seen is said, and what must not leave is refused, while nothing has been drawn."""

import logging

import pytest

from pate import run
from pate.errors import ConfigError
from tests.app.clinic import SMALL, identified, reviewed, spent


def test_free_text_is_refused_before_a_label_is_drawn(clinic):
    folder = clinic(reviewed)
    with pytest.raises(ConfigError, match=r"column review holds free text.*dataset.drop=\[review\]"):
        run(["stage=labels", *SMALL])
    assert spent(folder) == 0
    run(["stage=labels", "dataset.drop=[review]", *SMALL])
    assert spent(folder) == 1


def test_a_run_says_what_matters_before_its_first_spend(clinic, caplog):
    def change(side, table):
        identified(side, table)
        if side == "private":
            table["age"][::2] = ["low"] * 60

    clinic(change)
    with caplog.at_level(logging.INFO, "pate"):
        found = run(["stage=labels", *SMALL])
    said = [record.getMessage() for record in caplog.records]
    drawn = next(i for i, line in enumerate(said) if line.startswith("labels"))
    warned = [i for i, line in enumerate(said) if line.startswith("warning:")]
    assert warned
    assert max(warned) < drawn
    assert any("of 120 private cells 60" in said[i] for i in warned)
    assert any("patient_id" in said[i] for i in warned)
    assert any("of 120 private cells 60" in note for note in found["notes"])
    assert not any("private cells" in note for note in found["public_notes"])


@pytest.mark.parametrize("words", [["budget=strict", "budget.epsilon=50", "stage=student"], ["stage=release"]])
def test_identifiers_are_refused_where_something_leaves_until_they_are_settled(clinic, words):
    folder = clinic(identified)
    with pytest.raises(ConfigError, match=r"refuses: column patient_id is named like an identifier"):
        run([*words, *SMALL])
    assert spent(folder) == 0
    run([*words, *SMALL, "dataset.keep=[patient_id]"])
    assert spent(folder) == 1


def test_saying_that_a_column_is_no_identifier_draws_nothing_again(clinic):
    folder = clinic(identified)
    run(["stage=student", *SMALL])
    run(["stage=student", "dataset.keep=[patient_id]", *SMALL])
    assert spent(folder) == 1


def test_what_only_private_rows_show_refuses_nothing(clinic):
    def change(side, table):
        rows = len(table["age"])
        table["ward"] = [f"w{i}" if side == "private" else "w" for i in range(rows)]

    clinic(change)
    run(["budget=strict", "budget.epsilon=50", "stage=labels", *SMALL])


def test_classes_that_nobody_declared_are_said_before_the_first_spend(clinic, caplog):
    clinic()
    with caplog.at_level(logging.INFO, "pate"):
        run(["stage=labels", *(word for word in SMALL if not word.startswith("dataset.classes"))])
    said = [record.getMessage() for record in caplog.records]
    warned = next(i for i, line in enumerate(said) if "no epsilon of this run may be published" in line)
    assert warned < next(i for i, line in enumerate(said) if line.startswith("labels"))


def test_every_column_that_is_unclear_is_named_at_once(clinic):
    def change(side, table):
        reviewed(side, table)
        table["day"] = ["31.12.2020"] * len(table["age"])

    clinic(change)
    with pytest.raises(ConfigError, match=r"column review holds free text.*; unclear too: column day"):
        run(["stage=check", *SMALL])


def test_what_was_said_before_is_not_said_again_at_the_end(clinic, pate):
    clinic(identified)
    done = pate("stage=labels", *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("column patient_id is named like an identifier") == 1
    assert "patient_id" not in done.stdout
