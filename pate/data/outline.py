"""What is public of a data set before a record is read: what an input looks like, how many there are, of how many
classes. Whatever is chosen by kind of data (`features=auto`, the number of teachers) is chosen by this alone."""

from __future__ import annotations

from dataclasses import dataclass

from pate.data.dataset import Dataset


@dataclass(frozen=True)
class Outline:
    """`shape` is that of one input: height and width (and colours) of an image, the number of columns of an array, None
    for a table of named columns. The number of private records is public under zero-out adjacency."""

    shape: tuple[int, ...] | None
    private: int
    public: int
    classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> Outline:
        sizes = dataset.sizes()
        return cls(dataset.input_shape(), sizes.private, sizes.public, len(dataset.class_names))

    @property
    def images(self) -> bool:
        return self.shape is not None and len(self.shape) > 1

    @property
    def colours(self) -> int:
        """Of an image: grey ones have one."""
        return self.shape[2] if self.shape is not None and len(self.shape) > 2 else 1

    def __str__(self) -> str:
        if self.shape is None:
            return "a table"
        if self.images:
            return f"{'colour' if self.colours > 1 else 'grey'} images of {self.shape[0]} x {self.shape[1]}"
        return f"rows of {self.shape[0]} numbers"
