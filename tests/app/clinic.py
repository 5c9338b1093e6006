"""What is odd about the tables of a clinic, and how a run on them is asked for."""

import sqlite3

SMALL = ["dataset=arrays", "dataset.path=clinic", "dataset.label=y", "dataset.classes=[0,1]", "teachers=ridge",
         "teachers.count=5", "labels.queries=10", "dpsgd.lot=32", "n_jobs=1"]  # fmt: skip
ROWS = {"private": 120, "public": 60, "test": 40}
REVIEW = "The staff were kind, the room was clean, and visit number {} was over sooner than I thought."


def spent(folder):
    """Entries of the ledger; none if it was never made."""
    file = folder / "workspace" / "private" / "ledger.sqlite"
    return sqlite3.connect(file).execute("SELECT COUNT(*) FROM entries").fetchone()[0] if file.exists() else 0


def identified(side, table):
    table["patient_id"] = [f"p{side}{i // 3}" for i in range(len(table["age"]))]


def reviewed(side, table):
    table["review"] = [f'"{REVIEW.format(i)}"' for i in range(len(table["age"]))]
