"""The sanitise stage: an epsilon for this data set that may leave, because it was drawn and paid for itself."""

import pytest
from pate.pipelines.artifacts import SANITISED

from pate.errors import ConfigError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store

FAST = ["teachers=ridge", "teachers.count=10", "labels.queries=20", "n_jobs=1", "stage=sanitise"]
GNMAX = ["aggregator=gnmax", "aggregator.sigma=5", "aggregator.noise=continuous"]


def test_it_is_an_entry_of_the_ledger_and_served_again(run, tmp_path):
    first, second = run(*GNMAX), run(*GNMAX)
    assert not first["stages"]["sanitise"]["reused"]
    assert second["stages"]["sanitise"]["reused"]
    store = Store(tmp_path / "workspace")
    (entry,) = Ledger.of(store).entries()
    assert (entry.release.kind, entry.status) == ("sanitised epsilon", "released")
    found = store.read("release", "sanitise", first["stages"]["sanitise"]["key"], SANITISED.name, SANITISED.kind)
    assert found.publishable
    assert (found.delta, found.relation) == (1e-4, entry.release.relation)


def test_with_a_seed_it_may_not_leave(run, tmp_path):
    found = run(*GNMAX, "noise.seed=1")
    assert not list((tmp_path / "workspace").glob("release/sanitise/*"))
    read = Store(tmp_path / "workspace").read
    told = read("evaluation", "sanitise", found["stages"]["sanitise"]["key"], SANITISED.name, SANITISED.kind)
    assert not told.publishable


@pytest.mark.parametrize("other", [[], [*GNMAX[:2], "aggregator.noise=discrete"], [*GNMAX, "labels.selection=active"]])
def test_what_its_bounds_do_not_cover_is_refused(run, tmp_path, other):
    with pytest.raises(ConfigError, match=r"stage=sanitise covers aggregator=gnmax aggregator.noise=continuous"):
        run(*other)
    assert not (tmp_path / "workspace").exists()
