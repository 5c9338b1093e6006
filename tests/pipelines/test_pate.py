"""PATE as a method: its stages follow the settings, and its release is what no other method's is."""

import pytest
from pate.pipelines import entries, graph, releasing, taking_part, targets

from pate.errors import ConfigError


def names(settings):
    return [stage.name for stage in graph(settings).stages]


def test_its_stages_are_there_if_it_is_named_and_only_then(settings):
    assert {"teachers", "votes", "labels", "account", "student"} <= set(names(settings()))
    alone = settings("methods=[dpsgd]", "dpsgd.epsilon=1")
    assert not {"teachers", "votes", "labels", "account", "student"} & set(names(alone))
    assert [one.key for one in taking_part(alone)] == ["dpsgd"]


@pytest.mark.parametrize(
    ("overrides", "there", "not_there"),
    [
        (["labels.selection=active", "labels.rounds=2"], {"labels", "account"}, {"queries", "quality", "sanitise"}),
        (["dataset.public=0", "dpsgd.epsilon=1"], {"dpsgd", "nonprivate"}, {"labels", "student"}),
    ],
)
def test_the_settings_choose_among_its_stages(settings, overrides, there, not_there):
    found = set(names(settings(*overrides)))
    assert there <= found
    assert not not_there & found


def test_labels_are_priced_wherever_they_are_used(settings):
    for stage in ("labels", "student", "compare", "release"):
        assert "account" in targets(settings(f"stage={stage}"))
    assert "account" not in targets(settings("stage=features"))
    assert "account" not in targets(settings("stage=release", "release.method=dpsgd", "dpsgd.epsilon=1"))


def test_the_method_that_leaves_is_the_one_that_is_named(settings):
    assert [ref.name for ref in releasing(settings()).reads] == ["labels", "student"]
    dpsgd = settings("release.method=dpsgd", "dpsgd.epsilon=1")
    assert [ref.name for ref in releasing(dpsgd).reads] == ["dpsgd", "spent"]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["release.method=dpsgd"], "release.method=dpsgd: DP-SGD's model is calibrated to what PATE spent"),
        (["release.method=nonprivate"], "release.method=nonprivate: nothing of nonprivate may leave"),
        (["release.method=dpsgd", "methods=[pate]"], r"it is not among methods=\[pate\]"),
        (
            ["release.method=pat"],
            "release.method=pat: expected one of pate, dpsgd, consensus, nonprivate; did you mean pate",
        ),
        (["methods=[]"], r"methods=\[\]: name at least one"),
        (
            ["methods=[dpsgd]"],
            "stage=release: dpsgd.epsilon=pate needs the epsilon PATE spent, which this run",
        ),
    ],
)
def test_what_must_not_leave_is_refused_with_the_reason(settings, overrides, words):
    with pytest.raises(ConfigError, match=words):
        settings("stage=release", *overrides)


def test_the_first_method_is_the_one_the_others_stand_beside(settings):
    every = ["pate", "dpsgd", "dpsgd_publishable", "consensus", "nonprivate"]
    assert [entry.key for entry in entries(settings())] == every
    typed = settings("methods=[dpsgd,pate]", "dpsgd.epsilon=1")
    assert [entry.key for entry in entries(typed)] == ["pate", "dpsgd"]  # in one order, whatever was typed
