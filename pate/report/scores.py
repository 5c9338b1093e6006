"""Scores: where models meet true labels of public inputs and of the test set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pate.artifact import Artifact


@dataclass(frozen=True)
class Scores(Artifact):
    """Accuracy of each method on the test set and, where its true labels are known, on the public pool."""

    accuracy: dict[str, float | None] = field(default_factory=dict)
    standard_error: dict[str, float | None] = field(default_factory=dict)
    public_accuracy: dict[str, float | None] = field(default_factory=dict)
    label_accuracy: float | None = None
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None


def accuracy(predicted: np.ndarray, truth: np.ndarray) -> float | None:
    """The share of known true labels that were predicted; none when no label is known."""
    known = truth >= 0
    return float((predicted[..., known] == truth[known]).mean()) if known.any() else None


def standard_error(share: float | None, examples: int) -> float | None:
    """Of a share measured on so many independent examples."""
    return math.sqrt(share * (1 - share) / examples) if share is not None and examples else None
