"""What stage=check says: cells that are blank or not read, what a run would do and take, and what refuses it."""

from dataclasses import replace

import pytest

from pate.data.examine import Examined
from pate.evaluation.outlook import Checkup, PlannedRelease, SpendingPlan, Step
from pate.report.run.checkup import print_checkup

RELATION = "one record replaced by nothing"
PLAN = SpendingPlan(
    releases=[PlannedRelease("labels", 1.2341, 1e-5, RELATION)], account="clinic", delta=1e-5, before=0.0, after=1.2341,
    relation=RELATION, withheld="", account_withheld="",
)  # fmt: skip


def step(stage, reused=False, draws=False, seconds=None, rough=False):
    return Step(stage, reused, draws, seconds, rough)


def column(name, unread, identifier=""):
    sides = {"private": 0, "public": 0, "test": 0}
    return {
        "name": name, "kind": "numeric", "categories": 0, "blank": sides, "unread": sides | {"private": unread},
        "identifier": identifier,
    }  # fmt: skip


@pytest.fixture
def said(capsys):
    def say(**changes):
        seen = Examined(
            {"private": 120, "public": 60, "test": 40}, ["0", "1"], 2, [column("age", 30), column("[red]", 0)],
            None, {"public": 0, "test": 0}, [], [],
        )  # fmt: skip
        steps = [step("data", reused=True), step("teachers", seconds=30.0), step("labels", draws=True)]
        found = Checkup(seen, 1e-5, [], steps, PLAN, "", 2_000_000, 5_000_000_000)
        of_data = {name: value for name, value in changes.items() if hasattr(seen, name)}
        rest = {name: value for name, value in changes.items() if name not in of_data}
        print_checkup(replace(found, seen=replace(seen, **of_data), **rest))
        return " ".join(capsys.readouterr().out.split())

    return say


def test_what_there_is_and_what_a_run_would_do_cost_and_take(said):
    told = said()
    for words in (
        "0 + 30", "[red]", "120 private, 60 public, 40 test", "2: 0, 1", "1e-05, below 1/120",
        "teachers, labels (draws noise) would run; 1 are stored already",
        f"labels: epsilon 1.235 for every data set (publishable), delta 1e-05, {RELATION}",
        "about 30 s (as the last time), besides labels, which nobody knows before it has run once",
        "about 2 MB in the workspace, 5.0 GB are free", "nothing was trained or drawn",
    ):  # fmt: skip
        assert words in told
    assert "people" not in told
    assert "refuse this" not in told


def test_a_delta_that_is_too_large_and_what_must_be_settled_are_said(said):
    told = said(delta=0.01, refusals=["column id"], people=7)
    assert "0.01, NOT below 1/120" in told
    assert "warning: column id budget=strict and stage=release refuse this until it is settled" in told
    assert "7 groups in the private records" in told


def test_of_many_classes_the_first_are_named(said):
    told = said(classes=[f"c{n}" for n in range(15)])
    assert "15: c0, c1, " in told
    assert "c11 and 3 more" in told
