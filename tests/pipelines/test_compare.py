"""The compare stage: every model on the same test inputs, beside what the votes and labels were worth."""

import json
import re
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


def test_the_manifest_of_scores_tells_which_models_were_seen_and_what_had_been_fixed(run, tmp_path):
    small = ["stage=compare", "teachers=ridge", "teachers.count=10", "labels.queries=20", "student=supervised"]
    small += ["methods=[pate,dpsgd,nonprivate]", "dpsgd.epochs=1", "n_jobs=1"]

    def shown(*overrides):
        key = run(*small, *overrides)["stages"]["compare"]["key"]
        file = tmp_path / "workspace" / "private" / "compare" / key / "manifest.json"
        return json.loads(file.read_text())["about"]["facts"]

    kept = shown()  # at PATE's epsilon, for the owner; the bound is no private model
    assert sorted(kept["models"].values()) == ["dpsgd", "dpsgd", "pate"]
    assert (kept["fixed"], kept["released"], kept["accounts"]) == ("", False, ["digits"])
    released = shown("dpsgd.epsilon=2", "release.method=dpsgd")
    assert sorted(released["models"].values()) == ["dpsgd", "pate"]
    assert (released["fixed"], released["released"]) == ("dpsgd", True)
    alone = shown("dpsgd.epsilon=2", "methods=[dpsgd]")
    assert alone["fixed"] == "dpsgd"
    assert alone["models"].keys() < released["models"].keys()
    assert not shown("dpsgd.epsilon=2", "noise.seed=1")["released"]
    drawn_again = shown("dpsgd.epsilon=2", "methods=[dpsgd]", "force=[dpsgd]")
    assert not drawn_again["models"].keys() & alone["models"].keys()  # another model, whatever it is called
    late = ("dpsgd.epsilon=2", "noise.seed=1", "release.method=dpsgd", "force=[compare]")
    assert shown(*late)["fixed"] == ""  # its scores had been seen


def test_labels_of_a_price_nobody_knows_are_not_counted_as_released(run, census, tmp_path):
    found = run(*SKEWED, f"dataset.path={census}", f"labels.path={none_of(census)}", "methods=[pate]")
    file = tmp_path / "workspace" / "private" / "compare" / found["stages"]["compare"]["key"] / "manifest.json"
    assert not json.loads(file.read_text())["about"]["facts"]["released"]


SKEWED = ("stage=compare", "dataset=arrays", "dataset.label=y", "dataset.classes=[no,yes]", "teachers=ridge",
          "teachers.count=5", "labels.queries=60", "aggregator.gamma=1", "n_jobs=1")  # fmt: skip


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """A table with 6% positives."""
    folder, rng = tmp_path_factory.mktemp("census"), np.random.default_rng(0)
    for side, count in (("private", 600), ("public", 150), ("test", 200)):
        x = rng.normal(size=(count, 3))
        order = np.argsort(np.argsort(x[:, 0] + rng.normal(size=count) / 4))
        rows = [
            f"{a:.3f},{b:.3f},{c:.3f},{'yes' if at >= 0.94 * count else 'no'}"
            for (a, b, c), at in zip(x, order, strict=True)
        ]
        (folder / f"{side}.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    return folder


def test_where_one_class_is_most_of_the_noisy_labels_balanced_accuracy_decides(run, census):
    found = run(*SKEWED, f"dataset.path={census}", "methods=[pate,nonprivate]")
    measure = found["measure"]
    assert measure["name"] == "balanced_accuracy"
    share = re.fullmatch(r"(\d+)% of the noisy labels are `no`", measure["why"])
    assert int(share[1]) > 60
    assert found["baseline"]["answer"] == "no"
    assert found["baseline"]["metrics"]["accuracy"] == pytest.approx(0.94)
    assert found["baseline"]["metrics"]["balanced_accuracy"] == 0.5


def test_declared_priors_go_before_labels_and_change_nothing_that_was_drawn(run, census, entries):
    words = (*SKEWED, f"dataset.path={census}", "methods=[pate]")
    run(*words)
    drawn = len(entries())
    found = run(*words, "dataset.priors=[0.5,0.5]")
    assert (found["measure"]["name"], found["measure"]["why"]) == ("accuracy", "the default")
    assert len(entries()) == drawn
    assert all(stage["reused"] for stage in found["stages"].values())
    asked = run(*words, "compare.metric=recall_at", "compare.positive=yes", "compare.false_positives=0.2")
    assert asked["measure"]["title"] == "recall at a false-positive rate (yes, at 20%)"
    assert asked["methods"][0]["metrics"]["recall_at"] is not None
    assert [name for name, stage in asked["stages"].items() if not stage["reused"]] == ["compare"]


@pytest.mark.parametrize("released", [True, False])
def test_beliefs_of_a_consensus_are_looked_at_where_it_is_released(run, census, released):
    """What is drawn for the owner's comparison alone decides nothing that others may see."""
    named = ["methods=[consensus]"] if released else ["dataset.public=150", f"labels.path={none_of(census)}"]
    found = run(*SKEWED, f"dataset.path={census}", "consensus.epsilon=8", *named)
    if released:
        assert found["measure"]["name"] == "balanced_accuracy"
        assert re.fullmatch(r"\d+% of the released beliefs are `no`", found["measure"]["why"])
    else:
        assert {row["name"]: row["kept"] for row in found["methods"]}["consensus"]
        assert found["measure"]["name"] == "accuracy"


def none_of(census):
    """Labels from elsewhere, of which neither class is most."""
    file = census / "labels.npz"
    np.savez(file, index=np.arange(20), label=np.arange(20) % 2)
    return file
