"""What the configuration alone can tell is refused before anything is written."""

import pytest

from pate.errors import ConfigError


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("stage=lables", r"stage=lables: expected one of all, .*; did you mean labels\?"),
        ("stage=ledger", "nothing was run there, so it has no ledger"),  # what its verb requires
        ("teachers.count=1201", "there are only 1200 private records"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(settings, tmp_path, word, message):
    with pytest.raises(ConfigError, match=message):
        settings(word)
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_done_is_settled_and_nothing_is_written_either(settings, tmp_path):
    assert settings("stage=labels", "labels.queries=7").labels.queries == 7
    assert list(tmp_path.iterdir()) == []
