"""The nonprivate stage: the same student with every private record and its true label, for the owner alone."""

import json

import numpy as np
from pate.pipelines import entries
from pate.pipelines.artifacts import NONPRIVATE, TEST_FEATURES, TRUTH
from pate.pipelines.nonprivate import NonPrivate


def test_it_is_as_good_as_the_student_gets_and_stays_with_the_owner(owners_run, made):
    model, x, truth = made(NONPRIVATE, "nonprivate").model, made(TEST_FEATURES, "encode").x, made(TRUTH, "data").test_y
    right = np.mean(model.predict(x) == truth)
    assert right > 0.9  # no noise: the same on every run
    (row,) = [row for row in owners_run[0]["methods"] if row["name"] == "nonprivate"]
    assert row["accuracy"] == right
    workspace = owners_run[1].parents[1]
    assert not list((workspace / "release").glob("nonprivate/*"))
    assert list((workspace / "private").glob("nonprivate/*"))


def test_alone_it_is_a_row_and_it_is_said_that_nothing_private_stands_beside_it(pate, tmp_path):
    done = pate("methods=[nonprivate]", "student=supervised", "n_jobs=1", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "run" / "results.json").read_text())
    (row,) = found["methods"]
    assert (row["name"], row["private"], row["epsilon"], row["epsilon_publishable"]) == (
        "nonprivate",
        False,
        None,
        None,
    )
    assert row["accuracy"] > 0.9
    assert f"{row['accuracy']:.1%}" in done.stdout
    assert "No private method is part of this run" in done.stdout
    page = (tmp_path / "run" / "report.html").read_text()
    assert f"On digits, a model without privacy has an accuracy of {row['accuracy']:.1%}." in page
    assert "Nothing of this run may be published as differentially private" in page


def test_alone_in_a_sweep_it_has_a_line_for_each_job(pate):
    done = pate("-m", "methods=[nonprivate]", "student=supervised", "n_jobs=1", "seed=0,1")
    assert done.returncode == 0, done.stderr
    assert "non-private bound" in done.stdout
    assert "epsilon:" not in done.stdout


def test_beside_another_learner_it_bounds_nothing(settings):
    assert [one.key for one in entries(settings("methods=[dpsgd,nonprivate]", "dpsgd.epsilon=2"))] == ["dpsgd"]
    assert [one.key for one in entries(settings("methods=[pate,nonprivate]"))] == ["pate", "nonprivate"]
    assert [
        one.key for one in entries(settings("stage=nonprivate", "methods=[pate,nonprivate]", "dataset.public=0"))
    ] == ["nonprivate"]


def test_the_student_of_a_consensus_has_a_bound_and_where_none_learns_it_is_said(settings):
    taught = settings("methods=[consensus,nonprivate]", "consensus.student=student")
    assert [one.key for one in entries(taught)] == ["consensus", "nonprivate"]
    itself = settings("methods=[consensus,nonprivate]", "consensus.student=itself")
    assert [one.key for one in entries(itself)] == ["consensus"]
    (said,) = NonPrivate().notes(itself, lambda ref: None)
    assert said.startswith("no student learns in this run")
    assert not list(NonPrivate().notes(taught, lambda ref: None))
