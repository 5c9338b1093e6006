"""What papers reached on the same data sets: reference points, each with the kind of guarantee its epsilon is.

Their splits, delta 1e-5 (SVHN: 1e-6) and neighbouring relations are those of the papers; they are shown beside our
points, never compared by arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from pate.accounting.guarantee import HoldsFor

_EVERY: HoldsFor = "every data set"
_THIS: HoldsFor = "this data set"
_PATE, _DPSGD = "o", "s"  # as their rows are marked


@dataclass(frozen=True)
class Reference:
    mark: str  # of matplotlib's: that of the method it is a result of
    epsilon: float
    accuracy: float
    guarantee: HoldsFor
    source: str


def _pate2017(epsilon: float, accuracy: float) -> Reference:
    return Reference(_PATE, epsilon, accuracy, _THIS, "Papernot et al. 2017, PATE-G")


def _scattering(epsilon: float, accuracy: float) -> Reference:
    return Reference(_DPSGD, epsilon, accuracy, _EVERY, "Tramer & Boneh 2021, scattering + linear")


def _tanh_cnn(epsilon: float, accuracy: float) -> Reference:
    return Reference(_DPSGD, epsilon, accuracy, _EVERY, "Papernot et al. 2020, tanh CNN")


def _abadi(epsilon: float, accuracy: float) -> Reference:
    return Reference(_DPSGD, epsilon, accuracy, _EVERY, "Abadi et al. 2016")


REFERENCES: dict[str, tuple[Reference, ...]] = {
    "mnist": (
        _pate2017(2.04, 0.9800),
        _pate2017(8.03, 0.9810),
        _abadi(2.0, 0.95),
        _abadi(8.0, 0.97),
        _scattering(1.2, 0.981),
        _scattering(2.93, 0.987),
        _tanh_cnn(2.93, 0.981),
    ),
    "fashion_mnist": (_scattering(2.7, 0.895), _scattering(3.0, 0.897), _tanh_cnn(2.7, 0.861)),
    "cifar10": (_scattering(3.0, 0.670),),
    "svhn": (_pate2017(5.04, 0.8272), _pate2017(8.19, 0.9066)),
}
