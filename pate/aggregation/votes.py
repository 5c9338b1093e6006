"""Votes: how many teachers chose each class, for every public input."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pate.accounting.counts import checked_counts, tally
from pate.errors import ConfigError
from pate.workspace.artifact import Arrays, Artifact
from pate.workspace.files import Unreadable, opened, read_npy, read_npz

MOST_CLASSES = 10_000  # that votes from a file may be for: counts take queries x classes


@dataclass(frozen=True)
class Predictions(Artifact):
    """What each teacher answers on each public input (teachers x inputs): all that a teacher leaves behind."""

    predictions: np.ndarray
    classes: int

    def check(self) -> None:
        check_predictions(self.predictions, self.classes)


@dataclass(frozen=True)
class Votes(Artifact):
    """Counts (inputs x classes); every row sums to the number of teachers. `predictions` when they are known."""

    counts: np.ndarray
    predictions: np.ndarray | None = None

    def check(self) -> None:
        if self.counts.dtype != np.int32:
            raise ValueError("counts must be int32")
        try:
            checked_counts(self.counts)
        except ConfigError as error:
            raise ValueError(str(error)) from None
        if self.predictions is not None:
            check_predictions(self.predictions, self.counts.shape[1])
            if self.predictions.shape != (self.teachers, len(self.counts)):
                raise ValueError("predictions and counts are not of the same teachers and inputs")

    @property
    def teachers(self) -> int:
        return int(self.counts[0].sum())

    def content(self) -> str:
        """A digest that recognises votes whose records are elsewhere; keyed before it is kept."""
        return hashlib.sha256(repr(self.counts.shape).encode() + self.counts.tobytes()).hexdigest()


def check_predictions(predictions: np.ndarray, classes: int) -> None:
    """A ValueError if teachers' answers are not classes, teachers x inputs."""
    if predictions.ndim != 2 or predictions.dtype.kind not in "iu" or predictions.size == 0:
        raise ValueError("predictions must be whole numbers, teachers x queries")
    if not 0 <= predictions.min() <= predictions.max() < classes:
        raise ValueError(f"predictions must lie in 0..{classes - 1}, the classes that were declared")


def pool_of(path: str | Path, classes: int = 0) -> int:
    """How many queries a file of votes holds."""
    return len(read_votes(path, classes).counts)


def read_votes(path: str | Path, classes: int = 0) -> Votes:
    """Votes from an npz with `counts` (queries x classes) or `predictions` (teachers x queries), or a .npy of counts.

    Which answers there can be is declared: by the width of `counts`, by `classes` in the file, or by the argument, the
    data set's (0: not known). Read off the votes, one teacher could make an answer possible that was impossible before,
    and no epsilon would bound that.
    """
    origin = f"votes.path={path}"
    arrays = _arrays(path, origin)
    if "predictions" not in arrays:
        if "counts" not in arrays:
            raise ConfigError(f"{origin} holds {sorted(arrays)}: expected `counts` or `predictions`")
        return Votes(checked_counts(arrays["counts"], origin))
    classes, predictions = _declared_classes(arrays, classes, origin), arrays["predictions"]
    try:
        check_predictions(predictions, classes)
    except ValueError as error:
        raise ConfigError(f"{origin}: {error}") from None
    counted = checked_counts(tally(predictions, classes), origin)
    if "counts" in arrays and not np.array_equal(arrays["counts"], counted):
        raise ConfigError(f"{origin}: `predictions` do not add up to `counts`; give one of them")
    return Votes(counted, predictions.astype(np.int32))


def _arrays(path: str | Path, origin: str) -> Arrays:
    try:
        with opened(path) as stream:
            single = stream.read(6) == b"\x93NUMPY"
        return {"counts": read_npy(path)} if single else read_npz(path)
    except Unreadable as problem:
        raise ConfigError(f"{origin} cannot be read: it {problem}; expected an npz or npy file of numbers") from None


def _declared_classes(arrays: Arrays, known: int, origin: str) -> int:
    """How many classes `predictions` choose among, by whoever says so, and never by the predictions."""
    told = arrays.get("classes")
    if told is not None and (told.size != 1 or told.dtype.kind not in "iu"):
        raise ConfigError(f"{origin}: `classes` must be one whole number")
    if told is not None:
        classes = int(told.item())
    else:
        classes = known or (arrays["counts"].shape[-1] if "counts" in arrays and arrays["counts"].ndim else 0)
    if not classes:
        raise ConfigError(
            f"{origin}: `predictions` do not say how many classes there are, and votes must not: save the file with "
            "classes=N, or declare dataset.classes=[...]"
        )
    if classes > MOST_CLASSES:
        raise ConfigError(f"{origin}: more than {MOST_CLASSES} classes are more than this program counts")
    return classes
