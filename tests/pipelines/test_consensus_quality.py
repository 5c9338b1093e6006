"""quality for a consensus: what a draw then gives, nothing drawn, the owner's."""

import numpy as np
import pytest
from pate.pipelines.artifacts import CONSENSUS_QUALITY

ALONE = ["methods=[consensus]", "n_jobs=1"]


def test_nothing_is_drawn_and_it_is_the_owners(run, entries, tmp_path):
    found = run("stage=quality", *ALONE, "consensus.epsilon=0.5")
    made = {"check", "data", "features", "encode", "shift", "consensus_quality"}
    assert set(found["stages"]) == made
    assert not entries()
    assert CONSENSUS_QUALITY.side == "private"
    assert not list((tmp_path / "workspace/release").glob("consensus*"))
    (table,) = found["tables"]
    assert table["title"] == "How right would consensus be?"
    assert [row[0] for row in table["rows"]] == [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0]
    shares = [row[2] for row in table["rows"]]
    assert shares[0] < 0.5 < 0.9 < shares[-1]


def test_it_foretells_what_is_drawn(run):
    """The mean over real draws is that over simulated ones."""
    told = {row[0]: row[2:] for row in run("stage=quality", *ALONE)["tables"][0]["rows"]}
    drawn = [
        run(*ALONE, "stage=compare", "consensus.epsilon=0.2", f"noise.seed={seed}")["methods"][0]["public_accuracy"]
        for seed in range(1, 5)
    ]
    mean, spread = told[0.2]
    assert np.mean(drawn) == pytest.approx(mean, abs=4 * spread * np.sqrt(1 / 4 + 1 / 5))


def test_beside_pate_both_are_told(run):
    found = run("stage=quality", "teachers=ridge", "teachers.count=20", "n_jobs=1")
    assert found["quality"]["plurality_accuracy"] > 0.5
    assert [table["title"] for table in found["tables"]] == ["How right would consensus be?"]


def test_without_true_labels_it_says_so(run, tmp_path):
    rng = np.random.default_rng(0)
    place = tmp_path / "mine"
    place.mkdir()
    np.savez(place / "private.npz", x=rng.normal(size=(200, 6)).astype(np.float32), y=np.arange(200) % 3)
    np.savez(place / "public.npz", x=rng.normal(size=(150, 6)).astype(np.float32))
    np.savez(place / "test.npz", x=rng.normal(size=(50, 6)).astype(np.float32), y=np.arange(50) % 3)
    own = ["dataset=arrays", f"dataset.path={place}", "dataset.classes=[a,b,c]", "delta=1e-3"]
    found = run("stage=quality", *ALONE, *own)
    assert "no true labels" in found["stages"]["consensus_quality"]["summary"]
    assert not found["tables"]  # of nothing
