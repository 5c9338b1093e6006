"""Progress tells how far it is, how long it will take, and what there is to say, in a log."""

import io
import logging

import pytest
from rich.console import Console

from pate import progress as module
from pate.app import bars
from pate.progress import progress


@pytest.fixture
def lines(monkeypatch, caplog):
    monkeypatch.setattr(module, "_shown", bars.in_bars)
    monkeypatch.setattr(bars, "console", Console(file=io.StringIO(), force_terminal=False))
    monkeypatch.setattr(module, "_LOG_EVERY", 0.0)
    monkeypatch.setattr(logging.getLogger("pate"), "propagate", True)
    caplog.set_level(logging.INFO, "pate")
    return caplog


def test_a_line_repeats_what_was_said_last(lines):
    with progress("dp-sgd", 100, "steps") as advance:
        advance(10, "loss 0.5")
        advance(10)
    first, second = (record.getMessage() for record in lines.records)
    assert first.startswith("  dp-sgd: 10 of 100 steps, about ")
    assert first.endswith(", loss 0.5")
    assert second.endswith(", loss 0.5")


def test_time_left_counts_what_this_run_has_done(lines, monkeypatch):
    now = iter([0.0, 10.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(now))
    with progress("dp-sgd", 100, "steps", before=80) as advance:
        advance(10)
    assert "90 of 100 steps, about 10 s left" in lines.text
