"""The figures of a run's page: a plot, what it is called, and how to read it."""

from __future__ import annotations

from typing import Any

from pate.accounting.explained import listed
from pate.accounting.guarantee import given
from pate.evaluation.evidence import Evidence
from pate.evaluation.measure import ACCURACY
from pate.evaluation.results import Results
from pate.report.draw import plots
from pate.report.draw.published import REFERENCES
from pate.report.run.panel import Panel


def scores(found: Results) -> dict[str, str] | None:
    """By the measure where that is a share, and else by accuracy, as published results are."""
    measure = found.measure if found.measure.share else ACCURACY
    points = [
        point
        for row in found.scored
        for one in dict.fromkeys(filter(None, (row.best, row.publishable)))
        if (point := plots.Mark.of(row, one, measure)).drawable
    ]
    if not points:
        return None
    bound = next((row.metrics.get(measure.name) for row in found.scored if not row.private), None)
    references = REFERENCES.get(found.data, ()) if measure.name == ACCURACY.name else ()
    papers = " Grey: published results (" + "; ".join(dict.fromkeys(one.source for one in references)) + ")."
    return {
        "title": f"{measure.title[:1].upper()}{measure.title[1:]} against epsilon",
        "svg": plots.score_by_epsilon(points, bound, references, what=measure.title),
        "caption": f"{plots.legend(points)} Filled marks hold for every data set, hollow ones for this data set only: "
        "compare like with like." + papers * bool(references),
    }


def priced(panel: Panel | None) -> list[dict[str, str]]:
    if panel is None:
        return []
    return [
        {
            "title": "Epsilon against the number of queries",
            "svg": plots.ladder(panel),
            "caption": f"delta {given(panel.deltas[panel.chosen[2]])}, {panel.relation}. Orange holds for every data "
            "set and may be published; blue for this data set, the owner's; dashed as published, one direction only.",
        }
    ]


def accountants(seen: Results) -> dict[str, Any] | None:
    """For the public page: the accountants that look at no vote, as they price this run."""
    prices = seen.pate.accountants
    if not prices:
        return None
    return {
        "title": "Epsilon by accountant",
        "svg": plots.bars([(one.accountant, one.epsilon) for one in prices]),
        "caption": f"{seen.pate.queries} queries, {prices[0].promise}; each "
        "holds for every data set, and the least of them is claimed.",
        "explained": listed((one.accountant, one.theorem) for one in prices),
    }


def votes(evidence: Evidence | None) -> list[dict[str, str]]:
    told = []
    if evidence and evidence.gaps:
        told.append(
            {
                "title": "How far ahead the first class was",
                "svg": plots.vote_gaps(evidence.gaps),
                "caption": "Bars: the queries that were asked. Line: the chance that this run's noise makes the second "
                "of two classes win. Far to the right labels are safe, and cost next to nothing.",
            }
        )
    if evidence and evidence.confidence:
        told.append(
            {
                "title": "Label accuracy by confidence",
                "svg": plots.label_accuracy(evidence.confidence),
                "caption": "All public inputs of known label, by the share of teachers that agree.",
            }
        )
    return told
