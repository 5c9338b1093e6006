"""Before the first spend: what is seen is said, and what must not leave is refused, while nothing has been drawn."""

import json
import logging
import sqlite3

import numpy as np
import pytest

from pate import run
from pate.errors import ConfigError

SMALL = ["dataset=arrays", "dataset.path=clinic", "dataset.label=y", "dataset.classes=[0,1]", "teachers=ridge",
         "teachers.count=5", "labels.queries=10", "dpsgd.lot=32", "n_jobs=1"]  # fmt: skip
ROWS = {"private": 120, "public": 60, "test": 40}
REVIEW = "The staff were kind, the room was clean, and visit number {} was over sooner than I thought."


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """A folder of csv files in the working directory; `change(side, table)` says what is odd about them."""
    monkeypatch.chdir(tmp_path)

    def write(change=lambda side, table: None):
        rng = np.random.default_rng(0)
        (tmp_path / "clinic").mkdir(exist_ok=True)
        for side, rows in ROWS.items():
            age = rng.normal(50, 12, rows).round(2)
            table = {
                "age": age.tolist(),
                "town": rng.choice(["Bern", "Oslo"], rows).tolist(),
                "y": (age > 50).astype(int).tolist(),
            }
            change(side, table)
            lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
            (tmp_path / "clinic" / f"{side}.csv").write_text("\n".join([",".join(table), *lines]) + "\n")
        return tmp_path

    return write


def spent(folder):
    """Entries of the ledger; none if it was never made."""
    file = folder / "workspace" / "private" / "ledger.sqlite"
    return sqlite3.connect(file).execute("SELECT COUNT(*) FROM entries").fetchone()[0] if file.exists() else 0


def identified(side, table):
    table["patient_id"] = [f"p{side}{i // 3}" for i in range(len(table["age"]))]


def reviewed(side, table):
    table["review"] = [f'"{REVIEW.format(i)}"' for i in range(len(table["age"]))]


def test_stage_check_sees_everything_and_draws_nothing(clinic):
    def change(side, table):
        identified(side, table)
        if side == "private":
            table["age"][:30] = ["low"] * 30

    folder = clinic(change)
    found = run(["stage=check", *SMALL])
    assert spent(folder) == 0
    assert not list((folder / "workspace" / "private").glob("teachers/*"))
    assert found["sizes"] == ROWS
    assert found["classes"] == ["0", "1"]
    age = next(one for one in found["columns"] if one["name"] == "age")
    assert age["unread"] == {"private": 30, "public": 0, "test": 0}
    assert found["delta"] == 1e-5
    assert {step["stage"]: step["draws"] for step in found["steps"]}["labels"]
    assert "would release" not in found
    (label,) = found["plan"]["releases"]
    priced = run(["stage=account", *SMALL])  # what it really costs
    assert label["epsilon"] == pytest.approx(priced["methods"][0]["epsilon_publishable"])
    assert found["plan"]["before"] == 0
    assert found["plan"]["after"] == pytest.approx(label["epsilon"])
    assert found["bytes_needed"] > 0
    assert any("patient_id" in line for line in found["refusals"])
    file = next((folder / "workspace" / "runs").glob("*/check.json"))
    assert json.loads(file.read_text())["sizes"] == ROWS
    assert file.stat().st_mode & 0o077 == 0


def test_once_all_is_stored_nothing_would_run_or_be_spent(clinic):
    clinic()
    run(["dpsgd.epsilon=2", *SMALL])
    found = run(["stage=check", "dpsgd.epsilon=2", *SMALL])
    assert [step["stage"] for step in found["steps"] if not step["reused"]] == []
    assert found["plan"]["releases"] == []
    assert found["plan"]["after"] == found["plan"]["before"] > 0


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


@pytest.mark.parametrize(("records", "delta"), [(99_999, 1e-5), (100_000, 1e-6), (250_000, 1e-6), (1_000_000, 1e-7)])
def test_the_default_delta_of_a_table_is_below_one_in_its_records(tmp_path, records, delta):
    from pate.data.arrays import Arrays

    np.savez(tmp_path / "private.npz", x=np.zeros((records, 1), np.uint8), y=np.zeros(records, np.uint8))
    found = Arrays(path=str(tmp_path)).usual_delta()
    assert found == delta
    assert found < 1 / records


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dataset.drop=[nothing]"], r"dataset.drop: no column nothing.*its columns are age, town"),
        (["dataset.keep=[nothing]"], r"dataset.keep: no column nothing"),
        (["dataset.kinds={nothing: numeric}"], r"dataset.kinds: no column nothing"),
        (["dataset.kinds={age: number}"], r"expected one of numeric, date, category"),
        (["dataset.columns=[age,nothing]"], r"dataset.columns: .*has no column nothing"),
        (["dataset.drop=[age,town]"], r"leave no column"),
        (["dataset.label=z"], r"has no labels in a column z.*its columns are age, town, y"),
        (["dataset.label=age"], r"not among|only classification"),
    ],
)
def test_what_is_said_of_columns_must_be_true(clinic, words, message):
    clinic()
    with pytest.raises(ConfigError, match=message):
        run(["stage=check", *SMALL, *words])


def test_a_check_calls_nothing_publishable_that_is_not(clinic):
    clinic()
    undeclared = [word for word in SMALL if not word.startswith("dataset.classes")]
    assert "classes read from private labels" in run(["stage=check", *undeclared])["plan"]["withheld"]
    assert run(["stage=check", "noise.seed=1", *SMALL])["plan"]["withheld"] == "seeded noise: not private"
    run(["stage=labels", *undeclared])
    found = run(["stage=check", *SMALL])["plan"]
    assert found["withheld"] == ""
    assert "classes read from private labels" in found["account_withheld"]


def test_a_check_says_what_a_strict_budget_would_refuse(clinic):
    clinic()
    found = run(["stage=check", "budget=strict", "budget.epsilon=0.5", *SMALL])
    assert "nothing was drawn for it" in found["over_budget"]
    assert run(["stage=check", "budget=strict", "budget.epsilon=50", *SMALL])["over_budget"] == ""


def test_a_check_of_votes_from_a_file_says_what_their_labels_cost(clinic):
    folder = clinic()
    np.savez(folder / "hospitals.npz", predictions=np.arange(20 * 60).reshape(20, 60) % 2, classes=2)
    words = ["votes.path=hospitals.npz", *SMALL]
    (planned,) = run(["stage=check", *words])["plan"]["releases"]
    assert planned["epsilon"] == pytest.approx(run(["stage=labels", *words])["methods"][0]["epsilon_publishable"])


def test_what_a_run_would_refuse_a_check_refuses(clinic):
    clinic()
    for stage in ("all", "check"):
        with pytest.raises(ConfigError, match=r"dpsgd.lot=999: there are only 120 private records"):
            run([f"stage={stage}", *SMALL, "dpsgd.lot=999"])


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
    with pytest.raises(ConfigError, match=r"column review holds free text.*; likewise column day"):
        run(["stage=check", *SMALL])


def test_what_was_said_before_is_not_said_again_at_the_end(clinic, pate):
    clinic(identified)
    done = pate("stage=labels", *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("column patient_id is named like an identifier") == 1
    assert "patient_id" not in done.stdout
