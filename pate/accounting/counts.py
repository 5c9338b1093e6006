"""Counts of votes (queries x classes), as every accountant takes them: whole, and each row of all teachers."""

from __future__ import annotations

import numpy as np

from pate.errors import ConfigError


def tally(predictions: np.ndarray, classes: int) -> np.ndarray:
    """Count the votes of (teachers x inputs) predictions."""
    return np.stack([(predictions == label).sum(axis=0) for label in range(classes)], axis=1).astype(np.int32)


def checked_counts(counts: np.ndarray, origin: str = "votes") -> np.ndarray:
    """Counts as int32, or a ConfigError that says what is wrong with them without showing any of them."""
    if counts.ndim != 2 or counts.shape[0] == 0 or counts.shape[1] < 2:
        raise ConfigError(f"{origin}: counts must be queries x classes (at least 1 x 2), got shape {counts.shape}")
    if not np.issubdtype(counts.dtype, np.number) or np.iscomplexobj(counts):
        raise ConfigError(f"{origin}: counts must be numbers, got dtype {counts.dtype}")
    if not np.isfinite(counts).all():
        raise ConfigError(f"{origin}: {int((~np.isfinite(counts)).sum())} counts are NaN or infinite")
    if (counts != np.floor(counts)).any():
        raise ConfigError(f"{origin}: {int((counts != np.floor(counts)).sum())} counts are not whole numbers")
    if (counts < 0).any():
        raise ConfigError(f"{origin}: {int((counts < 0).sum())} counts are negative")
    most = np.iinfo(np.int32).max
    if (counts > most).any():  # before they are added up: a sum might come out as anything
        raise ConfigError(f"{origin}: {int((counts > most).sum())} counts are more than this program counts")
    counts = counts.astype(np.int64)
    sums = counts.sum(axis=1)
    if (sums != sums[0]).any() or sums[0] == 0:
        odd = int((sums != np.median(sums)).sum())
        raise ConfigError(f"{origin}: every row must sum to the number of teachers, at least 1; {odd or 'all'} do not")
    if sums[0] > most:
        raise ConfigError(f"{origin}: {int(sums[0])} teachers are more than this program counts")
    return counts.astype(np.int32)
