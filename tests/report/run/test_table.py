"""The comparison in the terminal: a plot only where it can be seen."""

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from pate.evaluation.measure import of
from pate.evaluation.results import Baseline, Table
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


def test_the_measure_has_its_column_with_accuracy_beside_it_and_the_baseline_is_last(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(module, "page", lambda: Console(file=written, width=160))
    found = typed({"methods": [PATE, BOUND]})
    scores = {"accuracy": 0.9, "balanced_accuracy": 0.7, "log_loss": 0.25, "recall_at": None}
    rows = [
        replace(row, metrics=scores, standard_errors={"balanced_accuracy": 0.02}, by_class={"no": 0.5, "yes": 0.9})
        for row in found.methods
    ]
    always = Baseline("no", {"accuracy": 0.94, "balanced_accuracy": 0.5, "log_loss": 0.23}, {"accuracy": 0.01})
    measure = of("balanced_accuracy", "94% of the noisy labels are `no`")
    module.print_results(replace(found, methods=rows, baseline=always, measure=measure))
    said = written.getvalue()
    head, rest = said.split("models are compared by balanced accuracy: 94% of the noisy labels are `no`")
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in head.splitlines() if "│" in line]
    assert "test balanced accuracy ┃ test accuracy" in head
    assert [line[-3:-1] for line in lines] == [["70.0% ± 2.0%", "90.0%"]] * 2 + [["50.0%", "94.0% ± 1.0%"]]
    assert lines[-1][:5] == ["always no", *["-"] * 4]  # of no epsilon
    table = {line.split("│")[1].strip(): line for line in rest.splitlines() if "│" in line}
    assert table["no"].split()[-2] == "100.0%"
    assert table["yes"].split()[-2] == "0.0%"
    assert table["log loss"].split()[-2] == "0.230"
    assert "recall at a false-positive rate" not in table  # nobody has one


def test_what_to_type_is_one_line_however_long_and_the_promise_stands_once(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(module, "page", lambda: Console(file=written, width=60))
    folder = "/".join(f"a/very/long/{n}" for n in range(9))
    module.print_results(typed({"methods": [PATE | {"stage": "student"}]}), Path(folder))
    lines = written.getvalue().splitlines()
    assert f"next     pate stage=release run={folder} release.method=pate" in lines
    assert sum(line.startswith("exactly  ") and "delta 0.0001" in line for line in lines) == 1
