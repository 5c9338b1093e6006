"""What the page shows beside scores: how far ahead the votes were, what noise does to them, where the student errs.

It is made of private votes, test inputs and true labels: the owner's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pate.accounting.law import OutOfRange
from pate.accounting.winning import winning
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.votes import Votes
from pate.data.written import MOST_COLUMNS, AsWritten
from pate.models.decision import Decision
from pate.models.model import Floats, Model
from pate.workspace.artifact import Artifact

_BARS = 25  # of the histogram of gaps
_BINS = 10  # of confidence
_EXAMPLES = 12


@dataclass(frozen=True)
class Evidence(Artifact):
    """Each part is empty where it could not be made: no votes, no known labels, no images."""

    gaps: dict[str, Any] = field(default_factory=dict)
    confidence: dict[str, Any] = field(default_factory=dict)
    mistakes: list[dict[str, Any]] = field(default_factory=list)  # truth, answer, confidence, cells: the surest first
    whose: str = ""  # the method whose model makes them
    wrong: int = 0  # how many there are, of `scored` test inputs
    scored: int = 0
    columns: int = 0  # of a row, of which the first are shown; 0 where inputs are images
    images: np.ndarray = field(default_factory=lambda: np.empty((0, 1, 1), np.uint8))  # one a mistake


def gaps(votes: Votes, asked: np.ndarray, aggregator: Aggregator) -> dict[str, Any]:
    """A histogram of the votes between the first and the second class, and the noise's chance to overturn each gap.

    `edges` are the bars' borders, `queries` how many fall into each, `overturned` the chance that the second class of
    two beats the first at the gaps in `at`.
    """
    ordered = np.sort(votes.counts[asked], axis=1)
    gap, teachers = ordered[:, -1] - ordered[:, -2], votes.teachers
    edges = np.unique(np.linspace(0, teachers + 1, min(_BARS, teachers + 1) + 1).round().astype(int))
    at = np.unique(np.linspace(teachers % 2, teachers, 60).astype(int))
    at = at[at % 2 == teachers % 2]  # two classes share all votes
    try:
        chances = winning(aggregator, np.stack([(teachers + at) // 2, (teachers - at) // 2], axis=1))
        overturned: list[float] = (chances[:, 1] / np.maximum(chances.sum(axis=1), 1e-300)).tolist()
    except OutOfRange:
        at, overturned = at[:0], []
    held = np.histogram(gap, edges)[0]
    return {
        "teachers": teachers,
        "median": float(np.median(gap)),
        "close": float((gap < teachers / 10).mean()),
        "edges": edges.tolist(),
        "queries": held.tolist(),
        "at": at.tolist(),
        "overturned": overturned,
    }


def confidence(votes: Votes, truth: np.ndarray, aggregator: Aggregator) -> dict[str, Any]:
    """How often labels would be right by the share of teachers that agree, over all public inputs of known label.

    In each tenth that holds any: how large it is, how often the plurality is right, and the noisy answer (expected over
    the noise, where it is answered).
    """
    known = truth >= 0
    if not known.any():
        return {}
    counts, truth = votes.counts[known], truth[known]
    try:
        chances = winning(aggregator, counts)
    except OutOfRange:
        return {}
    share = counts.max(axis=1) / votes.teachers
    place = np.minimum((share * _BINS).astype(int), _BINS - 1)
    right, given = chances[np.arange(len(truth)), truth], chances.sum(axis=1)
    plurality = counts.argmax(axis=1) == truth
    used = np.unique(place)
    return {
        "agree": [float(share[place == bin].mean()) for bin in used],
        "share": [float((place == bin).mean()) for bin in used],
        "plurality": [float(plurality[place == bin].mean()) for bin in used],
        "label": [float(right[place == bin].sum() / max(given[place == bin].sum(), 1e-300)) for bin in used],
    }


def mistakes(
    model: Model,
    rows: Floats,
    inputs: np.ndarray,
    truth: np.ndarray,
    classes: Sequence[str],
    written: AsWritten | None = None,
    decision: Decision | None = None,
) -> Evidence:
    """Inputs the model answers wrong, those it is surest of first: images, or rows of a table with their cells as they
    were `written`, or as numbers where nobody knows that."""
    known = np.flatnonzero(truth >= 0)
    if not len(known):
        return Evidence()
    belief = model.proba(rows[known])
    answer = (decision or Decision()).answers(belief)
    sure = belief[np.arange(len(known)), answer]
    wrong = np.flatnonzero(answer != truth[known])
    worst = wrong[np.argsort(-sure[wrong], kind="stable")][:_EXAMPLES]
    told: list[dict[str, Any]] = [
        {"truth": classes[truth[known[at]]], "answer": classes[answer[at]], "confidence": float(sure[at])}
        for at in worst
    ]
    found = Evidence(mistakes=told, wrong=len(wrong), scored=len(known))
    if inputs.ndim > 2:
        return replace(found, images=_pixels(inputs[known[worst]]))
    cells = [written.row(place) if written else _numbers(inputs[place]) for place in known[worst]]
    told = [one | {"row": [list(cell) for cell in row.items()]} for one, row in zip(told, cells, strict=True)]
    return replace(found, mistakes=told, columns=len(written.names) if written else inputs.shape[1])


def _numbers(row: np.ndarray) -> dict[str, str]:
    return {f"x{place}": f"{value:.4g}" for place, value in enumerate(row[:MOST_COLUMNS])}


def _pixels(images: np.ndarray) -> np.ndarray:
    if images.dtype == np.uint8:
        return images
    low, high = (float(images.min()), float(images.max())) if images.size else (0.0, 1.0)
    return ((images - low) / max(high - low, 1e-12) * 255).round().astype(np.uint8)
