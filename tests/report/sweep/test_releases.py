"""What a sweep released, by the ledger of a real workspace: its own, the account's, evaluations apart."""

import pytest

from pate.accounting.guarantee import shown
from pate.app.cli import execute
from pate.ledger.ledger import Ledger, total
from pate.report.sweep.releases import told_of
from pate.workspace.store import Store
from pate.workspace.typed_json import to_json

LABELS = ["stage=labels", "teachers=ridge", "teachers.count=20", "labels.queries=20", "n_jobs=1"]


@pytest.fixture
def workspace(settings, tmp_path):
    """A run of its own, then a sweep of two settings and one evaluation."""
    runs = {"alone": [], "0": ["aggregator.gamma=0.05"], "1": ["aggregator.gamma=0.1"], "2": ["noise.seed=1"]}
    for name, overrides in runs.items():
        (tmp_path / name).mkdir()
        execute(settings(*LABELS, *overrides), tmp_path / name, "" if name == "alone" else "the sweep")
    return tmp_path / "workspace"


def test_a_sweeps_releases_are_told_beside_the_accounts(workspace):
    found, lines = told_of([workspace, workspace], "the sweep")
    (account,) = to_json(found)["accounts"]
    assert (account["releases"], account["evaluations"], account["account"]["releases"]) == (2, 1, 3)
    entries = [entry for entry in Ledger.of(Store(workspace)).entries() if entry.spent]
    own = [entry for entry in entries if entry.spender.plan == "the sweep"]
    assert account["sweep"]["epsilon"] == total(own, 1e-4)[0]
    assert account["account"]["epsilon"] == total(entries, 1e-4)[0] > account["sweep"]["epsilon"]
    promise = "for every data set (publishable), delta 0.0001, one record replaced by nothing"
    assert lines == [
        "releases: 2 by this sweep from account digits, together epsilon "
        f"{shown(account['sweep']['epsilon'])} {promise}",
        f"          3 from account digits so far, together epsilon {shown(account['account']['epsilon'])} {promise}",
        "          apart: 1 evaluation (seeded noise: not private)",
    ]


def test_nothing_released_or_no_ledger_is_nothing_to_tell(workspace, tmp_path):
    assert told_of([workspace], "another plan") == (None, [])
    assert told_of([workspace], "") == (None, [])
    assert told_of([tmp_path / "nowhere"], "the sweep") == (None, [])
    assert not (tmp_path / "nowhere").exists()


def test_a_damaged_ledger_is_said_and_spares_the_summary(workspace):
    (workspace / "private" / "ledger.sqlite").write_bytes(b"no ledger")
    found, (line,) = told_of([workspace], "the sweep")
    assert found is None
    assert line.startswith("releases: not known, ")
