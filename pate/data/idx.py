"""MNIST and Fashion-MNIST: IDX files, gzipped or not."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar

import numpy as np

from pate.data.benchmark import KnownDataset
from pate.data.fetch import Published
from pate.data.records import Pool
from pate.data.sources import FASHION_MNIST, IDX_FILES, MNIST
from pate.errors import ConfigError
from pate.workspace.files import Unreadable, most_unpacked, opened, parsing, size_of


@contextmanager
def content(path: Path, dimensions: int) -> Iterator[tuple[IO[bytes], tuple[int, ...]]]:
    """The bytes after the header, compressed or not, and the shape the header claims: no more than a file of this size
    can hold."""
    try:
        with opened(path) as file, parsing("whole gzip file" if path.suffix == ".gz" else "IDX file"):
            size = size_of(file)
            stream: IO[bytes] = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file  # type: ignore[assignment]
            shape = header(stream, dimensions)
            if math.prod(shape) > most_unpacked(size):
                raise Unreadable("declares more than 100 times its size")
            yield stream, shape
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}: fetch it again") from None


def header(stream: IO[bytes], dimensions: int) -> tuple[int, ...]:
    """The shape an IDX file of bytes claims: two zeros, type 8, the number of dimensions, then their sizes."""
    start = stream.read(4 + 4 * dimensions)
    if start[:4] != bytes([0, 0, 8, dimensions]):
        raise Unreadable(f"is not an IDX file of bytes with {dimensions} dimension(s)")
    if len(start) < 4 + 4 * dimensions:
        raise Unreadable("ends inside its header")
    return tuple(int(size) for size in np.frombuffer(start, ">u4", offset=4))


def shape_of(path: Path, dimensions: int) -> tuple[int, ...]:
    """The shape, from the header alone."""
    with content(path, dimensions) as (_, shape):
        return shape


def read_idx(path: Path, dimensions: int) -> np.ndarray:
    """The array of an IDX file; a file shorter or longer than its header says is refused."""
    with content(path, dimensions) as (stream, shape):
        found = stream.read(math.prod(shape) + 1)
        if len(found) != math.prod(shape):
            raise Unreadable(f"has {'more' if len(found) > math.prod(shape) else 'fewer'} bytes than its header says")
        return np.frombuffer(found, np.uint8).reshape(shape).copy()  # a copy may be written to


@dataclass(frozen=True)
class Idx(KnownDataset):
    """Images and labels in four IDX files."""

    public: int | None = 9000

    raw: ClassVar[tuple[str, ...]] = IDX_FILES
    records: ClassVar[tuple[int, int]] = (60000, 10000)
    side: ClassVar[tuple[int, int]] = (28, 28)  # of the published images

    def located(self, name: str) -> Path | None:
        found = (path for path in (self.folder() / name, self.folder() / f"{name}.gz") if path.is_file())
        return next(found, None)

    def image_shape(self) -> tuple[int, ...] | None:
        return self.side if self.missing() else shape_of(self.files()[0], 3)[1:]

    def counts(self) -> tuple[int, int]:
        images, _, held_out, _ = self.files()
        return shape_of(images, 3)[0], shape_of(held_out, 3)[0]

    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        images, labels, held_out_images, held_out_labels = self.files()
        return self._pool(images, labels), self._pool(held_out_images, held_out_labels)

    def _pool(self, images: Path, labels: Path) -> Pool:
        x, y = read_idx(images, 3), read_idx(labels, 1).astype(np.int64)
        if len(x) != len(y):
            raise ConfigError(f"{images} has {len(x)} images and {labels} {len(y)} labels: they do not belong together")
        outside = int((y >= len(self.class_names)).sum())
        if outside:
            raise ConfigError(f"{labels}: {outside} labels are not in 0..{len(self.class_names) - 1}: fetch it again")
        return Pool(x, y)


@dataclass(frozen=True)
class Mnist(Idx):
    kind: ClassVar[str] = "mnist"

    name: str = "mnist"

    labels: ClassVar[tuple[str, ...]] = tuple("0123456789")
    published: ClassVar[Published | None] = MNIST


@dataclass(frozen=True)
class FashionMnist(Idx):
    kind: ClassVar[str] = "fashion_mnist"

    name: str = "fashion_mnist"

    labels: ClassVar[tuple[str, ...]] = (
        *("t-shirt", "trouser", "pullover", "dress", "coat"),
        *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
    )
    published: ClassVar[Published | None] = FASHION_MNIST
