"""What was typed and changes nothing is said, once; what has an effect, or is nobody's setting, is not."""

import pytest
from pate.pipelines import graph

from pate.app.idle import idle


def said(settings, *typed, methods="consensus"):
    chosen = settings(f"methods=[{methods}]", "consensus.student=itself", *typed)
    return idle(typed, graph(chosen), chosen.methods)


@pytest.mark.parametrize(
    "word",
    ["labels.queries=50", "labels.selection=active", "aggregator.gamma=1", "aggregator=gnmax", "teachers.count=5",
     "account.target_epsilon=2", "account.on_votes=true", "++labels.queries=7", "dpsgd.epochs=1", "seed=3"],
)  # fmt: skip
def test_what_consensus_does_not_read(settings, word):
    typed = [word] if "active" not in word else [word, "labels.queries=50"]
    (line,) = said(settings, *typed)
    assert word.lstrip("+").partition("=")[0] in line
    assert "not apply: nothing of methods=[consensus] reads" in line
    assert "\n" not in line


def test_all_of_them_in_one_line(settings):
    assert said(settings, "labels.queries=50", "aggregator.gamma=1", "consensus.epsilon=2") == [
        "labels.queries, aggregator.gamma do not apply: nothing of methods=[consensus] reads them"
    ]


@pytest.mark.parametrize(
    "word",
    ["consensus.epsilon=2", "consensus=graph", "delta=1e-5", "noise.seed=1", "n_jobs=1", "dataset.public=100",
     "features=pca", "stage=account", "budget.epsilon=3", "workspace=elsewhere", "report.audience=owner"],
)  # fmt: skip
def test_what_it_reads_or_no_stage_does(settings, word):
    assert said(settings, word) == []


def test_with_a_method_that_reads_it(settings):
    assert said(settings, "labels.queries=50", "aggregator.gamma=1", methods="pate,consensus") == []
    assert "consensus.epsilon" in said(settings, "consensus.epsilon=2", methods="pate")[0]
    assert said(settings, "consensus.student=student", "student=supervised") == []
    assert said(settings, "student=supervised")


@pytest.mark.parametrize("named", ["pate", "dpsgd", "consensus"])
def test_one_epsilon_is_read_whoever_is_named(settings, named):
    assert said(settings, "epsilon=1", f"release.method={named}", methods="pate,dpsgd,consensus") == []
    assert said(settings, "epsilon=1", methods=named) == []


def test_what_another_setting_is_made_of_has_an_effect(settings):
    assert said(settings, "seed=3", "noise.seed=${seed}") == []
    assert idle(["seed=3", r"noise.seed=$\{seed\}"], graph(settings("methods=[consensus]")), ["consensus"]) == []
    assert said(settings, "seed=3", "noise.seed=4") != []
