"""Teachers: one model per partition, each seeing its own records only, all voting on the public inputs."""

from __future__ import annotations

import logging
import re
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from threadpoolctl import threadpool_limits

from pate.choice import Choice
from pate.errors import ConfigError, PateError
from pate.learning.class_weights import ClassWeights
from pate.learning.memory_map import mapped
from pate.progress import progress
from pate.workspace.pieces import Pieces

log = logging.getLogger("pate")

Partition = tuple[np.ndarray, np.ndarray]  # a teacher's own inputs and labels


@dataclass(frozen=True)
class Teachers(Choice):
    """How teachers learn. A subclass implements `predict_one`, or `predict_many` where a batch is faster.

    Predictions lie in the full class space 0..classes-1, also for a teacher that never saw some class.
    """

    count: int = 50
    sees: ClassVar[Literal["features", "inputs"]] = "features"  # encoded, or as they came
    needs_images: ClassVar[bool] = False
    batch: ClassVar[int] = 1  # teachers trained together; fixed, so that results depend on neither n_jobs nor resuming

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1, got {self.count}")

    @property
    def name(self) -> str:
        """What a reader calls them: `krr graph` for KRRGraph, `graph` for GraphTeachers."""
        own = type(self).__name__.removesuffix("Teachers")
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", own).lower()

    def prepare(self, public: np.ndarray) -> Any:
        """What all teachers share, made once and from public inputs alone; handed to them as `public`."""
        return public

    def predict_one(self, x: np.ndarray, y: np.ndarray, public: np.ndarray, classes: int, seed: int) -> np.ndarray:
        """Learn from one partition and answer on the public inputs."""
        raise TypeError(f"{type(self).__name__} implements neither predict_one nor predict_many")

    def predict_many(
        self, partitions: list[Partition], public: Any, classes: int, seeds: list[int]
    ) -> list[np.ndarray]:
        """Learn from several partitions and answer on the public inputs.

        One record may change its own teacher's answers and no other's, not by a rounding error: a batch must not
        change shape with what is in it.
        """
        return [
            self.predict_one(x, y, public, classes, seed)
            if len(np.unique(y)) > 1
            else np.array([y[0] if len(y) else 0])  # nothing to choose from: the one class seen, or 0, for every input
            for (x, y), seed in zip(partitions, seeds, strict=True)
        ]


def train(
    teachers: Teachers,
    x: np.ndarray,
    y: np.ndarray,
    assignment: np.ndarray,
    public: np.ndarray,
    classes: int,
    *,
    seed: int,
    n_jobs: int = 1,
    pieces: Pieces | None = None,
    weights: ClassWeights = ClassWeights(),
) -> np.ndarray:
    """Predictions (teachers x public inputs). Those already among `pieces` are not trained again. With `weights` a
    record counts by its class; how much was declared, so that one record still touches its own teacher alone."""
    done = pieces.load() if pieces else {}
    done = {index: votes for index, votes in done.items() if _are_votes(votes, len(public), classes)}
    batches = [range(i, min(i + teachers.batch, teachers.count)) for i in range(0, teachers.count, teachers.batch)]
    missing = [batch for batch in batches if any(index not in done for index in batch)]
    shared = teachers.prepare(public) if missing else None
    kept = teachers.count - sum(len(batch) for batch in missing)
    if kept:
        log.info("  resuming: %d of %d teachers were trained before", kept, teachers.count)
    with _scratch(pieces) as folder, progress("teachers", teachers.count) as advance:
        given = (x, y, assignment, shared)
        if missing and effective_n_jobs(n_jobs) > 1:
            given = mapped(given, folder)
        work = Parallel(n_jobs=n_jobs, return_as="generator_unordered", max_nbytes=None)(
            delayed(_train_batch)(teachers, *given, classes, seed, len(public), batch, weights) for batch in missing
        )
        advance(kept)
        for batch, predictions in work:
            for index, votes in zip(batch, predictions, strict=True):
                if pieces and index not in done:
                    pieces.save(index, votes)
                done[index] = votes
            advance(len(batch))
    votes = np.stack([done[index] for index in range(teachers.count)])
    if votes.min() < 0 or votes.max() >= classes:
        raise ConfigError(f"teachers must answer 0..{classes - 1}: {type(teachers).__name__} answers something else")
    return votes


def _are_votes(votes: np.ndarray, inputs: int, classes: int) -> bool:
    """Whether a piece that was kept is one teacher's answers."""
    return votes.shape == (inputs,) and votes.dtype == np.int32 and bool(((votes >= 0) & (votes < classes)).all())


@contextmanager
def _scratch(pieces: Pieces | None) -> Iterator[Path]:
    """Where arrays are put that processes share: in the private store, or else where nobody else can look."""
    if pieces:
        yield pieces.scratch()
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)


def _train_batch(
    teachers: Teachers,
    x: np.ndarray,
    y: np.ndarray,
    assignment: np.ndarray,
    public: Any,
    classes: int,
    seed: int,
    inputs: int,
    batch: range,
    weights: ClassWeights,
) -> tuple[range, list[np.ndarray]]:
    own = [np.flatnonzero(assignment == index) for index in batch]
    seeds = [int(np.random.SeedSequence([seed, index]).generate_state(1)[0]) for index in batch]
    try:
        # A warning is as talkative as an error; and whatever a teacher runs in parallel leaves no pickles either.
        with threadpool_limits(1), warnings.catch_warnings(), parallel_config(max_nbytes=None):
            warnings.simplefilter("ignore")
            predictions = teachers.predict_many(
                [weights.repeated(x[rows], y[rows]) for rows in own], public, classes, seeds
            )
        return batch, [np.broadcast_to(votes.astype(np.int32), (inputs,)) for votes in predictions]
    except PateError:
        raise
    except Exception as error:
        raise PateError(_failure(teachers, batch, error)) from None


def _failure(teachers: Teachers, batch: range, error: Exception) -> str:
    """Where a teacher failed. Not what the error says: scikit-learn's quote labels and values, which are private."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames[1:]]
    who = f"teacher {batch[0]}" if len(batch) == 1 else f"teachers {batch[0]} to {batch[-1]}"
    return (
        f"{type(teachers).__name__} {who} failed with a {type(error).__name__} ({', '.join(places[-3:])}); "
        "its words may quote private records and are not shown"
    )
