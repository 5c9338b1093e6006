"""The compare stage: every model on the same test inputs, beside what the votes and labels were worth."""

import json
import stat

import numpy as np
import pytest
from pate.pipelines.artifacts import LABELS, TRUTH, VOTES


def rows(found):
    return {row["name"]: row for row in found["methods"]}


def test_everything_and_what_it_says(owners_run):
    found, place = owners_run
    ours, baseline, bound = (rows(found)[name] for name in ("pate", "dpsgd", "nonprivate"))
    assert baseline["epsilon"] <= ours["epsilon"]
    assert baseline["delta"] == ours["delta"] == 1e-4
    assert ours["relation"] == baseline["relation"] == "one record replaced by nothing"
    assert baseline["epsilon_publishable"] is None  # calibrated to PATE's epsilon: the owner's
    assert bound["epsilon"] is None
    assert 0 < found["pate"]["teacher_accuracy"] < found["pate"]["plurality_accuracy"] <= 1
    assert json.loads((place / "results.json").read_text()) == found
    assert stat.S_IMODE((place.parent.parent / "private").stat().st_mode) == 0o700


def test_every_method_learns(seeded_run):
    """With a seed: what unlucky noise does to an accuracy is nobody's promise."""
    found = rows(seeded_run[0])
    for name, least in (("pate", 0.5), ("dpsgd", 0.3), ("dpsgd_publishable", 0.3), ("nonprivate", 0.9)):
        assert found[name]["accuracy"] > least


def test_votes_and_labels_are_scored_against_the_public_truth(owners_run, made):
    votes, labels, truth = made(VOTES, "votes"), made(LABELS, "labels"), made(TRUTH, "data").public_y
    told = owners_run[0]["pate"]
    assert told["teacher_accuracy"] == pytest.approx(np.mean(votes.predictions == truth[None, :]))
    assert told["plurality_accuracy"] == pytest.approx(np.mean(votes.counts.argmax(axis=1) == truth))
    assert told["label_accuracy"] == pytest.approx(np.mean(labels.label == truth[labels.index]))
