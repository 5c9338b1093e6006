"""Which account a run spends from: unrelated data add up nowhere, and data that is known keeps the account it has."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.errors import BudgetExceeded, ConfigError
from pate.ledger.account import LONGEST, of_file
from pate.workspace.artifact import Artifact
from pate.workspace.stage import Pipeline, Stage, owned, releasable

FAST = ["teachers=ridge", "teachers.count=10", "student=supervised", "labels.queries=20", "n_jobs=1"]


def people(folder, seed):
    """Records of their own, in files of their own."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    for side, count in (("private", 80), ("public", 40), ("test", 20)):
        y = np.arange(count) % 2
        np.savez(folder / f"{side}.npz", x=rng.normal(size=(count, 3)) + 4 * y[:, None], y=y)
    return ["dataset=arrays", f"dataset.path={folder}", "dataset.classes=[a,b]"]


def test_own_files_are_accounts_of_their_own(run, entries, tmp_path):
    for seed, name in enumerate(("north", "south.2024")):
        found = run("stage=labels", *people(tmp_path / name, seed))
        assert found["ledger"]["name"] == name
        assert found["ledger"]["releases"] == 1
    assert [entry.spender.account for entry in entries()] == ["north", "south.2024"]
    (tmp_path / "one.npz").write_bytes((tmp_path / "north" / "private.npz").read_bytes())
    run("stage=labels", "dataset=arrays", f"dataset.path={tmp_path / 'one.npz'}", "dataset.private=50",
        "dataset.public=20", "dataset.classes=[a,b]")  # fmt: skip
    assert entries()[-1].spender.account == "one"


def test_votes_from_files_are_accounts_of_their_own_whatever_data_set_they_are_on(run, entries, tmp_path):
    rng = np.random.default_rng(0)
    names = [f"hospital {number}" for number in range(5)]
    for name in names:
        np.savez(tmp_path / f"{name}.npz", predictions=rng.integers(0, 10, size=(20, 397)))
        run("stage=student", f"votes.path='{tmp_path / name}.npz'")
    assert [entry.spender.account for entry in entries()] == names
    run("stage=labels")  # the data set's own records were behind none of them
    assert entries()[-1].spender.account == "digits"


@pytest.mark.parametrize("seed", ["null", "3"])
def test_data_that_is_known_keeps_its_account_and_nothing_is_drawn_again(run, entries, tmp_path, seed):
    here = people(tmp_path / "here", 0)
    before = run("stage=student", *here, f"noise.seed={seed}", "budget.account=arrays")  # as it was called once
    found = run("stage=student", *here, f"noise.seed={seed}")
    assert all(stage["reused"] for stage in found["stages"].values())
    assert found["ledger"]["name"] == "arrays"
    assert {name: stage["key"] for name, stage in found["stages"].items()} == {
        name: stage["key"] for name, stage in before["stages"].items()
    }
    assert len(entries()) == 1
    (tmp_path / "here").rename(tmp_path / "there")
    moved = [f"dataset.path={tmp_path / 'there'}" if one.startswith("dataset.path") else one for one in here]
    run("stage=student", *moved, f"noise.seed={seed}", "labels.queries=25")
    assert {entry.spender.account for entry in entries()} == {"arrays"}


def test_an_account_named_against_what_is_known_is_refused(run, tmp_path):
    here = people(tmp_path / "here", 0)
    run("stage=labels", *here)
    with pytest.raises(ConfigError, match=r"use budget\.account=here"):
        run("stage=labels", *here, "budget.account=other")


def test_a_budget_is_held_against_the_known_account_before_anything_is_trained(run, tmp_path):
    here = people(tmp_path / "here", 0)
    run("stage=labels", *here, "budget.account=arrays")
    (trained,) = (tmp_path / "workspace" / "private" / "teachers").iterdir()
    with pytest.raises(BudgetExceeded, match="the budget of account arrays"):
        run("stage=labels", *here, "budget=strict", "budget.epsilon=4.6", "aggregator.gamma=0.19", "teachers.count=9")
    assert list((tmp_path / "workspace" / "private" / "teachers").iterdir()) == [trained]


def test_who_may_have_been_released_from_under_another_name_is_asked_about(run, tmp_path, caplog):
    run("stage=labels", *people(tmp_path / "here", 0), "budget.account=arrays")
    assert "new here" not in caplog.text
    run("stage=labels", *people(tmp_path / "there", 1))
    assert "new here: account there, beside arrays" in caplog.text


@given(st.text(min_size=1).filter(lambda name: "/" not in name and "\0" not in name), st.sampled_from(["", ".npz"]))
def test_any_file_name_gives_a_name_that_may_be_said(name, ending):
    account = of_file(f"/somewhere/{name}{ending}")
    assert account.isprintable()
    assert account == account.strip()
    assert 0 < len(account) <= LONGEST


def test_undecodable_bytes_and_folders_give_names_too(tmp_path, monkeypatch):
    assert of_file(os.fsdecode(b"/somewhere/caf\xe9.npz")) == "caf_"
    assert of_file("/") == "unnamed"
    monkeypatch.chdir(tmp_path)
    assert of_file(".") == tmp_path.name


def test_public_inputs_of_private_data_have_no_private_data_behind_them():
    records, public, votes, labels = owned("r", Artifact), releasable("p", Artifact), *(
        kind(name, Artifact) for kind, name in ((owned, "v"), (releasable, "l"))
    )  # fmt: skip
    data = Stage("data", print, writes=(records, public), account=lambda _: "data")
    tallied = Stage("votes", print, writes=(votes,), account=lambda _: "votes")
    noisy = Stage("labels", print, (public, votes), (labels,), crosses="noise")
    student = Stage("student", print, (public, labels))
    trained = Stage("dpsgd", print, (records, labels))
    graph = Pipeline((data, tallied, noisy, student, trained))
    behind = {one.name: {other.name for other in graph.brought(one)} for one in graph.stages}
    assert behind == {
        "data": {"data"}, "votes": {"votes"}, "labels": {"votes"}, "student": {"votes"}, "dpsgd": {"data", "votes"}
    }  # fmt: skip
