"""A workspace is one user's: every other, root too, is told whose it is, and leaves nothing in it."""

import os
import pwd
import shutil
import tempfile
from functools import partial
from pathlib import Path

import pytest

import pate
from pate.errors import ConfigError
from pate.workspace.store import Store
from tests.command_line import command_line

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def place():
    """A folder that everybody can reach, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def become(user):
    """The interpreter may lie where another user cannot read it: all is imported before the process becomes theirs."""
    own = tempfile.mkdtemp()
    pate.run(["stage=data", f"workspace={own}", f"hydra.run.dir={own}/run"])
    shutil.rmtree(own)
    os.setgroups([]), os.setgid(user), os.setuid(user)


def command(place, *arguments, user):
    return command_line(*arguments, cwd=place, prepare=partial(become, user))


def everything_in(folder):
    return sorted((str(path), path.lstat().st_uid, path.lstat().st_mtime_ns) for path in folder.rglob("*"))


@root_only
@pytest.mark.parametrize(
    ("mode", "words"), [(0o700, ["stage=data"]), (0o755, ["stage=ledger"]), (0o700, ["-m", "stage=data", "seed=0,1"])]
)
def test_another_user_is_told_whose_the_workspace_is(place, mode, words):
    Store(place / "workspace")
    (place / "workspace").chmod(mode)
    before = everything_in(place)
    told = command(place, *words, user=NOBODY)
    assert told.returncode == 2
    assert told.stderr.strip() == (
        "pate: workspace=workspace belongs to root: run as root, or name one of your own with workspace=FOLDER"
    )
    assert everything_in(place) == before


@root_only
@pytest.mark.parametrize("uid", [NOBODY, 54321])
def test_root_is_told_so_too_and_leaves_no_file_of_its_own(place, uid):
    place.chmod(0o777)
    Store(place / "workspace")
    for path in [place / "workspace", *(place / "workspace").rglob("*")]:
        os.chown(path, uid, uid)
    before = everything_in(place)
    name = pwd.getpwuid(uid).pw_name if uid == NOBODY else f"uid {uid}"
    with pytest.raises(ConfigError, match=f"workspace belongs to {name}: run as {name}"):
        Store(place / "workspace")
    told = command(place, "stage=data", user=0)
    assert f"belongs to {name}" in told.stderr
    assert everything_in(place) == before


@root_only
def test_a_shared_folder_is_no_ones_workspace_yet(place):
    place.chmod(0o777)
    told = command(place, "stage=data", "workspace=.", user=NOBODY)
    assert told.returncode == 0, told.stderr
    assert (place / "private").stat().st_uid == NOBODY


def test_ones_own_workspace_is_opened(tmp_path):
    Store(tmp_path)
    Store(tmp_path)
