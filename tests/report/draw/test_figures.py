"""Figures of a page: none where there is nothing to show, and each says how its epsilons are to be read."""

from dataclasses import replace

from pate.evaluation.evidence import Evidence
from pate.evaluation.measure import of
from pate.report.draw.figures import accountants, priced, scores, votes
from tests.evaluation.made_up import FIRST, typed


def test_nothing_to_show_is_no_figure():
    nothing = typed({"methods": []})
    assert scores(nothing) is None
    assert accountants(nothing) is None
    assert priced(None) == []
    assert votes(None) == votes(Evidence()) == []


def test_both_epsilons_of_a_method_are_marks_and_papers_stand_beside_their_own_data_only():
    figure = scores(typed(FIRST))
    assert "PATE: 90.0% at epsilon 1.000 for this data set" in figure["svg"]
    assert "PATE: 90.0% at epsilon 4.000 for every data set" in figure["svg"]
    assert "Without privacy 95.0%" in figure["svg"]
    assert "hollow ones for this data set only" in figure["caption"]
    assert "Grey" not in figure["caption"]
    known = scores(typed(FIRST | {"config": {"dataset": {"name": "cifar10"}}}))
    assert "Grey: published results (Tramer & Boneh 2021, scattering + linear)." in known["caption"]


def test_accountants_stand_with_all_that_belongs_to_their_epsilon():
    figure = accountants(typed(FIRST))
    assert "basic 4.000" in figure["svg"]
    assert "20 queries, delta 1e-05, one record replaced by nothing; each holds for every data set" in figure["caption"]


def test_scores_are_those_of_the_measure_and_papers_stand_beside_accuracies_only():
    found = typed(FIRST | {"config": {"dataset": {"name": "cifar10"}}})
    rows = [replace(row, metrics=row.metrics | {"balanced_accuracy": 0.5, "log_loss": 2.5}) for row in found.methods]
    figure = scores(replace(found, methods=rows, measure=of("balanced_accuracy", "")))
    assert figure["title"] == "Balanced accuracy against epsilon"
    assert "PATE: 50.0% at epsilon 1.000" in figure["svg"]
    assert "Grey" not in figure["caption"]
    assert "90.0%" in scores(replace(found, methods=rows, measure=of("log_loss", "")))["svg"]  # its axis is of shares
