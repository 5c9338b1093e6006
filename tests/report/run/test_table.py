"""The comparison in the terminal: a plot only where it can be seen."""

import io
from dataclasses import replace

from rich.console import Console

from pate.evaluation.results import Table
from pate.report.run import table as module
from tests.evaluation.made_up import typed
from tests.report.draw.rows import BOUND, PATE


def shown(monkeypatch, width, terminal=True, encoding="utf-8"):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    monkeypatch.setattr(
        module, "page", lambda: Console(file=out, force_terminal=terminal, width=width, color_system=None)
    )
    found = {"methods": [PATE, BOUND], "pate": {"accountants": [], "plan": None}, "notes": [], "ledger": None}
    found["config"] = {"dataset": {"name": "toy"}}
    module.print_results(typed(found))
    out.flush()
    return out.buffer.getvalue().decode(encoding)


def test_only_a_terminal_wide_enough_shows_it_in_its_own_characters(monkeypatch):
    assert "○ PATE" in shown(monkeypatch, 100)
    assert "○" not in shown(monkeypatch, 60)
    assert "○" not in shown(monkeypatch, 100, terminal=False)
    assert "o PATE: 80.0% at epsilon 1.000 for this data set" in shown(monkeypatch, 100, encoding="latin-1")


def test_what_methods_have_to_show_and_what_would_be_released(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(module, "page", lambda: Console(file=written, width=100))
    table = Table("What if?", "In words [not markup].", {"epsilon": "g", "right": ".1%"}, [[0.5, 0.9]])
    module.print_results(replace(typed({"methods": []}), tables=[table], plan=["budget: 0.7 would be left"]))
    said = written.getvalue()
    assert "What if?" in said
    assert "90.0%" in said
    assert "In words [not markup]." in said
    assert "plan: budget: 0.7 would be left" in said
