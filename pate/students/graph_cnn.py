"""The strongest student for images: the graph student teaches a small convolutional network, and learns from it.

What the graph student believes of every public image, the network learns from moved copies of the images; on the
network's last layer, where neighbours look alike to the network, the graph student starts again. A label that the
network contradicts seeds no further graph.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from pate.errors import ConfigError
from pate.features.linear import LinearEncoder
from pate.learning.augmentation import moved
from pate.learning.checkpoint import Checkpoint, Training
from pate.learning.device import one_thread
from pate.learning.spreading import surest
from pate.learning.telling import tell
from pate.models.convnet import ConvNet, build, images, run, start
from pate.progress import Advance, progress
from pate.students.calibration import sharpness
from pate.students.graph import GraphStudent
from pate.students.student import Lesson
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    import torch
    from torch import nn

log = logging.getLogger("pate")
_SETTLED = 0.001  # share of the pool whose label changed in a round, below which no further round is needed
_WARM = 0.1  # of the steps, in which the learning rate rises


@dataclass(frozen=True)
class GraphCNN(GraphStudent):
    """`rounds` of the graph student and a network, fewer once its answers stay the same; each sees so many `images`.

    Of every class the share `unsure` with the smallest lead over the second class is not learned from.
    """

    kind: ClassVar[str] = "graph_cnn"

    rounds: int = 2
    images: int = 45_000
    channels: int = 32
    hidden: int = 128
    learning_rate: float = 0.002
    minibatch: int = 64
    weight_decay: float = 0.001
    shift: float = 0.07
    turn: float = 0.2
    zoom: float = 0.1
    shear: float = 0.15
    flip: bool = False
    views: bool = False
    sees: ClassVar[Literal["features", "inputs"]] = "inputs"
    needs_images: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rounds", "images", "channels", "hidden", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ValueError(f"learning_rate must be a positive number, got {self.learning_rate}")
        for name in ("weight_decay", "shift", "turn", "zoom", "shear"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> ConvNet:
        if lesson.inputs.ndim not in (3, 4):
            shape = lesson.inputs.shape[1:]
            raise ConfigError(f"student=graph_cnn needs images (n x H x W): one input here has the shape {shape}")
        height, width, colours = (*lesson.inputs.shape[1:], 1)[:3]
        saved = checkpoint.load() if checkpoint else None
        with one_thread(), progress("student", self.rounds * self.images, "images") as advance:
            x = images(LinearEncoder().raw(lesson.inputs), (height, width, colours))
            now = _Round.of(saved) if saved else self._first(lesson)
            network = self._learn(lesson, x, now, saved, checkpoint, advance)
            while not _all_known(lesson) and now.number < self.rounds:
                before, now = now, self._next(lesson, x, network, now)
                if (before.guess.argmax(axis=1) != now.guess.argmax(axis=1)).mean() < _SETTLED:
                    break
                network = self._learn(lesson, x, now, None, checkpoint, advance)
            # On inputs it has learned from, but as one label among all its neighbours': nearly as if it had not.
            factor = sharpness(run(network, x[lesson.index]), lesson.label, lesson.wrong)
        layers = {name: value.contiguous().numpy() for name, value in network.state_dict().items()}
        layers |= {name: layers[name] * np.float32(factor) for name in ("10.weight", "10.bias")}
        return ConvNet(layers, [height, width, colours], self.views)

    def _first(self, lesson: Lesson) -> _Round:
        everything = np.ones(len(lesson.index), dtype=bool)
        if lesson.true:
            target = np.eye(lesson.classes, dtype=np.float32)[lesson.label]
            return _Round(1, lesson.index, target, everything)
        return self._round(lesson, lesson.features, everything, 1)

    def _next(self, lesson: Lesson, x: torch.Tensor, network: nn.Sequential, now: _Round) -> _Round:
        """Start again from what the network sees, with the labels it does not contradict: one a class at least."""
        agrees = run(network, x[lesson.index]).argmax(axis=1) == lesson.label
        alone = ~np.isin(lesson.label, lesson.label[agrees])
        return self._round(lesson, run(network[:-1], x), agrees | alone, now.number + 1)

    def _round(self, lesson: Lesson, features: np.ndarray, trusted: np.ndarray, number: int) -> _Round:
        left = max(0.0, lesson.wrong * len(trusted) - (~trusted).sum()) / trusted.sum()  # wrong ones not yet sorted out
        index, label = lesson.index[trusted], lesson.label[trusted]
        guide = super().fit(replace(lesson, features=features, index=index, label=label, wrong=left))
        guess = guide.proba(features)
        return _Round(number, surest(guess.T, self.unsure)[0], guess, trusted)

    def _learn(
        self,
        lesson: Lesson,
        x: torch.Tensor,
        now: _Round,
        saved: Arrays | None,
        checkpoint: Checkpoint | None,
        advance: Advance,
    ) -> nn.Sequential:
        """A fresh network learns this round's labels: AdamW, its rate rising at first, then falling along a cosine."""
        import torch

        generator = torch.Generator().manual_seed(lesson.seed * self.rounds + now.number)
        network = start(
            build((x.shape[2], x.shape[3], x.shape[1]), self.channels, self.hidden, lesson.classes), generator
        )
        optimizer = torch.optim.AdamW(network.parameters(), self.learning_rate, weight_decay=self.weight_decay)
        training, done = Training(generator, network=network, optimizer=optimizer), 0
        if saved is not None:
            training.restore(saved)
            done = int(saved["epoch"])
            advance((now.number - 1) * self.images + done * len(now.kept))
            log.info("  resuming: round %d of %d, %d epochs were learned before", now.number, self.rounds, done)
        target, place = torch.from_numpy(now.guess[now.kept]), torch.from_numpy(now.kept)
        seen = self.images * self.rounds if _all_known(lesson) else self.images
        epochs = max(1, round(seen / len(place)))
        a_epoch = math.ceil(len(place) / self.minibatch)
        for epoch in range(done, epochs):
            learned = 0.0
            for i, rows in enumerate(torch.split(torch.randperm(len(place), generator=generator), self.minibatch)):
                passed = (epoch * a_epoch + i) / (epochs * a_epoch)
                for group in optimizer.param_groups:
                    group["lr"] = self.learning_rate * min(1.0, passed / _WARM) * (1 + math.cos(math.pi * passed)) / 2
                copies = moved(x[place[rows]], generator, self.shift, self.turn, self.zoom, self.shear, self.flip)
                optimizer.zero_grad()
                loss = -(target[rows] * torch.log_softmax(network(copies), dim=1)).sum(dim=1).mean()
                torch.autograd.backward(loss)
                optimizer.step()
                learned += float(loss.detach()) * len(rows) / len(place)
                advance(len(rows))
            tell((now.number - 1) * self.images + (epoch + 1) * len(place), loss=learned)
            if checkpoint:
                checkpoint.save(training.arrays() | now.arrays() | {"epoch": np.array(epoch + 1)})
        return network


def _all_known(lesson: Lesson) -> bool:
    """Something is known of every input: a second round has no more labels to find, and a longer first is better."""
    return lesson.true or lesson.belief is not None


@dataclass(frozen=True)
class _Round:
    """What one network learns: the graph student's guess for all inputs, which are kept, and which labels made it."""

    number: int
    kept: np.ndarray
    guess: np.ndarray
    trusted: np.ndarray

    def arrays(self) -> Arrays:
        return {f"round.{field.name}": np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def of(cls, saved: Arrays) -> _Round:
        number, *arrays = (saved[f"round.{field.name}"] for field in fields(cls))
        return cls(int(number), *arrays)
