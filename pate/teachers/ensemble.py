"""Teachers: one model per partition, each seeing its own records only, all voting on the public inputs."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from pate.errors import ConfigError
from pate.progress import progress
from pate.store import Pieces

log = logging.getLogger("pate")

Partition = tuple[np.ndarray, np.ndarray]  # a teacher's own inputs and labels


@dataclass(frozen=True)
class Teachers:
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
        """What a reader calls them: `krr graph` for KRRGraph."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", type(self).__name__).lower()

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
) -> np.ndarray:
    """Predictions (teachers x public inputs). Those already among `pieces` are not trained again."""
    done = pieces.load() if pieces else {}
    done = {index: votes for index, votes in done.items() if votes.shape == (len(public),)}
    batches = [range(i, min(i + teachers.batch, teachers.count)) for i in range(0, teachers.count, teachers.batch)]
    missing = [batch for batch in batches if any(index not in done for index in batch)]
    shared = teachers.prepare(public) if missing else None
    scratch = str(pieces.scratch()) if pieces else None  # joblib shares large arrays through files
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered", mmap_mode="r", temp_folder=scratch)(
        delayed(_train_batch)(teachers, x, y, assignment, shared, classes, seed, len(public), batch)
        for batch in missing
    )
    kept = teachers.count - sum(len(batch) for batch in missing)
    if kept:
        log.info("  resuming: %d of %d teachers were trained before", kept, teachers.count)
    with progress("teachers", teachers.count) as advance:
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
) -> tuple[range, list[np.ndarray]]:
    own = [np.flatnonzero(assignment == index) for index in batch]
    seeds = [int(np.random.SeedSequence([seed, index]).generate_state(1)[0]) for index in batch]
    with threadpool_limits(1):
        predictions = teachers.predict_many([(x[rows], y[rows]) for rows in own], public, classes, seeds)
    return batch, [np.broadcast_to(votes.astype(np.int32), (inputs,)) for votes in predictions]
