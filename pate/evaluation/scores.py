"""Scores: where models meet true labels of public inputs and of the test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pate.evaluation.leads import leads
from pate.evaluation.metrics import Question, scored
from pate.evaluation.metrics.calibration_error import bins
from pate.models.decision import Decision
from pate.models.model import Floats, Model
from pate.workspace.artifact import Artifact

_ALWAYS = "always one class"  # no key of a method has spaces


@dataclass(frozen=True)
class Score:
    """One model on inputs of known label: every metric, how often right and for whom, and whether it knows.

    Accuracy by class is the share of a class's own inputs that is recognised. Calibration: inputs in bins by the
    model's confidence, in each the mean confidence, the share that is right and the share of all inputs.
    """

    metrics: dict[str, float | None]
    by_class: list[float | None]
    confusion: list[list[int]]  # true class x answer
    confidence: list[float]
    right: list[float]
    share: list[float]
    accuracy_of_views: float | None = None  # the mean answer over moved copies of each input, if the model offers it


@dataclass(frozen=True)
class Scores(Artifact):
    """Each method's `Score` on the test set and on the public pool, as plain values; none where no label is known.

    `baseline` always answers the class that is most common in the test set, and believes in the shares of its classes;
    its leads are those of the methods over it. `labelled` are the shares of the classes in the noisy answers of the
    method `labelled_by`, and `labelling` is what these are.
    """

    classes: list[str] = field(default_factory=list)
    test: dict[str, dict[str, Any]] = field(default_factory=dict)
    public: dict[str, dict[str, Any]] = field(default_factory=dict)
    standard_errors: dict[str, dict[str, float]] = field(default_factory=dict)  # of a method, by metric
    leads: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # of a method over another, by metric
    baseline: dict[str, Any] = field(default_factory=dict)
    by: dict[str, Any] = field(default_factory=dict)  # `ByColumn`, where a column was asked about
    labelled: dict[str, float] = field(default_factory=dict)
    labelling: str = ""
    labelled_by: str = ""
    label_accuracy: float | None = None
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None


def score(
    model: Model,
    rows: Floats,
    truth: np.ndarray,
    asked: Question | None = None,
    decision: Decision | None = None,
) -> tuple[Score | None, np.ndarray]:
    """The score of a model, and what it believes of inputs of known label; none when there are none. What it answers is
    the most probable class, unless it decides in another way."""
    known = truth >= 0
    if not known.any():
        return None, np.empty((0, model.classes))
    truth, belief = truth[known], model.proba(rows[known])
    answers = (decision or Decision()).answers
    answer = answers(belief)
    views = model.views(rows[known])
    confusion = np.zeros((model.classes, model.classes), int)
    np.add.at(confusion, (truth, answer), 1)
    found, (confidence, right, share) = scored(belief, truth, asked, answer), bins(belief, truth)
    return Score(
        metrics=found,
        by_class=[accuracy(answer[truth == one], truth[truth == one]) for one in range(model.classes)],
        confusion=confusion.tolist(),
        confidence=confidence.tolist(),
        right=right.tolist(),
        share=share.tolist(),
        accuracy_of_views=None if views is None else accuracy(answers(views), truth),
    ), belief


def compared(
    beliefs: Mapping[str, np.ndarray],
    truth: np.ndarray,
    classes: Sequence[str],
    asked: Question | None = None,
    decisions: Mapping[str, Decision] | None = None,
) -> dict[str, Any]:
    """Of models on the same test inputs: how sure each metric is, every lead over every other, and the baseline."""
    truth = truth[truth >= 0]
    if not len(truth) or not beliefs:
        return {}
    shares = np.bincount(truth, minlength=len(classes)) / len(truth)
    always = np.tile(shares, (len(truth), 1))
    answers = {name: one.answers(beliefs[name]) for name, one in (decisions or {}).items()}
    errors, found = leads({**beliefs, _ALWAYS: always}, truth, asked, answers)
    plain = {
        one: {other: {name: asdict(lead) for name, lead in by.items()} for other, by in others.items()}
        for one, others in found.items()
    }
    over = {name: others.pop(_ALWAYS) for name, others in plain.items() if name != _ALWAYS}
    baseline = {"answer": classes[int(shares.argmax())], "metrics": scored(always, truth, asked), "leads": over}
    baseline["standard_errors"] = errors.pop(_ALWAYS)
    return {"standard_errors": errors, "leads": {name: plain[name] for name in beliefs}, "baseline": baseline}


def accuracy(predicted: np.ndarray, truth: np.ndarray) -> float | None:
    """The share of known true labels that were predicted; none when no label is known."""
    known = truth >= 0
    return float((predicted[..., known] == truth[known]).mean()) if known.any() else None
