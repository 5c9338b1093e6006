"""Handwritten digits: a public pool, some of it labelled, and a test set."""

import numpy as np
from sklearn.datasets import load_digits

from pate.students.student import Lesson

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
POOL, TEST = slice(0, 600), slice(1000, None)


def labelled(n, seed=0):
    index = np.random.default_rng(seed).choice(600, n, replace=False)
    return index, Y[POOL][index].astype(np.int64)


def lesson(index, label, wrong=0.0, seed=0):
    return Lesson(X[POOL], X[POOL], index, label, 10, wrong, seed)
