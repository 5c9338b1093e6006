"""What stage=check says: cells that are blank or not read, what a run would do and take, and what refuses it."""

import pytest

from pate.report.run.checkup import print_checkup

RELATION = "one record replaced by nothing"
PLAN = {
    "releases": [{"kind": "labels", "epsilon": 1.2341, "delta": 1e-5, "relation": RELATION}], "withheld": "",
    "account": "clinic", "before": 0.0, "after": 1.2341, "account_withheld": "", "delta": 1e-5, "relation": RELATION,
}  # fmt: skip


def step(stage, reused=False, draws=False, seconds=None, rough=False):
    return {"stage": stage, "reused": reused, "draws": draws, "seconds": seconds, "rough": rough}


def column(name, unread, identifier=""):
    sides = {"private": 0, "public": 0, "test": 0}
    return {
        "name": name, "kind": "numeric", "categories": 0, "blank": sides, "unread": sides | {"private": unread},
        "identifier": identifier,
    }  # fmt: skip


@pytest.fixture
def said(capsys):
    def say(**changes):
        found = {
            "columns": [column("age", 30), column("[red]", 0)], "sizes": {"private": 120, "public": 60, "test": 40},
            "classes": ["0", "1"], "people": None, "delta": 1e-5, "plan": PLAN,
            "steps": [step("data", reused=True), step("teachers", seconds=30.0), step("labels", draws=True)],
            "bytes_needed": 2_000_000, "bytes_free": 5_000_000_000, "settings": [], "refusals": [], "warnings": [],
        }  # fmt: skip
        print_checkup(found | changes)
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
