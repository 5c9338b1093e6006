"""What DP-SGD can train: the models its literature measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pate.accounting.calibrate import LEAST, MOST
from pate.choice import ALWAYS_SAID
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError
from pate.features.encoder import Encoder
from pate.features.linear import LinearEncoder
from pate.models.classifier import ACTIVATIONS
from pate.models.model import Model

if TYPE_CHECKING:
    import torch  # elsewhere inside functions, because it takes seconds to import
    from torch import nn

_LEAST = 16  # pixels a side, below which the second convolution of CNN sees no whole patch


@dataclass(frozen=True)
class Linear(DPSGD):
    """Logistic regression on the run's features: hard to beat when private records are few."""

    kind: ClassVar[str] = "linear"

    def network(self, features: int, shape: Sequence[int], classes: int) -> nn.Sequential:
        from pate.dpsgd.network import perceptron

        return perceptron(features, [], classes, "none")

    def model(self, network: nn.Sequential, shape: Sequence[int], components: np.ndarray | None) -> Model:
        from pate.dpsgd.network import as_classifier

        return as_classifier(network, "none", components)


@dataclass(frozen=True)
class ScatterLinear(Linear):
    """The same on all scattering coefficients, normalised in groups within each image (Tramer & Boneh 2021).

    No record shapes these features, public or private, and so they cost nothing.
    """

    kind: ClassVar[str] = "scatter_linear"

    lot: int = field(default=4096, metadata=ALWAYS_SAID)
    epochs: float = field(default=40.0, metadata=ALWAYS_SAID)
    clip: float = field(default=0.1, metadata=ALWAYS_SAID)
    scales: int = 2
    angles: int = 8
    groups: int = 27
    needs_images: ClassVar[bool] = True

    def check_image(self, shape: tuple[int, ...] | None) -> None:
        super().check_image(shape)
        if shape is not None and min(shape[:2]) < 2**self.scales:
            raise ConfigError(f"dpsgd.scales={self.scales} needs images of {2**self.scales} pixels a side or more")

    def encoder(self, encoder: Encoder) -> Encoder:
        from pate.features.scattering import Scattering

        free = Scattering(self.scales, self.angles, components=None, groups=self.groups).fit(np.empty(0))
        return replace(free, low=encoder.low, high=encoder.high)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.encoder(LinearEncoder())  # it says what is wrong with its arguments


@dataclass(frozen=True)
class MLP(DPSGD):
    """A perceptron on the run's features or, with `pca`, on so many principal components of the private records'
    features, which are paid for with noise of multiplier `pca_noise` (Abadi et al. 2016)."""

    kind: ClassVar[str] = "mlp"

    learning_rate: float = field(default=0.5, metadata=ALWAYS_SAID)
    clip: float = field(default=0.5, metadata=ALWAYS_SAID)
    hidden: list[int] = field(default_factory=lambda: [1000])
    activation: str = "relu"
    pca: int | None = None
    pca_noise: float = 16.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.hidden or not all(isinstance(width, int) and width >= 1 for width in self.hidden):
            raise ConfigError(f"dpsgd.hidden={list(self.hidden)}: expected layer widths, such as [64]")
        if self.activation not in ACTIVATIONS:
            raise ConfigError(f"dpsgd.activation={self.activation}: expected {' or '.join(ACTIVATIONS)}")
        if self.pca is not None and not (isinstance(self.pca, int) and self.pca >= 1):
            raise ConfigError(f"dpsgd.pca={self.pca}: expected a number of components, or null for none")
        if not LEAST <= self.pca_noise <= MOST:
            raise ConfigError(f"dpsgd.pca_noise={self.pca_noise}: expected a number from {LEAST:g} to {MOST:g}")

    def principal_components(self) -> tuple[int, float] | None:
        return None if self.pca is None else (self.pca, self.pca_noise)

    def network(self, features: int, shape: Sequence[int], classes: int) -> nn.Sequential:
        from pate.dpsgd.network import perceptron

        return perceptron(features, self.hidden, classes, self.activation)

    def model(self, network: nn.Sequential, shape: Sequence[int], components: np.ndarray | None) -> Model:
        from pate.dpsgd.network import as_classifier

        return as_classifier(network, self.activation, components)


@dataclass(frozen=True)
class CNN(DPSGD):
    """Two convolutions and two linear layers with tanh between them, on the images themselves (Papernot et al. 2020):
    tanh bounds what a layer hands on, and so wastes less on clipping."""

    kind: ClassVar[str] = "cnn"

    lot: int = field(default=512, metadata=ALWAYS_SAID)
    epochs: float = field(default=40.0, metadata=ALWAYS_SAID)
    learning_rate: float = field(default=0.5, metadata=ALWAYS_SAID)
    clip: float = field(default=0.1, metadata=ALWAYS_SAID)
    needs_images: ClassVar[bool] = True

    def check_image(self, shape: tuple[int, ...] | None) -> None:
        super().check_image(shape)
        if shape is not None and min(shape[:2]) < _LEAST:
            raise ConfigError(
                f"dpsgd=CNN needs images of at least {_LEAST} x {_LEAST} pixels, not {shape[0]} x {shape[1]}"
            )

    def encoder(self, encoder: Encoder) -> Encoder:
        return LinearEncoder(low=encoder.low, high=encoder.high)

    def network(self, features: int, shape: Sequence[int], classes: int) -> nn.Sequential:
        from pate.models.tanhnet import build

        return build(_image(shape), classes)

    def inputs(self, rows: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        return rows.view(len(rows), *_image(shape)).permute(0, 3, 1, 2)  # channels last, as the network's weights

    def model(self, network: nn.Sequential, shape: Sequence[int], components: np.ndarray | None) -> Model:
        from pate.models.tanhnet import TanhNet

        layers = {name: value.detach().cpu().contiguous().numpy() for name, value in network.state_dict().items()}
        return TanhNet(layers, list(_image(shape)))


def _image(shape: Sequence[int]) -> tuple[int, int, int]:
    height, width, colours = (*shape, 1)[:3]
    return height, width, colours
