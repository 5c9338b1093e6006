"""The graph refuses, when it is built, every wiring that would carry private data across the barrier."""

import importlib
import subprocess
import sys
from dataclasses import dataclass, replace

import pytest
from pate.pipelines.account import account
from pate.pipelines.artifacts import LABELS, PRIVATE, PUBLIC, STUDENT, VOTES
from pate.pipelines.labels import labels
from pate.pipelines.student import student

from pate.errors import GraphError
from pate.workspace.artifact import Artifact
from pate.workspace.stage import Pipeline, _source, code_version, owned, releasable, stage


@dataclass(frozen=True)
class Thing(Artifact):
    n: int = 0


SECRET, OPEN = owned("secret", Thing), releasable("open", Thing)


def declared():
    """Within a function: a module's own stages would be known to every other test."""

    @stage(writes=[SECRET, OPEN])
    def origin(run):
        return Thing(), Thing()

    return origin


origin = declared()


def test_release_from_private_needs_a_mechanism():
    @stage(reads=[SECRET], writes=[releasable("leak", Thing)])
    def leak(run, secret):
        return secret

    with pytest.raises(GraphError, match="leak writes to the releasable side but reads private secret"):
        Pipeline((origin, leak))
    Pipeline((origin, replace(leak, crosses="a mechanism")))  # named: allowed


@pytest.mark.parametrize("private", [PRIVATE, VOTES])
def test_the_student_cannot_be_wired_to_a_private_artifact(private, settings):
    from pate.pipelines import graph

    good = graph(settings())
    wired = replace(student, reads=(*student.reads, private))
    with pytest.raises(GraphError, match="stage student writes to the releasable side but reads private"):
        Pipeline(tuple(wired if one is student else one for one in good.stages))


def test_the_student_reads_public_inputs_and_labels_only():
    assert {ref.name for ref in student.reads} == {"public", "encoder", "public_features", "labels"}
    assert all(ref.side == "release" for ref in (*student.reads, *student.writes))
    assert student.writes == (STUDENT,)


def test_only_named_mechanisms_cross(settings):
    from pate.pipelines import graph

    crossing = [s.name for s in graph(settings("dpsgd.epsilon=1.0")).stages if s.crosses]
    assert crossing == ["labels", "sanitise", "dpsgd"]


def test_true_labels_of_public_inputs_are_read_where_things_are_scored_only(settings):
    from pate.pipelines import graph
    from pate.pipelines.artifacts import TRUTH

    assert [s.name for s in graph(settings()).stages if TRUTH in s.reads] == [
        "quality",
        "consensus_quality",
        "compare",
        "report",
    ]


def test_a_missing_input_is_found_when_the_graph_is_built():
    with pytest.raises(GraphError, match="account reads private votes, which no stage before it writes"):
        Pipeline((account,))


def test_two_writers_of_one_artifact_are_refused():
    with pytest.raises(GraphError, match="written by both origin and again"):
        Pipeline((origin, replace(origin, name="again")))


def test_needed_is_the_target_and_its_ancestors(settings):
    from pate.pipelines import graph

    names = [s.name for s in graph(settings()).needed(["votes"])]
    assert names == ["data", "features", "encode", "teachers", "votes"]


def test_code_version_follows_imports_and_targets(tmp_path, monkeypatch):
    assert code_version(labels) != code_version(student)
    plain = code_version(student)
    assert code_version(student, ["pate.students.self_training"]) != plain
    own = tmp_path / "own_student.py"
    monkeypatch.syspath_prepend(tmp_path)
    versions = []
    for line in ("a = 1", "a = 2"):  # a user's own class is part of the stage's code
        own.write_text(line)
        monkeypatch.delitem(sys.modules, "own_student", raising=False)
        importlib.import_module("own_student")
        _source.cache_clear()
        versions.append(code_version(student, ["own_student"]))
    assert len({plain, *versions}) == 3


def test_finding_the_code_imports_nothing():
    script = (
        "import sys; from pate.pipelines.dpsgd import dpsgd; from pate.workspace.stage import code_version; "
        "code_version(dpsgd, ['pate.dpsgd.train']); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_sides():
    assert PUBLIC.side == LABELS.side == "release"
