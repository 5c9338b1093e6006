"""The ledger for reading: an epsilon stands with all that belongs to it, and what is not counted stands apart."""

import json
import math
import stat
from dataclasses import replace

import pytest

from pate.accounting.filter import ORDERS, Cost
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.ledger.summary import Left, summary
from pate.report.run.ledger import print_ledger, write_ledger
from pate.workspace.store import Store

COST = Cost((math.inf,) * len(ORDERS), math.inf, 1.5004, 1e-5)  # its own accountant is all that prices it


@pytest.fixture
def ledger(tmp_path):
    return Ledger.of(Store(tmp_path))


def reserve(ledger, scope="release"):
    release = Release("labels", "[noise]", {"answers": 20}, "one record replaced by nothing", COST)
    spender = Spender("people", scope, f"labels/{len(ledger.entries())}", "run", "plan")
    ledger.reserve(spender, release, Budget(None, 1e-5), lambda _: None)


def said(capsys, found):
    print_ledger(found)
    return " ".join(capsys.readouterr().out.split())


def test_nothing_released_is_said_so(ledger, capsys):
    assert said(capsys, summary(ledger)) == "nothing was released: the ledger is empty"
    reserve(ledger)
    assert said(capsys, summary(ledger, "typo")) == "account typo has released nothing; this workspace has people"


def test_releases_are_lines_and_what_is_not_counted_stands_apart(ledger, capsys):
    for scope in ("release", "owner", "evaluation"):
        reserve(ledger, scope)
    told = said(capsys, summary(ledger))
    assert "account people" in told
    assert "neighbours: one record replaced by nothing (zero-out adjacency)" in told
    assert told.count("labels: 20 answers") == 2  # the evaluation is no line
    assert "[noise]" in told
    assert "(1.501)" in told  # the owner's, in brackets
    promise = "delta 1e-05, one record replaced by nothing"
    assert f"together: epsilon 1.501 for every data set (publishable), {promise}" in told
    assert "this data set (the owner's)" not in told
    assert "1 in brackets: made for the owner's eyes, not released, not counted" in told
    assert "apart: 1 evaluations (seeded noise: not private), not counted" in told


def test_what_remains_of_a_budget_is_rounded_down(ledger, capsys):
    reserve(ledger)
    found = summary(ledger)
    left = replace(found.accounts[0], budget=Left(2.0, 1e-5, 0.4996))
    told = said(capsys, replace(found, accounts=[left]))
    assert "budget: epsilon 2, delta 1e-05, one record replaced by nothing; 0.499 of it remains" in told


def test_the_file_is_the_owners(ledger, tmp_path):
    reserve(ledger)
    write_ledger(summary(ledger), tmp_path / "ledger.json")
    (account,) = json.loads((tmp_path / "ledger.json").read_text())["accounts"]
    assert (account["name"], account["releases"]) == ("people", 1)
    assert stat.S_IMODE((tmp_path / "ledger.json").stat().st_mode) == 0o600
