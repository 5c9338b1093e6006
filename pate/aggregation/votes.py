"""Votes: how many teachers chose each class, for every public input."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from pate.artifact import Artifact
from pate.errors import ConfigError


@dataclass(frozen=True)
class Predictions(Artifact):
    """What each teacher answers on each public input (teachers x inputs): all that a teacher leaves behind."""

    predictions: np.ndarray
    classes: int


@dataclass(frozen=True)
class Votes(Artifact):
    """Counts (inputs x classes); every row sums to the number of teachers. `predictions` when they are known."""

    counts: np.ndarray
    predictions: np.ndarray | None = None

    @property
    def teachers(self) -> int:
        return int(self.counts[0].sum())


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
    sums = counts.sum(axis=1)
    if (sums != sums[0]).any() or sums[0] == 0:
        odd = int((sums != np.median(sums)).sum())
        raise ConfigError(f"{origin}: every row must sum to the number of teachers, at least 1; {odd or 'all'} do not")
    if sums[0] > np.iinfo(np.int32).max:
        raise ConfigError(f"{origin}: {int(sums[0])} teachers are more than this program counts")
    return counts.astype(np.int32)


def pool_of(path: str | Path) -> int:
    """How many queries a file of votes holds."""
    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return len(loaded)
    return len(loaded["counts"]) if "counts" in loaded.files else int(loaded["predictions"].shape[1])


def read_votes(path: str | Path, classes: int = 0) -> Votes:
    """Votes from an npz with `counts` (queries x classes) or `predictions` (teachers x queries), or a .npy of counts.

    How many classes `predictions` choose among is the file's `classes`, else the argument, else the largest seen.
    """
    origin = f"votes.path={path}"
    try:
        loaded = np.load(path, allow_pickle=False)
        arrays = {"counts": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise ConfigError(f"{origin} cannot be read: expected an npz or npy file of plain numbers") from error
    if "predictions" in arrays:
        predictions = arrays["predictions"]
        if predictions.ndim != 2 or not np.issubdtype(predictions.dtype, np.integer) or predictions.size == 0:
            raise ConfigError(f"{origin}: predictions must be whole numbers, teachers x queries")
        if "classes" in arrays and (arrays["classes"].size != 1 or arrays["classes"].dtype.kind not in "iu"):
            raise ConfigError(f"{origin}: `classes` must be one whole number")
        classes = int(arrays["classes"].item()) if "classes" in arrays else classes or int(predictions.max()) + 1
        if predictions.min() < 0 or predictions.max() >= classes:
            raise ConfigError(
                f"{origin}: predictions must lie in 0..{classes - 1}; `classes` in the file says otherwise"
            )
        counted = checked_counts(tally(predictions, classes), origin)
        if "counts" in arrays and not np.array_equal(arrays["counts"], counted):
            raise ConfigError(f"{origin}: `predictions` do not add up to `counts`; give one of them")
        return Votes(counted, predictions.astype(np.int32))
    if "counts" not in arrays:
        raise ConfigError(f"{origin} holds {sorted(arrays)}: expected `counts` or `predictions`")
    return Votes(checked_counts(arrays["counts"], origin))
