"""The fetch stage: what is missing is fetched first, what is there is verified when asked for."""

from types import SimpleNamespace

import pytest
from pate.pipelines.fetch import fetch


class Known:
    """A data set whose files are there, or not."""

    name = "toy"

    def __init__(self, there):
        self.there, self.fetched = there, 0

    def missing(self):
        return [] if self.there else ["toy.gz"]

    def fetch(self):
        self.fetched += 1

    def folder(self):
        return "data/toy"


@pytest.mark.parametrize(
    ("there", "stage", "fetched", "summary"),
    [
        (False, "all", 1, "toy fetched into data/toy"),
        (True, "fetch", 1, "toy: all files are there, checksums right"),
        (True, "all", 0, ""),
    ],
)
def test_what_is_missing_is_fetched_and_what_is_there_verified_when_asked(there, stage, fetched, summary):
    run = SimpleNamespace(settings=SimpleNamespace(dataset=Known(there), stage=stage), summary="")
    fetch.function(run)
    assert (run.settings.dataset.fetched, run.summary) == (fetched, summary)


def test_digits_come_with_the_library(run):
    assert set(run("stage=data")["stages"]) == {"check", "data"}
