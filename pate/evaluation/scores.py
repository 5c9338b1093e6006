"""Scores: where models meet true labels of public inputs and of the test set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pate.evaluation.metrics import scored
from pate.evaluation.metrics.calibration_error import bins
from pate.models.model import Floats, Model
from pate.workspace.artifact import Artifact


@dataclass(frozen=True)
class Score:
    """One model on inputs of known label: every metric, how often right and for whom, and whether it knows.

    Accuracy by class is the share of a class's own inputs that is recognised. Calibration: inputs in bins by the
    model's confidence, in each the mean confidence, the share that is right and the share of all inputs.
    """

    metrics: dict[str, float | None]
    standard_error: float  # of accuracy, from the number of inputs
    by_class: list[float | None]
    confusion: list[list[int]]  # true class x answer
    confidence: list[float]
    right: list[float]
    share: list[float]
    accuracy_of_views: float | None = None  # the mean answer over moved copies of each input, if the model offers it

    @property
    def accuracy(self) -> float:
        return float(self.metrics["accuracy"] or 0.0)


@dataclass(frozen=True)
class Scores(Artifact):
    """Each method's `Score` on the test set and on the public pool, as plain values; none where no label is known."""

    classes: list[str] = field(default_factory=list)
    test: dict[str, dict[str, Any]] = field(default_factory=dict)
    public: dict[str, dict[str, Any]] = field(default_factory=dict)
    ahead: dict[str, list[float]] = field(default_factory=dict)  # the first method over each: see `ahead`
    label_accuracy: float | None = None
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None


def score(model: Model, rows: Floats, truth: np.ndarray) -> tuple[Score | None, np.ndarray]:
    """The score of a model, and its answers; none when no label is known."""
    known = truth >= 0
    if not known.any():
        return None, np.empty(0, np.int64)
    truth, belief = truth[known], model.proba(rows[known])
    answer = belief.argmax(axis=1)
    views = model.views(rows[known])
    confusion = np.zeros((model.classes, model.classes), int)
    np.add.at(confusion, (truth, answer), 1)
    found, (confidence, right, share) = scored(belief, truth), bins(belief, truth)
    return Score(
        metrics=found,
        standard_error=standard_error(float((answer == truth).mean()), len(truth)),
        by_class=[accuracy(answer[truth == one], truth[truth == one]) for one in range(model.classes)],
        confusion=confusion.tolist(),
        confidence=confidence.tolist(),
        right=right.tolist(),
        share=share.tolist(),
        accuracy_of_views=None if views is None else accuracy(views.argmax(axis=1), truth),
    ), answer


def ahead(answers: dict[str, np.ndarray], truth: np.ndarray) -> dict[str, list[float]]:
    """By how much the first method's share of right answers exceeds each other one's, its standard error, and how
    likely so uneven a split of the inputs they differ on is by chance (an exact sign test: McNemar 1947).

    Both answered the same inputs, so their differences are paired: what is hard for both takes no part in the error.
    """
    from scipy.stats import binomtest

    truth = truth[truth >= 0]
    if len(answers) < 2 or len(truth) < 2:
        return {}
    first, *others = answers
    ours = (answers[first] == truth).astype(float)
    found = {}
    for name in others:
        difference = ours - (answers[name] == truth)
        better, differ = int((difference > 0).sum()), int((difference != 0).sum())
        chance = float(binomtest(better, differ).pvalue) if differ else 1.0
        found[name] = [float(difference.mean()), float(difference.std(ddof=1) / math.sqrt(len(truth))), chance]
    return found


def accuracy(predicted: np.ndarray, truth: np.ndarray) -> float | None:
    """The share of known true labels that were predicted; none when no label is known."""
    known = truth >= 0
    return float((predicted[..., known] == truth[known]).mean()) if known.any() else None


def standard_error(share: float, examples: int) -> float:
    """Of a share measured on so many independent examples."""
    return math.sqrt(share * (1 - share) / examples)
