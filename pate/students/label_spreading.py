"""Label spreading alone (Zhou et al. 2004): the graph of the public inputs is the student."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from pate.learning.checkpoint import Checkpoint
from pate.learning.spreading import OnGraph, shares
from pate.models.neighbours import Neighbours
from pate.students.calibration import as_sure_as, sharpness
from pate.students.spread import spread_labels
from pate.students.student import Lesson, Student

_LEAST = 1e-6  # a share below which a class counts as never seen nearby


@dataclass(frozen=True)
class LabelSpreading(OnGraph, Student):
    """Labels flow to the neighbours of labelled inputs, and theirs; a new input is the mean of its neighbours."""

    kind: ClassVar[str] = "label_spreading"

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Neighbours:
        graph = self.graph(lesson.features, often=False)
        if lesson.belief is not None:  # of each input by itself: its neighbours smooth it
            found = shares(graph.spread(csr_array(lesson.belief.T.astype(np.float32))))
            logits = np.log(found + _LEAST)
            found = softmax(as_sure_as(logits, lesson.belief) * logits, axis=1)
            return Neighbours.of(graph, found, self.neighbours)

        def spread(rows: np.ndarray) -> np.ndarray:
            return spread_labels(graph, replace(lesson, index=lesson.index[rows], label=lesson.label[rows], true=False))

        order = np.random.default_rng(lesson.seed).permutation(len(lesson.index))
        half, rest = np.array_split(order, 2)
        found = shares(spread(order))
        rest = rest[np.isin(lesson.label[rest], lesson.label[half])]
        if len(rest):  # what half of the labels say of the other half tells how sure the whole may be
            logits = np.log(shares(spread(half))[lesson.index[rest]] + _LEAST)
            factor = sharpness(logits, lesson.label[rest], lesson.wrong)
            found = softmax(factor * np.log(found + _LEAST), axis=1)
        return Neighbours.of(graph, found, self.neighbours)
