"""The panel stage: prices of other settings beside the one that was asked for."""

import pytest
from pate.pipelines import targets
from pate.pipelines.artifacts import COSTS, PANEL


def test_at_the_settings_of_the_run_it_says_what_the_account_says(owners_run, made):
    panel, costs = made(PANEL, "panel"), made(COSTS, "account")
    i, j, k = panel.chosen
    told = dict(zip([one["accountant"] for one in panel.accountants], panel.epsilon[i][j][k], strict=True))
    account = {price["accountant"]: price["epsilon"] for price in costs.prices}
    assert account
    assert {name: told[name] for name in account} == pytest.approx(account, rel=1e-6)
    assert (panel.noises[i], panel.queries[j], panel.deltas[k]) == (0.4, 40, 1e-4)


def test_no_more_queries_than_twice_those_asked(made):
    assert max(made(PANEL, "panel").queries) <= 80


def test_a_page_can_go_without_it(settings, run):
    assert "panel" in targets(settings())
    assert "panel" not in targets(settings("report.panel=false"))
    assert targets(settings("report.panel=false", "stage=panel"))[0] == "panel"  # by its own name it is still there
    found = run("report.panel=false", "stage=report", "methods=[pate]", "teachers=ridge", "labels.queries=20")
    assert {"account", "report"} <= found["stages"].keys()
    assert "panel" not in found["stages"]
