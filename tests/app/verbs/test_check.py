"""check: it sees everything, draws nothing, and tells what a run would cost and what would refuse it."""

import json

import numpy as np
import pytest

from pate import run
from pate.errors import ConfigError
from tests.app.clinic import ROWS, SMALL, identified, spent


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
