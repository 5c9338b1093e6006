"""Convolutional teachers: a small network per partition, trained on the images themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from pate.errors import ConfigError
from pate.learning.device import one_thread
from pate.models.convnet import start
from pate.teachers.ensemble import Teachers

if TYPE_CHECKING:
    import torch  # elsewhere inside functions, because it takes seconds to import
    from torch import nn

_ANSWERED_TOGETHER = 1000  # public images; fixed, and small enough to stay in memory next to other workers


@dataclass(frozen=True)
class CNN(Teachers):
    """A 5x5 convolution to `channels`, a 3x3 one to twice as many, each halving the image, and a linear layer.

    Adam with decoupled weight decay, its rate falling to zero along a cosine. Every image is moved by up to `shifts`
    pixels each time it is seen: a few hundred images say little about where in the frame things are.
    """

    kind: ClassVar[str] = "cnn"

    channels: int = 16
    epochs: int = 40
    learning_rate: float = 0.006
    minibatch: int = 32
    weight_decay: float = 0.01
    shifts: int = 1
    sees: ClassVar[Literal["features", "inputs"]] = "inputs"
    needs_images: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("channels", "epochs", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ValueError(f"learning_rate must be a positive number, got {self.learning_rate}")
        if not (math.isfinite(self.weight_decay) and self.weight_decay >= 0):
            raise ValueError(f"weight_decay must be a number of at least 0, got {self.weight_decay}")
        if self.shifts < 0:
            raise ValueError(f"shifts must be at least 0, got {self.shifts}")

    def predict_one(self, x: np.ndarray, y: np.ndarray, public: np.ndarray, classes: int, seed: int) -> np.ndarray:
        _refuse_tables(x)
        import torch

        generator = torch.Generator().manual_seed(seed)  # the only source of chance: the global one stays untouched
        with one_thread():
            images = _pixels(x)
            network = _build(images.shape[1:], self.channels, classes, generator)
            self._train(network, images, torch.from_numpy(np.array(y, np.int64)), generator)
            return _answer(network, public)

    def _train(
        self, network: nn.Sequential, images: torch.Tensor, labels: torch.Tensor, generator: torch.Generator
    ) -> None:
        import torch
        from torch.nn.functional import cross_entropy

        optimizer = torch.optim.AdamW(network.parameters(), self.learning_rate, weight_decay=self.weight_decay)
        steps = self.epochs * math.ceil(len(images) / self.minibatch)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(self.epochs):
            for rows in torch.split(torch.randperm(len(images), generator=generator), self.minibatch):
                optimizer.zero_grad()
                scores = network(_shifted(images[rows], self.shifts, generator).permute(0, 3, 1, 2))
                torch.autograd.backward(cross_entropy(scores, labels[rows]))
                optimizer.step()
                schedule.step()


def _refuse_tables(x: np.ndarray) -> None:
    if x.ndim not in (3, 4):
        raise ConfigError(
            f"teachers=cnn needs images (n x H x W): one record here has the shape {x.shape[1:]}; choose teachers=ridge"
        )


def _pixels(x: np.ndarray) -> torch.Tensor:
    """Float32 (n x H x W x channels): bytes brought to [0, 1], floats as they are."""
    import torch

    scaled = np.array(x, np.float32)
    if x.dtype == np.uint8:
        scaled /= 255
    return torch.from_numpy(scaled.reshape(*x.shape[:3], math.prod(x.shape[3:])))  # a grey image has one channel


def _build(shape: torch.Size, channels: int, classes: int, generator: torch.Generator) -> nn.Sequential:
    import torch
    from torch import nn

    height, width, colours = shape
    with torch.device("meta"):  # here torch skips its own start, which would draw from the global generator
        network = nn.Sequential(
            nn.Conv2d(colours, channels, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.MaxPool2d(2, ceil_mode=True),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(2 * channels * math.ceil(height / 4) * math.ceil(width / 4), classes),
        )
    return start(network, generator)


def _shifted(images: torch.Tensor, most: int, generator: torch.Generator) -> torch.Tensor:
    """Every image moved on its own, by up to `most` pixels each way; what comes in from outside is black."""
    if not most:
        return images
    import torch
    from torch.nn.functional import pad

    n, height, width, _ = images.shape
    down, right = torch.randint(2 * most + 1, (2, n, 1), generator=generator)
    rows, columns = down + torch.arange(height), right + torch.arange(width)
    padded = pad(images, (0, 0, most, most, most, most))
    return padded[torch.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]


def _answer(network: nn.Sequential, public: np.ndarray) -> np.ndarray:
    import torch

    answers = np.zeros(len(public), np.int64)
    with torch.inference_mode():
        for start in range(0, len(public), _ANSWERED_TOGETHER):
            part = slice(start, start + _ANSWERED_TOGETHER)
            answers[part] = network(_pixels(public[part]).permute(0, 3, 1, 2)).argmax(1).numpy()
    return answers
