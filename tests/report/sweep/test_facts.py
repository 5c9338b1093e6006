"""sweep.json and compare.json: the same keys in the same order as ever, of whatever the jobs were."""

import json
from dataclasses import fields

import pytest

from pate.accounting.guarantee import ZERO_OUT, Guarantee
from pate.evaluation.measure import ACCURACY
from pate.report.sweep.facts import Comparison, FailedJob, SweepFacts, facts
from pate.report.sweep.releases import AccountReleases, AccountSoFar, SweepReleases
from pate.report.sweep.unfinished import Unfinished
from pate.workspace.typed_json import to_json
from tests.report.sweep.made_up import job, method

TOTAL = Guarantee(1.5, 1e-4, ZERO_OUT, False, "", "")


@pytest.fixture
def written():
    """Two finished jobs and one that is not, after what the ledger says of them."""
    jobs = [job(str(number), f"gamma={number}", methods=[method(accuracy=0.5 + number / 10)]) for number in (1, 2)] + [
        job("3", "gamma=3", finished=False)
    ]
    jobs[2] = type(jobs[2])("3", {"gamma": "3"}, None, Unfinished("why", "pate gamma=3"))
    released = SweepReleases("plan", [AccountReleases("digits", 2, 0, 1, TOTAL, AccountSoFar(3, TOTAL))])
    return to_json(facts(jobs, 3.0, released, ACCURACY))


def test_what_is_written_is_plain_and_keeps_its_keys(written):
    json.dumps(written, allow_nan=False)
    assert list(written) == ["jobs", "groups", "frontier", "failed", "releases"]
    assert [list(group) for group in written["groups"]] == [["choices", "jobs", "means", "largest", "told"]] * 2
    assert list(written["frontier"]) == ["epsilon", "measure", "kinds", "warning"]
    assert written["frontier"]["measure"]["name"] == "accuracy"
    for kind in written["frontier"]["kinds"]:
        assert list(kind) == [
            "method", "holds_for", "publishable", "delta", "relation", "data", "points", "frontier", "best",
        ]  # fmt: skip
        assert list(kind["best"]) == ["choices", "epsilon", "score"]
        assert list(kind["best"]["score"]) == ["value", "error", "runs"]


def test_a_job_that_failed_says_why_and_how_to_go_on(written):
    assert written["failed"] == [to_json(FailedJob("3", {"gamma": "3"}, "why", "pate gamma=3"))]
    assert [row["finished"] for row in written["jobs"]] == [True, True, False]


def test_what_an_account_comes_to_stands_beside_its_number_of_releases(written):
    (account,) = written["releases"]["accounts"]
    assert list(account) == ["name", "releases", "evaluations", "kept", "sweep", "account"]
    assert account["account"] == {"releases": 3} | to_json(TOTAL)
    assert to_json(AccountSoFar(0, None)) == {"releases": 0}


def test_a_comparison_is_the_same_with_notes():
    names = [field.name for field in fields(SweepFacts)]
    assert [field.name for field in fields(Comparison)] == [*names, "notes"]
