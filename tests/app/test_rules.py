"""What cannot be part of a run is refused before anything is made, in words of its own."""

import inspect
import re
from dataclasses import replace

import numpy as np
import pytest
from pate.pipelines import methods

from pate.app import rules
from pate.app.rules import RULES
from pate.app.stages import stages
from pate.app.verbs import verb_of
from pate.data.arrays import Arrays
from pate.errors import ConfigError

NO_PUBLIC = "needs public inputs: dataset.public must be above 0"
NO_PRIVATE = "needs private records, and the data set has none"
OWN_LABELS = "is not part of a run that takes its labels from labels.path"
OWN_VOTES = "is not part of a run that takes its votes from votes.path"


def refused(settings, *words):
    """The stages that are refused, by what is said behind their name."""
    found, given = {}, settings("stage=data", *words)  # composed once: only the stage differs
    for stage in stages():
        one = replace(given, stage=stage)
        try:
            verb_of(one).require(one)
        except ConfigError as error:
            said = str(error)
            found.setdefault(said.removeprefix(f"stage={stage} "), set()).add(stage)
    return found


def test_without_public_inputs(settings):
    found = refused(settings, "dataset.public=0", "dpsgd.epsilon=3")
    assert found[NO_PUBLIC] == {
        "features", "teachers", "votes", "queries", "quality", "labels", "account", "student", "dpsgd_publishable",
        "panel", "basis", "consensus", "consensus_student", "consensus_account", "consensus_quality", "shift",
        "sanitise",
    }  # fmt: skip
    assert set(found) == {NO_PUBLIC}


def test_with_labels_from_a_file(settings, tmp_path):
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.arange(20) % 10)
    found = refused(settings, f"labels.path={tmp_path / 'labels.npz'}", "dpsgd.epsilon=3")
    assert found[OWN_LABELS] == {
        "teachers", "votes", "queries", "quality", "account", "panel", "sanitise", "dpsgd_publishable",
    }  # fmt: skip


def test_with_votes_from_a_file(settings, tmp_path):
    np.savez(tmp_path / "votes.npz", counts=np.tile([[20] + [0] * 9], (397, 1)))
    assert refused(settings, f"votes.path={tmp_path / 'votes.npz'}")[OWN_VOTES] == {"teachers"}


def test_without_private_records(settings, tmp_path):
    (tmp_path / "open").mkdir()
    np.savez(tmp_path / "open" / "public.npz", x=np.random.default_rng(0).random((30, 4)))
    np.savez(tmp_path / "open" / "test.npz", x=np.zeros((3, 4)), y=np.arange(3) % 2)
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.arange(20) % 2)
    own = ["dataset=arrays", f"dataset.path={tmp_path / 'open'}", "dataset.classes=[0,1]", "dpsgd.epsilon=3"]
    found = refused(settings, *own, f"labels.path={tmp_path / 'labels.npz'}")
    assert found[NO_PRIVATE] == {
        "teachers", "dpsgd", "dpsgd_publishable", "nonprivate", "basis", "consensus", "consensus_student",
        "consensus_account", "consensus_quality", "shift",
    }  # fmt: skip


def test_queries_that_hang_on_answers_are_not_chosen_beforehand(settings):
    found = refused(settings, "labels.selection=active")
    assert found["draws nothing, and labels.selection=active asks by earlier answers"] == {"queries", "quality"}
    assert found["is part of runs with two epsilons of PATE's: dpsgd.epsilon=pate, not active"] == {"dpsgd_publishable"}


@pytest.mark.parametrize(
    ("methods", "stage"),
    [
        ("pate", "dpsgd"),
        ("pate", "dpsgd_publishable"),
        ("pate", "nonprivate"),
        ("dpsgd", "sanitise"),
        ("dpsgd", "labels"),
    ],
)
def test_a_stage_of_a_method_that_was_not_chosen_is_named_as_that(settings, methods, stage):
    """Not: what PATE spent is not known, or which aggregator it would need. Neither would help."""
    with pytest.raises(ConfigError) as refused:
        settings(f"stage={stage}", f"methods=[{methods}]")
    assert str(refused.value) == f"stage={stage} is no part of methods=[{methods}]: name its method"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_rule_refuses_the_defaults(settings, rule):
    rule(settings())


def test_rules_name_no_method():
    """What is about one method, it says itself (`Method.check`): else each plug-in's would be a rule here."""
    named = re.findall(rf"has_(?:{'|'.join(methods())})|[\"']pate[\"']|dpsgd|nonprivate", inspect.getsource(rules))
    assert named == []


def test_what_is_wrong_with_a_method_that_takes_no_part_is_not_said(settings):
    """Rules of PATE's are PATE's: nobody mends them for a run without it."""
    wrong = ["teachers.count=5000", "labels.queries=5000", "dpsgd.epsilon=2"]
    settings("methods=[dpsgd]", *wrong)
    settings("stage=dpsgd", *wrong)
    with pytest.raises(ConfigError, match=r"labels\.queries=5000: the public pool has only"):
        settings(*wrong)
    with pytest.raises(ConfigError, match=r"teachers\.count=5000: there are only"):
        settings(wrong[0])


@pytest.mark.parametrize(
    ("asked", "heard"),
    [
        (["stage=all"], True),
        (["stage=check"], True),
        (["stage=dpsgd"], True),
        (["stage=release", "methods=[dpsgd]", "dpsgd.epsilon=2"], True),
        (["stage=release", "dpsgd.epsilon=2"], False),
        (["stage=labels"], False),
        (["stage=all", "methods=[pate]"], False),
    ],
)
def test_a_method_is_asked_what_is_wrong_where_it_has_a_part(settings, monkeypatch, asked, heard):
    def refuse(self, given):
        raise ConfigError("never like this")

    monkeypatch.setattr(type(methods()["dpsgd"]), "check", refuse)
    if heard:
        with pytest.raises(ConfigError, match="never like this"):
            settings(*asked)
    else:
        settings(*asked)


@pytest.mark.parametrize("words", [["stage=release"], ["budget=strict", "budget.epsilon=5"]])
def test_a_delta_within_which_a_record_may_be_published_neither_leaves_nor_is_paid_for(settings, words):
    asked = [*words, "methods=[consensus]", "delta=0.01"]
    with pytest.raises(ConfigError, match=r"delta=0.01 is not below 1/1200: .*: choose a smaller one"):
        settings(*asked)
    settings(*asked[:-1], "delta=0.0005")
    settings("methods=[consensus]", "delta=0.01")  # a warning


def test_what_was_named_and_cannot_take_part_is_refused_before_others_spend(settings):
    with pytest.raises(ConfigError, match=r"^methods=\[consensus,dpsgd\]: .*DP-SGD is left out"):
        settings("methods=[consensus,dpsgd]")
    settings("methods=[consensus,dpsgd]", "dpsgd.epsilon=1")
    settings("dataset.public=0", "dpsgd.epsilon=1")  # PATE was not named, and is left out in a note


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare.positive=ten"], "compare.positive=ten: expected one of 0, 1, 2"),
        (["dataset=arrays", "compare.positive=ten"], "declare dataset.classes"),
    ],
)
def test_a_class_that_is_asked_about_is_one_before_anything_is_spent(settings, words, message):
    with pytest.raises(ConfigError, match=message):
        rules.the_class_that_is_asked_about_is_one(settings_of(settings, words))
    rules.the_class_that_is_asked_about_is_one(settings("compare.positive=3"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decision.positive=ten", "decision.threshold=0.3"], "decision.positive=ten: expected one of 0, 1, 2"),
        (["decision.threshold=0.3"], "decision.threshold is one of two"),
        (["decision.positive=3"], "decision.positive is one of two"),
        (["decision.positive=3", "decision.threshold=1"], "decision.threshold must lie strictly between 0 and 1"),
        (["decision.positive=3", "decision.threshold=auto"], "or be one of balanced_accuracy, f1, got auto"),
        (["balance.records=true"], "balance.records=true weighs records by dataset.priors, and none are declared"),
        (["balance.records=true", "dataset.priors=[0.5,0.5]"], "dataset.priors must be one share for each of 0, 1"),
    ],
)
def test_what_models_cannot_aim_at_is_refused_in_a_line(settings, words, message):
    with pytest.raises(ConfigError, match=message) as refused:
        settings(*words)
    assert "\n" not in str(refused.value)


def test_a_class_of_a_threshold_is_declared(settings):
    given = replace(settings("decision.positive=3", "decision.threshold=0.3"), dataset=Arrays())
    with pytest.raises(ConfigError, match="declare dataset"):
        rules.the_class_of_the_threshold_is_one(given)


def settings_of(settings, words):
    """As they are composed, whatever the other rules say of them."""
    given = settings("stage=data")
    if "dataset=arrays" in words:
        given = replace(given, dataset=Arrays())
    return replace(given, compare=replace(given.compare, positive="ten"))
