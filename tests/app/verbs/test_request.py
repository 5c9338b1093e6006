"""What every verb says at its end: the place of its file, and why something may not leave."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from pate.app.verbs import request
from pate.app.verbs.request import tell_place, warn_of


@pytest.mark.parametrize("quiet", [True, False])
def test_the_quiet_are_told_the_file_alone(monkeypatch, capsys, quiet):
    monkeypatch.setattr(request, "quiet", lambda: quiet)
    tell_place("check", Path("here/check.json"))
    assert capsys.readouterr().out == ("here/check.json\n" if quiet else "check    here/check.json (the owner's)\n")


def test_a_warning_is_for_the_quiet_too_and_only_where_there_is_one(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr(request, "console", Console(file=said))
    monkeypatch.setattr(request, "quiet", lambda: True)
    warn_of("")
    assert said.getvalue() == ""
    warn_of("of [seeded] noise")
    assert said.getvalue() == "warning: of [seeded] noise\n"
