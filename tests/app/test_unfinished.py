"""What a job that did not finish leaves in its folder, and what is never in it."""

import stat

import pytest

from pate.app.unfinished import done, kept
from pate.errors import PateError
from pate.report.sweep.unfinished import UNFINISHED, Unfinished, read


def test_an_unfinished_job_is_known_from_its_first_moment_and_forgotten_when_it_is_done(tmp_path):
    with kept(tmp_path, lambda: "pate seed=1"):
        assert read(tmp_path / UNFINISHED) == Unfinished("it was killed", "pate seed=1")
        assert stat.S_IMODE((tmp_path / UNFINISHED).stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == []


def test_errors_for_readers_are_kept_in_their_own_words_and_others_by_their_kind(tmp_path):
    for error, words in {
        PateError("the file is gone"): "the file is gone",
        FileNotFoundError(2, "No such file or directory", "votes.npz"): "No such file or directory: votes.npz",
        KeyboardInterrupt(): "interrupted",
        ValueError("record CANARY"): f"ValueError, see {tmp_path / 'traceback.txt'}",
    }.items():
        with pytest.raises(type(error)), kept(tmp_path, lambda: ""):
            raise error
        assert read(tmp_path / UNFINISHED).error == words
    assert "CANARY" not in (tmp_path / UNFINISHED).read_text()
    assert "CANARY" in (tmp_path / "traceback.txt").read_text()  # the owner's folder, the owner's eyes
    done(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_is_that_of_the_moment_of_failure(tmp_path):
    forced = ["pate force=[labels]"]

    def drawn():
        forced.append("pate")
        raise PateError("after the labels were drawn")

    with pytest.raises(PateError), kept(tmp_path, lambda: forced[-1]):
        drawn()
    assert read(tmp_path / UNFINISHED).resume == "pate"
