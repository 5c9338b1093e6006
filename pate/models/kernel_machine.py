"""Kernel ridge regression as a model: scores are weighted similarities to its centres."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from pate.models.model import Floats, Model

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

_CENTRES = 10_000  # records up to which each is a centre: solving takes their number cubed
_SOME = 2_000  # centres drawn from more records than that (Nystrom; Rudi, Carratino & Rosasco 2017)


@dataclass(frozen=True)
class KernelMachine(Model):
    """Scores exp(-gamma |x - centre|^2) @ weights + bias.

    The centres are records it learned from: a student's are public. `scale` is what each feature is multiplied by
    before it is compared with the centres, which are scaled already.
    """

    kind: ClassVar[str] = "KernelMachine"

    centres: Floats
    weights: Floats  # (centres, classes)
    gamma: float
    scale: Floats | None = None
    bias: Floats | None = None

    def __post_init__(self) -> None:
        if self.centres.ndim != 2 or self.weights.ndim != 2 or len(self.centres) != len(self.weights):
            raise ValueError(f"centres {self.centres.shape} and weights {self.weights.shape} do not fit each other")
        if self.scale is not None and self.scale.shape != self.centres.shape[1:]:
            raise ValueError(f"centres {self.centres.shape} and scale {self.scale.shape} do not fit each other")
        if self.bias is not None and self.bias.shape != self.weights.shape[1:]:
            raise ValueError(f"weights {self.weights.shape} and bias {self.bias.shape} do not fit each other")
        if not (math.isfinite(self.gamma) and self.gamma > 0):
            raise ValueError(f"gamma must be a positive number, got {self.gamma}")

    @property
    def features(self) -> int:
        return int(self.centres.shape[1])

    @property
    def classes(self) -> int:
        return int(self.weights.shape[1])

    def _forward(self, x: Floats) -> Floats:
        scaled = x if self.scale is None else x * self.scale
        # In double precision: large weights of both signs cancel, and probabilities would be off by 1e-3.
        kernel = gaussian_kernel(scaled.astype(np.float64), self.centres.astype(np.float64), self.gamma)
        scores = (kernel @ self.weights).astype(np.float32)
        return scores if self.bias is None else scores + self.bias

    @property
    def carried(self) -> str:
        return f"the features of {len(self.centres)} of them as its centres"

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        """In double precision, because its weights are large and cancel: in single, answers are 1e-4 to 1e-3 off."""
        if self.scale is not None:
            rows = graph("Mul", rows, self.scale)
        rows, gamma = graph.cast(rows, np.double), np.double(self.gamma)
        lengths = np.square(self.centres, dtype=np.double).sum(axis=1)
        across = graph("MatMul", rows, graph("Transpose", graph.wide(self.centres), perm=[1, 0]))
        squared = graph("Sub", graph("Add", graph("ReduceSumSquare", rows, [1]), lengths), graph("Add", across, across))
        kernel = graph("Exp", graph("Mul", graph("Max", squared, np.double(0)), -gamma))
        scores = graph.cast(graph("MatMul", kernel, graph.wide(self.weights)), np.float32)
        scores = scores if self.bias is None else graph("Add", scores, self.bias)
        return graph("Softmax", scores, axis=1)

    def sharpened(self, factor: float) -> KernelMachine:
        """The same answers, with all scores this much larger."""
        return replace(self, weights=self.weights * np.float32(factor))

    @classmethod
    def fit(cls, x: np.ndarray, target: np.ndarray, gamma: float, penalty: float, seed: int = 0) -> KernelMachine:
        """Least squares onto the rows of `target` with penalty |f|^2, f in the kernel's space."""
        return cls.fit_without(x, target, gamma, penalty, np.empty(0, np.int64), seed)[0]

    @classmethod
    def fit_without(
        cls, x: np.ndarray, target: np.ndarray, gamma: float, penalty: float, rows: np.ndarray, seed: int = 0
    ) -> tuple[KernelMachine, np.ndarray]:
        """The machine, and what it would have scored each of `rows` had it not learned from that one.

        Leaving one out changes its score from f to y - a/G, with a its weight and G its diagonal entry of
        (K + penalty)^-1 (Rasmussen & Williams 2006, eq. 5.12). With few centres a single record hardly counts.
        """
        if len(x) <= _CENTRES:
            kernel = gaussian_kernel(x, x, gamma).astype(np.float64)
            kernel.flat[:: len(x) + 1] += penalty
            factor = cho_factor(kernel, lower=True, overwrite_a=True)
            weights = cho_solve(factor, target.astype(np.float64))
            unit = np.zeros((len(x), len(rows)))
            unit[rows, np.arange(len(rows))] = 1
            diagonal = (solve_triangular(factor[0], unit, lower=True, overwrite_b=True) ** 2).sum(axis=0)
            without = target[rows] - weights[rows] / diagonal[:, None]
            return cls(x.astype(np.float32), weights.astype(np.float32), gamma), without
        centres = x[np.sort(np.random.default_rng(seed).choice(len(x), _SOME, replace=False))].astype(np.float32)
        inner = penalty * gaussian_kernel(centres.astype(np.float64), centres.astype(np.float64), gamma)
        right = np.zeros((_SOME, target.shape[1]))
        for start in range(0, len(x), 4 * _SOME):
            part = slice(start, start + 4 * _SOME)
            between = gaussian_kernel(x[part].astype(np.float64), centres.astype(np.float64), gamma)
            inner += between.T @ between
            right += between.T @ target[part]
        inner.flat[:: _SOME + 1] += 1e-9 * np.trace(inner) / _SOME  # rounding: equal centres make it singular
        weights = cho_solve(cho_factor(inner, lower=True), right)
        machine = cls(centres, weights.astype(np.float32), gamma)
        return machine, machine.scores(x[rows])


def gaussian_kernel(a: np.ndarray, b: np.ndarray, gamma: float) -> np.ndarray:
    """exp(-gamma |a - b|^2), in place as far as possible: memory is what takes the time here."""
    kernel = a @ (2 * gamma * b).T
    kernel -= gamma * np.einsum("nd,nd->n", a, a)[:, None]
    kernel -= gamma * np.einsum("nd,nd->n", b, b)
    return np.exp(np.minimum(kernel, 0, out=kernel), out=kernel)
