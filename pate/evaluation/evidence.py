"""What the page shows beside scores: how far ahead the votes were, what noise does to them, where the student errs.

It is made of private votes, test inputs and true labels: the owner's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pate.accounting.law import OutOfRange
from pate.accounting.winning import winning
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.votes import Votes
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
    mistakes: list[dict[str, Any]] = field(default_factory=list)  # true class, answer, confidence: the surest first
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
    model: Model, rows: Floats, inputs: np.ndarray, truth: np.ndarray, classes: list[str]
) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Images the model gets wrong, those it is surest of first; none where inputs are no images."""
    known = np.flatnonzero(truth >= 0)
    if inputs.ndim < 3 or not len(known):
        return [], np.empty((0, 1, 1), np.uint8)
    belief = model.proba(rows[known])
    answer, sure = belief.argmax(axis=1), belief.max(axis=1)
    wrong = np.flatnonzero(answer != truth[known])
    wrong = wrong[np.argsort(-sure[wrong], kind="stable")][:_EXAMPLES]
    told = [
        {"truth": classes[truth[known[at]]], "answer": classes[answer[at]], "confidence": float(sure[at])}
        for at in wrong
    ]
    return told, _pixels(inputs[known[wrong]])


def _pixels(images: np.ndarray) -> np.ndarray:
    if images.dtype == np.uint8:
        return images
    low, high = (float(images.min()), float(images.max())) if images.size else (0.0, 1.0)
    return ((images - low) / max(high - low, 1e-12) * 255).round().astype(np.uint8)
