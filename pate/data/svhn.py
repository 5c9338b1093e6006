"""SVHN, cropped house numbers: two MATLAB files in which label 10 means the digit 0."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from pate.data.benchmark import KnownDataset
from pate.data.matlab import mat_shapes, read_mat
from pate.data.records import Pool
from pate.errors import ConfigError
from pate.workspace.files import Unreadable


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The arrays' shapes, from the headers alone."""
    try:
        found = mat_shapes(path)
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}: download it again") from None
    x, y = found.get("X", ()), found.get("y", ())
    if x[:3] != (32, 32, 3) or y not in ((*x[3:], 1), (1, *x[3:])) or len(x) != 4:
        raise ConfigError(f"{path} needs X of shape (32, 32, 3, n) and y of n labels: download it again (cropped)")
    return found


@dataclass(frozen=True)
class Svhn(KnownDataset):
    kind: ClassVar[str] = "svhn"

    name: str = "svhn"
    public: int | None = 10000
    delta: float = 1e-6

    labels: ClassVar[tuple[str, ...]] = tuple("0123456789")
    raw: ClassVar[tuple[str, ...]] = ("train_32x32.mat", "test_32x32.mat")
    records: ClassVar[tuple[int, int]] = (73257, 26032)

    def image_shape(self) -> tuple[int, ...] | None:
        return 32, 32, 3

    def counts(self) -> tuple[int, int]:
        train, held_out = (shapes(path)["X"][3] for path in self.files())
        return train, held_out

    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        train, held_out = map(self._pool, self.files())
        return train, held_out

    def _pool(self, path: Path) -> Pool:
        shapes(path)
        try:
            content = read_mat(path)
        except Unreadable as problem:
            raise ConfigError(f"{path} {problem}: download it again") from None
        if content["X"].dtype != np.uint8:
            raise ConfigError(f"{path}: X is of {content['X'].dtype}, not of bytes: download it again (cropped)")
        y = content["y"].reshape(-1)
        outside = int((~np.isin(y, range(1, 11))).sum())
        if outside:
            raise ConfigError(f"{path}: {outside} labels are not in 1..10: download it again")
        x = np.ascontiguousarray(content["X"].transpose(3, 0, 1, 2))
        return Pool(x, y.astype(np.int64) % 10)
