"""Students learn from public inputs and noisy labels, and from nothing else; only they are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from pate.choice import Choice
from pate.features.encoder import Encoder
from pate.features.linear import LinearEncoder
from pate.learning.checkpoint import Checkpoint
from pate.models.model import Model


@dataclass(frozen=True)
class Lesson:
    """Everything there is to learn from: public inputs, and (noisy) labels of the rows `index` among them."""

    inputs: np.ndarray  # as they came: n x H x W (x colours), or rows
    features: np.ndarray  # what the encoder made of them
    index: np.ndarray
    label: np.ndarray
    classes: int
    wrong: float = 0.0  # the share of labels expected to be wrong: public knowledge, never measured on private data
    seed: int = 0
    true: bool = False  # all inputs have labels, and all labels are right: there is nothing to guess

    def __post_init__(self) -> None:
        if len(self.inputs) != len(self.features):
            raise ValueError(f"{len(self.inputs)} inputs and {len(self.features)} rows of features: expected as many")
        if len(self.index) != len(self.label) or len(self.index) == 0:
            raise ValueError(f"{len(self.index)} rows and {len(self.label)} labels: expected as many, at least one")
        if not 0 <= self.wrong < 1:
            raise ValueError(f"wrong must be a share of at least 0 and below 1, got {self.wrong}")
        if self.true and not np.array_equal(self.index, np.arange(len(self.features))):
            raise ValueError("labels are true for all inputs, in their order, or taken as noisy")


@dataclass(frozen=True)
class Student(Choice):
    """How a student learns; its fields are its configuration."""

    sees: ClassVar[Literal["features", "inputs"]] = "features"
    needs_images: ClassVar[bool] = False

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Model:
        """A model of features, or of the inputs as flat rows. What takes minutes goes on from the checkpoint."""
        raise TypeError(f"{type(self).__name__} does not learn")

    def encoder(self, encoder: Encoder) -> Encoder:
        """What turns inputs into what its model reads: the run's encoder, or for the inputs themselves a plain one."""
        return encoder if self.sees == "features" else LinearEncoder(low=encoder.low, high=encoder.high)
