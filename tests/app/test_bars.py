"""A bar on a terminal: how far it is, and below it what there is to say."""

import io
import logging

import pytest
from rich.console import Console

from pate import progress as module
from pate.app import bars
from pate.progress import progress


@pytest.fixture
def terminal(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(module, "_shown", bars.in_bars)
    monkeypatch.setattr(bars, "console", Console(file=shown, force_terminal=True, width=90))
    return shown


def test_what_is_said_stands_below_the_bar(terminal):
    saying = "loss 0.5 (the owner's); epsilon so far 1.2, delta 1e-05, one record replaced by nothing, publishable"
    with progress("dp-sgd", 100, "steps") as advance:
        advance(40, saying)
    text = terminal.getvalue()
    assert "40/100" in text
    assert "epsilon so far 1.2" in text
    assert text.rindex("40/100") < text.rindex("epsilon so far")
    assert "…" not in text


@pytest.mark.parametrize("quiet", [True, False])
def test_log_lines_go_where_the_bars_are_and_the_quiet_see_warnings_alone(terminal, monkeypatch, quiet):
    monkeypatch.setattr(bars, "quiet", lambda: quiet)
    for level, words in ((logging.INFO, "trained [20] teachers"), (logging.WARNING, "the budget is spent")):
        bars.LogHandler().handle(logging.LogRecord("pate", level, "", 0, words, None, None))
    told = terminal.getvalue()
    assert ("trained [20] teachers" in told) != quiet
    assert "the budget is spent" in told


def test_the_quiet_see_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(bars, "quiet", lambda: True)
    with progress("dp-sgd", 100, "steps") as advance:
        advance(40)
    assert terminal.getvalue() == ""
