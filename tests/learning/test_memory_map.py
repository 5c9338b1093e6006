"""Large arrays reach worker processes as mapped files, and every result stays as it was to the last bit."""

from dataclasses import dataclass

import numpy as np
import pytest

from pate.data.partition import assign
from pate.errors import PateError
from pate.learning.memory_map import mapped
from pate.learning.spreading import PublicGraph
from pate.teachers.ensemble import Teachers, train
from pate.teachers.graph import GraphTeachers
from pate.workspace.store import Store

RNG = np.random.default_rng(0)
CANARY = "CANARY-987654"


def is_mapped(array):
    return isinstance(array, np.memmap) or isinstance(array.base, np.memmap)


def test_whatever_holds_large_arrays_comes_back_equal(tmp_path):
    graph = PublicGraph.of(RNG.normal(size=(700, 20)).astype(np.float32), 10, 0.5, 5, 0.9)
    large = np.asfortranarray(RNG.normal(size=(500, 600)))
    found = mapped({"a": (large, [graph]), "b": large, "c": "text"}, tmp_path)
    twin = found["a"][1][0]
    assert is_mapped(twin.inverse)
    assert is_mapped(found["b"])
    assert found["a"][0] is found["b"]
    assert not is_mapped(twin.mean)
    np.testing.assert_array_equal(found["b"], large)
    assert found["b"].flags.f_contiguous
    np.testing.assert_array_equal(twin.inverse, graph.inverse)
    assert (twin.weights != graph.weights).nnz == 0
    assert not is_mapped(graph.inverse)  # what was given is as it was
    with pytest.raises(ValueError, match="read-only"):
        found["b"][0, 0] = 1


@dataclass(frozen=True)
class Looks(Teachers):
    """Answers 1 if what it was handed lies in a file."""

    def prepare(self, public):
        return {"table": np.ones((600, 600))}

    def predict_many(self, partitions, public, classes, seeds):
        return [np.array([int(is_mapped(public["table"]))]) for _ in partitions]


def test_workers_see_files_and_a_single_process_does_not(tmp_path):
    x, y = RNG.normal(size=(40, 3)).astype(np.float32), np.arange(40) % 2
    for jobs in (1, 2):
        votes = train(Looks(count=4), x, y, assign(40, 4, 0), x, 2, seed=0, n_jobs=jobs)
        assert (votes == (jobs == 2)).all()


def test_results_are_the_same_through_files(tmp_path):
    x, public = (RNG.normal(size=(n, 30)).astype(np.float32) for n in (800, 900))
    y, which = RNG.integers(0, 3, 800), assign(800, 50, 0)
    found = [
        train(
            GraphTeachers(count=50),
            x,
            y,
            which,
            public,
            3,
            seed=0,
            n_jobs=jobs,
            pieces=Store(tmp_path / str(jobs)).pieces("t", "k"),
        )
        for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*found)


@dataclass(frozen=True)
class Talks(Teachers):
    """Fails as libraries do: with a record in its words, in a warning and as a cause."""

    def predict_one(self, x, y, public, classes, seed):
        import warnings

        warnings.warn(f"label {CANARY}", stacklevel=1)
        try:
            int(CANARY)
        except ValueError as error:
            raise RuntimeError(f"bad value {CANARY}: {x[0]}") from error


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_teachers_failure_shows_no_record(jobs, capfd, recwarn):
    import traceback

    x, y = np.full((40, 3), 987654.25, np.float32), np.arange(40) % 2
    with pytest.raises(PateError, match=r"Talks teacher \d failed with a RuntimeError \(.*in predict_one") as error:
        train(Talks(count=4), x, y, np.repeat(range(4), 10), x, 2, seed=0, n_jobs=jobs)
    told = "".join(traceback.format_exception(error.value)) + "".join(capfd.readouterr()) + str(recwarn.list)
    assert "987654" not in told


@dataclass(frozen=True)
class Words(Teachers):
    def predict_one(self, x, y, public, classes, seed):
        return np.array([CANARY] * len(public))


def test_answers_that_are_no_classes_are_not_shown():
    x, y = RNG.normal(size=(40, 3)).astype(np.float32), np.arange(40) % 2
    with pytest.raises(PateError, match="failed with a ValueError") as error:
        train(Words(count=4), x, y, np.repeat(range(4), 10), x, 2, seed=0)
    assert CANARY not in str(error.value)
