"""The one interface of all trackers: what each is handed, and that a run needs none to stand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pate.errors import ConfigError
from pate.learning.telling import followed, tell, telling
from pate.report.tracking.tracking import Diary, Followed, Tracking

NOW = "2026-11-19_04-33-32-123456"
OFF = "import sys; from pate.app.cli import main; main(); assert not {'mlflow', 'sqlalchemy'} & set(sys.modules)"
OWN = """
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pate.report.tracking.tracking import Diary, Tracking

@dataclass(frozen=True)
class Mine(Tracking):
    @contextmanager
    def follow(self, run):
        with Lines(run).kept() as track:
            yield track

class Lines(Diary):
    tracker = "mine"
    def __init__(self, run): self.said = [run.title]
    def begin(self): pass
    def step(self, step, figures): self.said += list(figures)
    def finish(self, found, made): self.said += list(found.stages)
    def end(self, status): Path("said").write_text(chr(10).join([*self.said, status]))
"""


def test_by_default_nothing_is_kept_and_no_tracker_imported(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OFF, "stage=data"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "workspace" / "mlflow").exists()
    assert not (tmp_path / "workspace" / "tracked").exists()


def test_nobody_is_told_nothing(settings, tmp_path):
    with Tracking().follow(Followed(settings(), tmp_path)) as track:
        assert not followed()
        track(None, None)


def test_a_tracker_of_ones_own_is_a_choice_like_others(tmp_path):
    (tmp_path / "trackers.py").write_text(OWN)
    done = subprocess.run(
        [sys.executable, "-m", "pate.app", "tracking=trackers.Mine", "stage=data", "hydra.run.dir=here"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, env=os.environ | {"PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "said").read_text().splitlines() == ["stage=data (here)", "check", "data", "FINISHED"]


@pytest.mark.parametrize(
    ("overrides", "folder", "sweep", "title"),
    [
        (["+experiment=adult", "seed=1"], "/w/mine", None, "experiment=adult seed=1 (mine)"),
        ([], f"/w/runs/{NOW}", None, "digits (2026-11-19 04:33:32)"),
        (["tracking=csv", "tracking.folder=x", "n_jobs=1", "workspace=w", "hydra.run.dir=a"], "/a", None, "digits (a)"),
        (["aggregator.gamma=0.1", "hydra/launcher=joblib"], "/s/all/3", "/s/all", "aggregator.gamma=0.1 (all/3)"),
        (["seed=1"], f"/s/{NOW}/0", f"/s/{NOW}", "seed=1 (2026-11-19 04:33:32/0)"),
        (["device=cpu", "devices.of=1"], "/a", None, "devices.of=1 (a)"),
        ([f"labels.path={'x' * 500}"], "/a", None, f"labels.path={'x' * 138}... (a)"),
    ],
)  # fmt: skip
def test_a_run_is_called_after_what_was_chosen_and_where_it_is(settings, overrides, folder, sweep, title):
    assert Followed(settings(), Path(folder), overrides, sweep and Path(sweep)).title == title


class Noted(Diary):
    """Fails at what it is told to."""

    tracker = "noted"

    def __init__(self, fails=()):
        self.fails, self.told = fails, []

    def _tell(self, name, *what):
        self.told.append((name, *what))
        if name in self.fails:
            raise OSError(f"{name} did not work\nat all")

    def begin(self):
        self._tell("begin")

    def step(self, step, figures):
        self._tell("step", step, figures)

    def finish(self, found, made):
        self._tell("finish", found, made)

    def end(self, status):
        self._tell("end", status)


@pytest.fixture
def warned(monkeypatch):
    said = []
    monkeypatch.setattr("pate.report.tracking.tracking.log.warning", lambda line, *given: said.append(line % given))
    return said


def test_a_run_is_followed_from_its_beginning_to_its_end(warned):
    diary = Noted()
    with diary.kept() as track:
        with telling("dpsgd"):
            tell(3, loss=0.5)
        track("found", "made")
    whole = [("begin",), ("step", 3, {"dpsgd_loss": 0.5}), ("finish", "found", "made"), ("end", "FINISHED")]
    assert diary.told == whole
    assert not warned


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (ZeroDivisionError, "FAILED")])
def test_a_run_that_ends_early_says_so_and_its_error_stays(error, status):
    diary = Noted()
    with pytest.raises(error), diary.kept():
        raise error
    assert diary.told == [("begin",), ("end", status)]


@pytest.mark.parametrize(("fails", "told"), [("begin", 1), ("step", 2), ("finish", 3), ("end", 4)])
def test_what_goes_wrong_is_said_once_and_no_more_is_asked_of_it(warned, fails, told):
    diary = Noted([fails])
    with diary.kept() as track:
        tell(1, loss=1.0)
        track(None, None)
        tell(2, loss=1.0)
    steps = [one for one in diary.told if one[0] != "step" or one[1] == 1]
    assert len(steps) == told
    (line,) = warned
    assert line.endswith(f"its results stand ({fails} did not work)")


def made(settings, kind, folder):
    return settings(f"tracking={kind}", f"tracking.folder={folder}").tracking


@pytest.mark.parametrize("kind", ["mlflow", "csv"])
@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda folder: folder.mkdir(mode=0o755), "can be read by others"),
        (lambda folder: folder.symlink_to(folder.parent), "is a symbolic link"),
        (lambda folder: folder.symlink_to("nowhere"), "is a symbolic link"),
        (lambda folder: folder.write_text(""), "a file, and no folder"),
    ],
)
def test_a_store_that_is_not_the_owners_is_refused(tmp_path, settings, kind, prepare, words):
    prepare(tmp_path / "store")
    with pytest.raises(ConfigError, match=words):
        made(settings, kind, tmp_path / "store")


@pytest.mark.parametrize("kind", ["mlflow", "csv"])
@pytest.mark.parametrize("folder", ["'http://example.org'", "''"])
def test_what_is_no_folder_is_refused(settings, kind, folder):
    with pytest.raises(ConfigError, match=r"^tracking\.folder"):
        made(settings, kind, folder)
