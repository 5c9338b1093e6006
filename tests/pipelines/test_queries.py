"""The queries stage: which public inputs are asked about, chosen from public things alone."""

import numpy as np
from pate.pipelines import graph
from pate.pipelines.artifacts import QUERIES

from pate.workspace.store import Store


def asked(found, tmp_path):
    return Store(tmp_path / "workspace").read(
        "release", "queries", found["stages"]["queries"]["key"], QUERIES.name, QUERIES.kind
    )


def test_more_queries_include_the_fewer(run, tmp_path):
    few, many = (
        set(asked(run("stage=queries", f"labels.queries={count}"), tmp_path).index.tolist()) for count in (10, 25)
    )
    assert (len(few), len(many)) == (10, 25)
    assert few < many <= set(range(397))


def test_of_votes_from_a_file_only_how_many_there_are_is_read(run, tmp_path):
    np.savez(tmp_path / "votes.npz", counts=np.tile([[20] + [0] * 9], (30, 1)))
    found = run(f"votes.path={tmp_path / 'votes.npz'}", "stage=queries", "labels.selection=first", "labels.queries=5")
    assert asked(found, tmp_path).index.tolist() == [0, 1, 2, 3, 4]
    assert set(found["stages"]) == {"queries"}
    assert "5 of 30 voted on" in found["stages"]["queries"]["summary"]


def test_nothing_private_is_read(settings):
    for overrides in ((), ("labels.selection=medoids",)):
        (stage,) = [one for one in graph(settings(*overrides)).stages if one.name == "queries"]
        assert {ref.side for ref in stage.reads} == {"release"}
