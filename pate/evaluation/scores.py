"""Scores: where models meet true labels of public inputs and of the test set."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pate.models.model import Floats, Model
from pate.workspace.artifact import Artifact

_BINS = 10
TITLES = {
    "pate": "PATE",
    "dpsgd": "DP-SGD",
    "dpsgd_publishable": "DP-SGD, worst case",  # at the epsilon PATE may publish
    "nonprivate": "non-private bound",
}


@dataclass(frozen=True)
class Score:
    """One model on inputs of known label: how often right, for whom, and whether it knows.

    Accuracy by class is the share of a class's own inputs that is recognised. Calibration: inputs in bins by the
    model's confidence, in each the mean confidence, the share that is right and the share of all inputs;
    its error is the gap between the first two, averaged over inputs (Guo et al. 2017, ECE).
    """

    accuracy: float
    standard_error: float
    by_class: list[float | None]
    confusion: list[list[int]]  # true class x answer
    calibration_error: float
    confidence: list[float]
    right: list[float]
    share: list[float]
    accuracy_of_views: float | None = None  # the mean answer over moved copies of each input, if the model offers it


@dataclass(frozen=True)
class Scores(Artifact):
    """Each method's score on the test set and on the public pool; none where no true label is known."""

    classes: list[str] = field(default_factory=list)
    test: dict[str, dict[str, Any]] = field(default_factory=dict)
    public: dict[str, dict[str, Any]] = field(default_factory=dict)
    ahead: dict[str, list[float]] = field(default_factory=dict)  # PATE over each: difference, error, chance
    label_accuracy: float | None = None
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None


def score(model: Model, rows: Floats, truth: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """The `Score` of a model, as plain values, and its answers; empty when no label is known."""
    known = truth >= 0
    if not known.any():
        return {}, np.empty(0, np.int64)
    truth, belief = truth[known], model.proba(rows[known])
    answer = belief.argmax(axis=1)
    share = float((answer == truth).mean())
    views = model.views(rows[known])
    confusion = np.zeros((model.classes, model.classes), int)
    np.add.at(confusion, (truth, answer), 1)
    found = asdict(
        Score(
            accuracy=share,
            standard_error=standard_error(share, len(truth)),
            by_class=[accuracy(answer[truth == one], truth[truth == one]) for one in range(model.classes)],
            confusion=confusion.tolist(),
            **calibration(belief.max(axis=1), answer == truth),
            accuracy_of_views=None if views is None else accuracy(views.argmax(axis=1), truth),
        )
    )
    return found, answer


def ahead(answers: dict[str, np.ndarray], truth: np.ndarray) -> dict[str, list[float]]:
    """By how much PATE's share of right answers exceeds each other method's, its standard error, and how likely so
    uneven a split of the inputs they differ on is by chance (an exact sign test: McNemar 1947).

    Both answered the same inputs, so their differences are paired: what is hard for both takes no part in the error.
    """
    from scipy.stats import binomtest

    truth = truth[truth >= 0]
    if "pate" not in answers or len(truth) < 2:
        return {}
    ours = (answers["pate"] == truth).astype(float)
    found = {}
    for name, theirs in answers.items():
        if name != "pate":
            difference = ours - (theirs == truth)
            better, differ = int((difference > 0).sum()), int((difference != 0).sum())
            chance = float(binomtest(better, differ).pvalue) if differ else 1.0
            found[name] = [float(difference.mean()), float(difference.std(ddof=1) / math.sqrt(len(truth))), chance]
    return found


def calibration(confidence: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    """Bins of equal width, those that hold anything, and the gap averaged over all inputs."""
    place = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    held = np.bincount(place, minlength=_BINS)
    used = held > 0
    believed, was = (np.bincount(place, x, minlength=_BINS)[used] / held[used] for x in (confidence, right))
    share = held[used] / len(right)
    return {
        "calibration_error": float(share @ np.abs(believed - was)),
        "confidence": believed.tolist(),
        "right": was.tolist(),
        "share": share.tolist(),
    }


def accuracy(predicted: np.ndarray, truth: np.ndarray) -> float | None:
    """The share of known true labels that were predicted; none when no label is known."""
    known = truth >= 0
    return float((predicted[..., known] == truth[known]).mean()) if known.any() else None


def standard_error(share: float, examples: int) -> float:
    """Of a share measured on so many independent examples."""
    return math.sqrt(share * (1 - share) / examples)
