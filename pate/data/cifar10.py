"""CIFAR-10: six binary batches; a record is its label followed by 32x32 red, green and blue bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from pate.data.benchmark import KnownDataset
from pate.data.fetch import Published
from pate.data.records import Pool
from pate.data.sources import CIFAR10, CIFAR10_FILES
from pate.errors import ConfigError

_RECORD = 1 + 3 * 32 * 32


def whole_records(path: Path) -> int:
    """How many whole records the file holds; a part of one means the file is damaged."""
    count, rest = divmod(path.stat().st_size, _RECORD)
    if rest or not count:
        raise ConfigError(f"{path} is not a whole number of {_RECORD}-byte CIFAR-10 records: fetch it again")
    return count


@dataclass(frozen=True)
class Cifar10(KnownDataset):
    kind: ClassVar[str] = "cifar10"

    name: str = "cifar10"
    public: int | None = 9000

    labels: ClassVar[tuple[str, ...]] = (
        *("airplane", "automobile", "bird", "cat", "deer"),
        *("dog", "frog", "horse", "ship", "truck"),
    )
    raw: ClassVar[tuple[str, ...]] = CIFAR10_FILES
    records: ClassVar[tuple[int, int]] = (50000, 10000)
    published: ClassVar[Published | None] = CIFAR10

    def image_shape(self) -> tuple[int, ...] | None:
        return 32, 32, 3

    def counts(self) -> tuple[int, int]:
        *train, held_out = map(whole_records, self.files())
        return sum(train), held_out

    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        *train, held_out = self.files()
        return self._pool(train), self._pool([held_out])

    def _pool(self, batches: list[Path]) -> Pool:
        count = sum(map(whole_records, batches))
        rows = np.concatenate([np.fromfile(path, np.uint8) for path in batches]).reshape(count, _RECORD)
        outside = int((rows[:, 0] >= len(self.class_names)).sum())
        if outside:
            raise ConfigError(f"{batches[0].parent}: {outside} CIFAR-10 labels are not in 0..9: fetch the set again")
        images = rows[:, 1:].reshape(count, 3, 32, 32).transpose(0, 2, 3, 1)
        return Pool(np.ascontiguousarray(images), rows[:, 0].astype(np.int64))
