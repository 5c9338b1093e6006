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
    belief: np.ndarray | None = None  # shares of one for every input, of which `label` is the largest

    def __post_init__(self) -> None:
        if len(self.inputs) != len(self.features):
            raise ValueError(f"{len(self.inputs)} inputs and {len(self.features)} rows of features: expected as many")
        if len(self.index) != len(self.label) or len(self.index) == 0:
            raise ValueError(f"{len(self.index)} rows and {len(self.label)} labels: expected as many, at least one")
        if not 0 <= self.wrong < 1:
            raise ValueError(f"wrong must be a share of at least 0 and below 1, got {self.wrong}")
        if self.true and not np.array_equal(self.index, np.arange(len(self.features))):
            raise ValueError("labels are true for all inputs, in their order, or taken as noisy")
        if self.belief is not None and self.belief.shape != (len(self.features), self.classes):
            raise ValueError(f"beliefs of shape {self.belief.shape}: expected one row an input, one column a class")

    @classmethod
    def of_beliefs(cls, inputs: np.ndarray, features: np.ndarray, belief: np.ndarray, seed: int = 0) -> Lesson:
        """Something is believed of every input: the share of labels to expect wrong is what the beliefs leave open."""
        everything, likely = np.arange(len(belief)), belief.max(axis=1)
        wrong = float(1 - likely.mean())
        label = belief.argmax(axis=1).astype(np.int64)
        return cls(inputs, features, everything, label, belief.shape[1], wrong, seed, belief=belief)


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
