"""OpenML as a second source: its arrays are written back in the original layout, so the same checksums hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

# OpenML's adult lists the 16281 test records first.
_ADULT_TEST = 16281
_MNIST_TRAIN = 60000


def ask(name: str, version: int, work: Path) -> Any:
    """The set as arrays; nothing is kept in scikit-learn's own cache."""
    return datasets.fetch_openml(
        name, version=version, as_frame=False, parser="liac-arff", data_home=str(work), cache=False
    )


def idx(array: np.ndarray) -> bytes:
    """An array of bytes in IDX layout."""
    sizes = np.array(array.shape, dtype=">u4").tobytes()
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


@dataclass(frozen=True)
class OpenMLImages:
    """28x28 images, train before test, as train images, train labels, test images, test labels."""

    name: str
    version: int

    def __str__(self) -> str:
        return f"OpenML {self.name} version {self.version}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        bunch = ask(self.name, self.version, work)
        images, labels = np.asarray(bunch.data).reshape(-1, 28, 28), np.asarray(bunch.target).astype(int)
        n = _MNIST_TRAIN
        for name, array in zip(names, (images[:n], labels[:n], images[n:], labels[n:]), strict=True):
            (out / name).write_bytes(idx(array))


@dataclass(frozen=True)
class OpenMLAdult:
    """The census records in UCI's layout: a remark and a dot behind each label in the test file, '?' for unknown."""

    name: str
    version: int

    def __str__(self) -> str:
        return f"OpenML {self.name} version {self.version}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        bunch = ask(self.name, self.version, work)
        columns = [
            self._column(values, bunch.categories.get(column))
            for column, values in zip(bunch.feature_names, np.asarray(bunch.data).T, strict=True)
        ]
        rows = [", ".join(row) for row in zip(*columns, bunch.target, strict=True)]
        train, test = rows[_ADULT_TEST:], [f"{row}." for row in rows[:_ADULT_TEST]]
        contents = {"adult.data": train, "adult.test": ["|1x3 Cross validator", *test]}
        for name in names:
            (out / name).write_text("\n".join(contents[name]) + "\n\n", encoding="ascii")

    @staticmethod
    def _column(values: np.ndarray, categories: list[str] | None) -> list[str]:
        texts = [str(int(value)) if np.isfinite(value) else "?" for value in values]
        return texts if categories is None else ["?" if text == "?" else categories[int(text)] for text in texts]
