"""How models decide is post-processing: nothing is drawn again by it, and everybody who asks the model is told it."""

import csv
import json
import shutil
import subprocess
import sys

import pytest

from pate.models.decision import Decision
from pate.release.predict import published
from tests.pipelines.test_compare import SKEWED, census

__all__ = ["census"]
METHODS = "methods=[pate,consensus,dpsgd,nonprivate]"
FAST = ("consensus.epsilon=8", "dpsgd.epsilon=2", "dpsgd.epochs=2", "dpsgd.lot=100")
PRIORS = "dataset.priors=[0.94,0.06]"


@pytest.fixture
def words(census):
    return (*SKEWED, f"dataset.path={census}", METHODS, *FAST, "noise.seed=0")


def by_name(found, metric):
    return {row["name"]: row["metrics"][metric] for row in found["methods"]}


def test_another_decision_draws_nothing_again_and_leaves_probabilities_alone(run, words, entries):
    plain = run(*words)
    drawn = len(entries())
    balanced = run(*words, "balance.answers=true")
    one_class = run(*words, "decision.positive=yes", "decision.threshold=0.01")
    best = run(*words, "decision.positive=yes", "decision.threshold=f1")
    assert len(entries()) == drawn
    for found in (balanced, one_class, best):
        assert by_name(found, "log_loss") == by_name(plain, "log_loss")
        assert by_name(found, "auc") == by_name(plain, "auc")
        assert {"teachers", "labels", "dpsgd", "consensus"} <= {
            name for name, stage in found["stages"].items() if stage["reused"]
        }
        assert any("need not answer the most probable class" in note for note in found["notes"])
    before, after = by_name(plain, "balanced_accuracy"), by_name(balanced, "balanced_accuracy")
    assert sum(after.values()) > sum(before.values())
    assert after["pate"] > before["pate"] + 0.1
    for few, many in zip(plain["methods"], one_class["methods"], strict=True):
        assert few["by_class"]["yes"] <= many["by_class"]["yes"] > 0


def test_answers_are_balanced_where_declared_priors_put_most_in_one_class(run, words, entries):
    plain = run(*words)
    drawn = len(entries())
    declared = run(*words, PRIORS)
    assert by_name(declared, "balanced_accuracy") == by_name(run(*words, "balance.answers=true"), "balanced_accuracy")
    for kept in (run(*words, PRIORS, "balance.answers=false"), run(*words, "dataset.priors=[0.5,0.5]")):
        assert by_name(kept, "balanced_accuracy") == by_name(plain, "balanced_accuracy")
    assert len(entries()) == drawn


def test_records_weighed_by_declared_priors_are_drawn_anew_and_said(run, words, entries):
    run(*words, PRIORS)
    drawn = len(entries())
    weighed = run(*words, PRIORS, "balance.records=true")
    assert len(entries()) == drawn + 2  # labels and DP-SGD; the noisy sum is what it was
    assert any(note.startswith("records were weighed by the declared priors") for note in weighed["notes"])
    run(*words, PRIORS, "balance.records=true", "balance.answers=false")
    assert len(entries()) == drawn + 2


def test_without_public_inputs_dpsgd_decides_by_declared_priors_or_not_at_all(run):
    words = ("stage=compare", "methods=[dpsgd]", "dpsgd.epsilon=2", "dpsgd.epochs=1", "dataset.public=0", "n_jobs=1")
    declared = run(*words, "balance.answers=true", f"dataset.priors={[0.1] * 10}".replace(" ", ""))
    assert any("by the declared priors" in note for note in declared["notes"])
    silent = run(*words, "balance.answers=true")
    assert any("answers the most probable class" in note for note in silent["notes"])


@pytest.mark.parametrize("method", ["pate", "dpsgd"])
def test_a_released_model_answers_the_same_wherever_it_is_asked(run, census, tmp_path, method):
    words = [one for one in SKEWED if not one.startswith("stage=")]
    words += [f"dataset.path={census}", METHODS, *FAST, PRIORS, f"release.method={method}", "budget.lift=true"]
    run(*words, "stage=release", f"output={tmp_path / 'out'}")
    student = published(tmp_path / "out")[0]
    assert isinstance(student.decision, Decision)
    card = (tmp_path / "out" / "MODEL_CARD.md").read_text()
    assert "does not answer its most probable class" in card
    assert "the model's own probabilities over the public inputs" in card
    asked = tmp_path / "asked.csv"
    shutil.copy(census / "test.csv", asked)
    alone = [sys.executable, str(tmp_path / "out" / "predict.py"), str(asked), str(tmp_path / "alone.csv")]
    subprocess.run(alone, check=True, timeout=60)
    with (tmp_path / "alone.csv").open() as stream:
        told = [line["class"] for line in csv.DictReader(stream)]
    run("stage=predict", f"student_path={tmp_path / 'out'}", f"input={asked}", f"output={tmp_path / 'ours.csv'}")
    with (tmp_path / "ours.csv").open() as stream:
        assert [line["class"] for line in csv.DictReader(stream)] == told
    assert json.loads((tmp_path / "out" / "model.json").read_text())["decision"]["positive"] is None
