"""Label spreading as a student of its own."""

import numpy as np
from sklearn.semi_supervised import LabelSpreading as SklearnSpreading

from pate.students.label_spreading import LabelSpreading
from tests.students.digits import POOL, X, Y, lesson


def test_label_spreading_is_no_worse_than_scikit_learns():
    index = np.concatenate([np.flatnonzero(Y[POOL] == digit)[:10] for digit in range(10)])
    ours = LabelSpreading().fit(lesson(index, Y[POOL][index].astype(np.int64))).predict(X[POOL])
    seeds = np.full(600, -1)
    seeds[index] = Y[POOL][index]
    peer = SklearnSpreading(kernel="knn", n_neighbors=5, alpha=0.95, max_iter=300).fit(X[POOL], seeds)
    assert (ours == Y[POOL]).mean() > (peer.transduction_ == Y[POOL]).mean() - 0.01
