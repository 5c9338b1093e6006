"""A disk that is full, read-only or somebody else's ends in one line, and in a workspace that goes on afterwards."""

import pytest

from . import disk

SLOW = {"/.hydra", "CREATE", "private/data/.", "INSERT INTO entries", "release/labels/."}


@pytest.mark.parametrize(
    "where", [pytest.param(w, id=what, marks=[pytest.mark.slow] * (w in SLOW)) for w, what in disk.POINTS.items()]
)
def test_a_full_disk(tmp_path, template, root, where):
    disk.full(tmp_path, where)


@pytest.mark.slow
def test_a_full_disk_when_the_ledger_is_opened(tmp_path, template, root):
    disk.full(tmp_path, "private/votes/.", at=2)  # the votes are stored


@pytest.mark.slow
@pytest.mark.parametrize("where", [where for where in disk.POINTS if where != "/.hydra"])
def test_a_limit_on_the_size_of_files(tmp_path, where):
    disk.limited(tmp_path, where)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_read_only_workspace(tmp_path, template, root, elsewhere):
    disk.read_only(tmp_path, template, *[f"hydra.run.dir={tmp_path / 'run'}"] * elsewhere)


def test_a_workspace_of_somebody_else(tmp_path, template, root):
    disk.somebody_elses(tmp_path, template)
