"""Noisy labels spread over the graph of the public inputs, less those that all others contradict most."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from pate.learning.spreading import PublicGraph, balanced_spread
from pate.students.student import Lesson


def spread_labels(graph: PublicGraph, lesson: Lesson) -> np.ndarray:
    """Scores (classes x inputs). As many labels as are expected to be wrong seed nothing: see `contradicted`."""
    kept = np.ones(len(lesson.index), dtype=bool)
    expected = round(lesson.wrong * len(lesson.index))
    if expected:
        against = contradicted(graph, lesson)
        for one in np.unique(lesson.label):  # no class is left without a label to speak for it
            mine = np.flatnonzero(lesson.label == one)
            against[mine[against[mine].argmin()]] = -np.inf
        worst = np.argsort(-against, kind="stable")[:expected]
        kept[worst[against[worst] > 0]] = False
    place, label = lesson.index[kept], lesson.label[kept]
    return balanced_spread(graph, label, place, np.ones(len(place)), lesson.classes)


def contradicted(graph: PublicGraph, lesson: Lesson) -> np.ndarray:
    """By how much the other labels, spread without it, prefer another class at a label's own place."""
    seeds = np.ones(len(lesson.index), np.float32), (lesson.label, lesson.index)
    spread = graph.spread(csr_array(seeds, shape=(lesson.classes, len(graph.points))))[:, lesson.index].T
    own = lesson.label[:, None] == np.arange(lesson.classes)
    others = own.sum(axis=0) - own  # labels of each class, the one looked at left out
    heard = np.maximum(spread - own * graph.echo(lesson.index)[:, None], 0) / np.maximum(others, 1)
    heard /= np.maximum(heard.sum(axis=1, keepdims=True), 1e-30)
    return np.asarray(np.where(own, -np.inf, heard).max(axis=1) - heard[own])
