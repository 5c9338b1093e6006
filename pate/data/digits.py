"""Digits: 1797 handwritten digits of 8x8 pixels that come with scikit-learn, for runs of seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from pate.data.benchmark import KnownDataset
from pate.data.records import Pool
from pate.data.split import shared, shuffled
from pate.errors import ConfigError

_RECORDS = 1797


@dataclass(frozen=True)
class Digits(KnownDataset):
    kind: ClassVar[str] = "digits"

    name: str = "digits"
    private: int | None = 1200
    public: int | None = 397
    delta: float = 1e-4

    labels: ClassVar[tuple[str, ...]] = tuple("0123456789")

    def image_shape(self) -> tuple[int, ...] | None:
        return 8, 8

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.path is not None:
            raise ConfigError("dataset.path: digits come with scikit-learn; for files of your own take dataset=arrays")

    def counts(self) -> tuple[int, int]:
        return shared(self.name, _RECORDS, self.private)

    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        pool = Pool(*_all()).rows(shuffled(_RECORDS, self.seed))
        train, held_out = self.counts()
        return pool.first(train), pool.last(held_out)


@cache
def _all() -> tuple[np.ndarray, np.ndarray]:
    """Images and what they show: read from text once, as several stages and checks ask for them."""
    from sklearn.datasets import load_digits  # here, because scikit-learn takes seconds to import

    bunch = load_digits()
    return (bunch.images / 16).astype(np.float32), bunch.target.astype(np.int64)
