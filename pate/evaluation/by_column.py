"""Who pays: how often each method is wrong in each group of a column, with standard errors. Post-processing of answers
on test inputs: the owner's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pate.evaluation.metrics import written


@dataclass(frozen=True)
class GroupScore:
    """The share of wrong answers in a group and its exact standard error, sqrt(p (1 - p) / n). Balanced accuracy is the
    mean over the classes that are in the group; none where there is only one."""

    error: float
    standard_error: float
    balanced_accuracy: float | None = None
    balanced_standard_error: float | None = None

    @property
    def shown(self) -> str:
        return written("accuracy", self.error, self.standard_error)

    @property
    def balanced(self) -> str:
        return written("balanced_accuracy", self.balanced_accuracy, self.balanced_standard_error)


@dataclass(frozen=True)
class ByColumn:
    """The groups of a column that have test inputs of known class, how many each has, and of every method (by its key)
    a score for each."""

    column: str
    groups: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    methods: dict[str, list[GroupScore]] = field(default_factory=dict)


def by_column(
    column: str, groups: Sequence[str], group: np.ndarray, truth: np.ndarray, answers: Mapping[str, np.ndarray]
) -> ByColumn:
    """Of answers on the inputs of known class (`truth` -1 is none); `answers` hold those alone."""
    known = truth >= 0
    group, truth = group[known], truth[known]
    there = [place for place in range(len(groups)) if (group == place).any()]
    return ByColumn(
        column,
        [groups[place] for place in there],
        [int((group == place).sum()) for place in there],
        {
            name: [_score(answer[group == place], truth[group == place]) for place in there]
            for name, answer in answers.items()
        },
    )


def _score(answer: np.ndarray, truth: np.ndarray) -> GroupScore:
    wrong = float((answer != truth).mean())
    error = math.sqrt(wrong * (1 - wrong) / len(truth))
    classes = np.unique(truth)
    if len(classes) < 2:
        return GroupScore(wrong, error)
    held = np.array([(truth == one).sum() for one in classes])
    recalled = np.array([(answer[truth == one] == one).mean() for one in classes])
    spread = float(np.sqrt((recalled * (1 - recalled) / held).sum())) / len(classes)
    return GroupScore(wrong, error, float(recalled.mean()), spread)
