"""The votes stage: counted from predictions, or read from a file: then which answers there can be is declared, and what
was drawn from them before is served."""

import tarfile
from pathlib import Path

import numpy as np
import pytest

import pate
from pate.errors import ConfigError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]
# stage=labels, before `classes` was a key
GOLDEN = Path(__file__).parents[1] / "golden" / "2026-11-17" / "votes_from_file.tar.gz"


@pytest.fixture
def again(tmp_path):
    """On a workspace of an earlier version, with the file of votes it was made from."""
    with tarfile.open(GOLDEN) as archive:
        archive.extractall(tmp_path, filter="tar")

    def go(*overrides):
        own = ["stage=labels", "dataset=arrays", f"dataset.path={tmp_path / 'open'}", "labels.queries=10"]
        own += ["aggregator.gamma=0.2"]  # which was the default then, whoever votes
        places = [f"workspace={tmp_path / 'workspace'}", f"hydra.run.dir={tmp_path / 'run'}"]
        return pate.run([*own, f"votes.path={tmp_path / 'votes.npz'}", *places, *overrides])

    return go


def released(folder):
    return Ledger.of(Store(folder / "workspace")).entries()


def test_a_workspace_of_an_earlier_version_serves_its_labels(again, tmp_path):
    before = released(tmp_path)
    found = again("dataset.classes=[a,b,c]")
    assert found["stages"]["labels"]["reused"]
    assert released(tmp_path) == before


def test_another_number_of_classes_counts_the_votes_again(again, tmp_path):
    first = again("dataset.classes=[a,b,c]")["stages"]["votes"]
    other = again("dataset.classes=[a,b,c,d]")["stages"]["votes"]
    assert first["key"] != other["key"]
    with np.load(tmp_path / "workspace" / "private" / "votes" / other["key"] / "votes.npz") as votes:
        assert votes["counts"].shape == (30, 4)
    assert len(released(tmp_path)) == 2  # other possible answers: another draw


def test_predictions_of_undeclared_classes_are_refused_before_anything_is_drawn(again, tmp_path):
    """20 teachers, one of whom moves to a class nobody else votes for: that answer has probability 0 here and not
    there, so no epsilon holds."""
    votes = np.ones((20, 10), np.int64)
    for unseen in (1, 2):
        votes[0] = unseen
        np.savez(tmp_path / "votes.npz", predictions=votes)
        with pytest.raises(ConfigError, match=r"save the file with classes=N, or declare dataset.classes=\[...\]"):
            again("aggregator.gamma=2", f"workspace={tmp_path / 'other'}")
        assert not (tmp_path / "other").exists()


def test_votes_from_a_file_need_no_teachers(run, tmp_path):
    run("stage=votes")
    (file,) = (tmp_path / "workspace" / "private" / "votes").glob("*/votes.npz")
    with np.load(file) as archive:
        np.savez(tmp_path / "counts.npz", counts=archive["counts"])
        np.savez(tmp_path / "predictions.npz", predictions=archive["predictions"])
    for name in ("counts", "predictions"):
        found = run(f"votes.path={tmp_path / name}.npz", "stage=compare", "noise.seed=0", "aggregator.gamma=1")
        assert "teachers" not in found["stages"]
        assert found["methods"][0]["accuracy"] > 0.5
    assert found["pate"]["teacher_accuracy"] > 0.3


def test_group_by_is_refused_where_it_cannot_be_checked(run, tmp_path):
    np.savez(tmp_path / "v.npz", counts=np.tile([[20] + [0] * 9], (397, 1)))
    with pytest.raises(ConfigError, match="cannot be checked for votes from a file"):
        run(f"votes.path={tmp_path / 'v.npz'}", "partition.group_by=patient")
