"""Handwritten digits: private records for teachers, and public inputs to vote on."""

import numpy as np
from sklearn.datasets import load_digits

from pate.data.partition import assign
from pate.teachers.ensemble import train

X, Y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
X, Y, PUBLIC = X[:600], Y[:600], X[1500:]


def ensemble(teachers, x=X, y=Y, **options):
    return train(teachers, x, y, assign(len(y), teachers.count, 0), PUBLIC, 10, **({"seed": 0} | options))
