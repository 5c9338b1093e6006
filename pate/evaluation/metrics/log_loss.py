"""Log loss: minus the logarithm of the probability given to the true class, in nats, the mean over inputs (Good 1952).

Probabilities below 1e-12 count as 1e-12: a single sure mistake would make it infinite.
"""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric

LEAST = 1e-12


@metric("log loss", better="lower", share=False)
def log_loss(belief: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(belief[np.arange(len(truth)), truth].astype(float), LEAST))
