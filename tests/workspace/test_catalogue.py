"""The list of stages is what was declared, in the order of the flow."""

from dataclasses import dataclass

import pytest

from pate.workspace import catalogue as module
from pate.workspace.artifact import Artifact
from pate.workspace.catalogue import catalogue
from pate.workspace.stage import owned, stage


@dataclass(frozen=True)
class Thing(Artifact):
    n: int = 0


A, B, C = (owned(name, Thing) for name in "abc")


@pytest.fixture
def declared(monkeypatch):
    """Stages as a module of somebody's own would declare them, last ones first; gone after the test."""
    monkeypatch.setattr(module, "_STAGES", [])

    def declare(name, more=False, **how):
        def function(run):
            """Do it. And more."""

        def gathering(run, a=None):
            """Do it with what there is."""

        chosen = gathering if more else function
        chosen.__qualname__ = name
        return stage(name=name, **how)(chosen)

    return declare


def test_a_stage_comes_after_those_whose_artifacts_it_may_read(declared):
    declared("leaves", reads=[A], publishes=True)
    declared("gathers", more=True, reads=[A])
    declared("last", reads=[A, B], writes=[C])
    declared("middle", reads=[A], writes=[B])
    declared("first", writes=[A])
    declared("prepares")
    assert list(catalogue()) == ["prepares", "first", "middle", "last", "gathers", "leaves"]


def test_a_name_holds_every_stage_a_configuration_chooses_one_of(declared):
    from_file, made = declared("votes", writes=[B]), declared("votes", reads=[A], writes=[B])
    declared("data", writes=[A])
    found = catalogue()
    assert list(found) == ["data", "votes"]  # the longer way decides
    assert found["votes"] == (from_file, made)


def test_stages_that_could_follow_each_other_both_ways_have_a_place_too(declared):
    declared("one", reads=[A], writes=[B])
    declared("other", reads=[B], writes=[A])
    assert set(catalogue()) == {"one", "other"}


def test_one_that_is_declared_within_a_function_is_nobodys_else():
    @stage(writes=[A])
    def own(run):
        return Thing()

    assert "own" not in catalogue()


def test_the_stages_of_the_package_in_the_order_of_the_flow():
    import pate.pipelines  # noqa: F401

    names = list(catalogue())
    flow = [
        "fetch",
        "data",
        "features",
        "encode",
        "teachers",
        "votes",
        "labels",
        "account",
        "dpsgd",
        "compare",
        "release",
    ]
    assert [name for name in names if name in flow] == flow
    assert all(one.summary for name in names for one in catalogue()[name][:1])


def test_every_setting_that_is_seen_and_not_declared_has_a_reason():
    import pate.pipelines  # noqa: F401

    for some in catalogue().values():
        for one in some:
            assert all(len(reason.split()) >= 4 for reason in one.sees.values()), one.name
            assert not set(one.sees) & set(one.config), one.name
