"""Kernel ridge teachers in closed form."""

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from pate.data.partition import assign
from pate.teachers.krr import KRR
from tests.teachers.digits import PUBLIC, X, Y, ensemble


def test_krr_is_scikit_learns_kernel_ridge():
    votes = ensemble(KRR(count=3, gamma=0.1, penalty=0.03))
    rows = assign(600, 3, 0) == 1
    peer = KernelRidge(alpha=0.03, kernel="rbf", gamma=0.1).fit(X[rows], np.eye(10)[Y[rows]])
    assert (peer.predict(PUBLIC).argmax(axis=1) == votes[1]).mean() > 0.995
