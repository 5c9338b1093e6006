"""The quality stage: what the votes would be worth as labels, without a draw."""

import numpy as np
import pytest
from pate.pipelines.artifacts import QUALITY, TRUTH, VOTES

from pate.workspace.store import Store

FAST = ["teachers=ridge", "teachers.count=10", "n_jobs=1"]


def test_votes_are_scored_and_nothing_is_drawn(run, tmp_path):
    found = run("stage=quality", "labels.queries=20", "aggregator.gamma=0.5", "aggregator.noise=continuous")
    store = Store(tmp_path / "workspace")
    told, votes, truth = (
        store.read("private", stage, found["stages"][stage]["key"], ref.name, ref.kind)
        for stage, ref in (("quality", QUALITY), ("votes", VOTES), ("data", TRUTH))
    )
    assert told.teacher_accuracy == pytest.approx(np.mean(votes.predictions == truth.public_y))
    assert told.plurality_accuracy == pytest.approx(np.mean(votes.counts.argmax(axis=1) == truth.public_y))
    noise = np.random.default_rng(0).laplace(scale=2, size=(500, *votes.counts.shape))
    drawn = np.mean((votes.counts + noise).argmax(axis=2) == truth.public_y, axis=1)
    assert told.pool_accuracy == pytest.approx(drawn.mean(), abs=7 * drawn.std() / np.sqrt(500))
    ordered = np.sort(votes.counts, axis=1)
    assert told.median_gap == np.median(ordered[:, -1] - ordered[:, -2])
    assert "labels" not in found["stages"]
    assert not (tmp_path / "workspace" / "release" / "labels").exists()
