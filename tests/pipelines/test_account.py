"""The account stage: prices without a draw, again for another delta, and how many queries an epsilon buys."""

from pathlib import Path

import pytest

from pate.errors import PateError

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "labels.queries=20", "n_jobs=1"]
VOTES = Path(__file__).parents[1] / "accounting" / "votes_mnistlike_250.npz"


def test_accounting_alone_draws_nothing(run, tmp_path):
    ask = ["stage=account", f"votes.path={VOTES}", "labels.selection=first", "aggregator.gamma=0.05", "delta=1e-5"]
    found = run(*ask, "account.target_epsilon=1.0", "labels.queries=100", "aggregator.noise=continuous")
    assert set(found["stages"]) == {"votes", "queries", "account"}
    assert not (tmp_path / "workspace" / "release" / "labels").exists()
    keys = "basic advanced moments_independent optimal_independent argmax_independent pate2017 pate2017_optimal"
    assert set(found["pate"]["epsilon"]) == {*keys.split(), "exact_rdp", "exact_pld"}
    ours = found["methods"][0]
    assert ours["epsilon"] == pytest.approx(0.549, abs=0.002)
    assert ours["guarantee"] == "this data set"
    assert ours["epsilon_publishable"] == found["pate"]["epsilon"]["argmax_independent"]
    assert found["pate"]["plan"]["queries"] > 10
    assert "parameters chosen on private votes: not covered" not in found["notes"]
    marked = run(*ask, "account.target_epsilon=0.3", "account.on_votes=true", "labels.queries=20")
    assert marked["pate"]["plan"]["queries"] > found["pate"]["plan"]["queries"]
    assert "parameters chosen on private votes: not covered" in marked["notes"]


def test_another_delta_prices_the_same_labels_again(run, tmp_path):
    first = run("stage=labels")
    second = run("stage=labels", "delta=1e-6")
    assert second["stages"]["labels"]["reused"]
    assert not second["stages"]["account"]["reused"]
    assert second["methods"][0]["epsilon"] > first["methods"][0]["epsilon"]


def test_gaussian_aggregators_run_through(run):
    found = run("aggregator=gnmax", "aggregator.sigma=5", "stage=student")
    assert {"gnmax2018", "argmax_independent", "teacher_resolved"} <= set(found["pate"]["epsilon"])
    confident = run(
        "aggregator=confident_gnmax", "aggregator.sigma=3", "aggregator.threshold=12", "aggregator.threshold_sigma=4",
        "labels.queries=100", "noise.seed=0", "stage=student",
    )  # fmt: skip
    assert confident["pate"]["queries"] == 100
    assert 0 < confident["pate"]["answered"] < 100
    with pytest.raises(PateError, match="no query reached"):
        run("aggregator=confident_gnmax", "aggregator.threshold=10000", "stage=student")
