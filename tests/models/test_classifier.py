"""The classifier equals the torch network with the same weights, and refuses arrays that are none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from pate.models.classifier import Classifier


def arrays(*widths: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    layers = {}
    for i, (a, b) in enumerate(pairwise(widths)):
        layers[f"{i}.weight"] = rng.normal(size=(b, a)).astype(np.float32)
        layers[f"{i}.bias"] = rng.normal(size=b).astype(np.float32)
    return layers


def records(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(n, d)).astype(np.float32)


@pytest.mark.parametrize(("widths", "activation"), [((5, 3), "none"), ((5, 7, 3), "tanh"), ((5, 7, 6, 3), "relu")])
def test_scores_equal_torch(widths: tuple[int, ...], activation: str) -> None:
    classifier, x = Classifier(arrays(*widths), activation), records(20_000, 5)
    h = torch.from_numpy(x)
    for i in range(classifier.depth):
        if i:
            h = getattr(torch, activation)(h)
        h = torch.nn.functional.linear(
            h, torch.from_numpy(classifier.layers[f"{i}.weight"]), torch.from_numpy(classifier.layers[f"{i}.bias"])
        )
    np.testing.assert_allclose(classifier.scores(x), h.numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(classifier.proba(x), h.softmax(1).numpy(), rtol=1e-4, atol=1e-5)
    assert (classifier.predict(x) == h.argmax(1).numpy()).mean() > 0.999  # float ties may fall either way
    assert classifier.predict(x).dtype == np.int64
    assert (classifier.features, classifier.classes) == (5, 3)


def test_huge_scores_still_make_probabilities() -> None:
    classifier = Classifier({"0.weight": np.eye(3, dtype=np.float32) * 1e4, "0.bias": np.zeros(3, np.float32)}, "none")
    np.testing.assert_allclose(classifier.proba(np.eye(3, dtype=np.float32)), np.eye(3))


def test_no_records_no_scores() -> None:
    assert Classifier(arrays(4, 2), "none").scores(np.empty((0, 4), np.float32)).shape == (0, 2)


def test_survives_the_store_format() -> None:
    classifier = Classifier(arrays(4, 3, 2), "tanh")
    again = Classifier.join(*classifier.split())
    assert (again.predict(records(50, 4)) == classifier.predict(records(50, 4))).all()


@pytest.mark.parametrize(
    ("layers", "activation", "says"),
    [
        ({}, "none", "layers must be"),
        ({"0.weight": np.zeros((2, 3), np.float32)}, "none", "layers must be"),
        ({"1.weight": np.zeros((2, 3), np.float32), "1.bias": np.zeros(2, np.float32)}, "none", "layers must be"),
        ({"0.weight": np.zeros((2, 3), np.float32), "0.bias": np.zeros(3, np.float32)}, "none", "do not fit"),
        ({"0.weight": np.zeros((2, 3)), "0.bias": np.zeros(2)}, "none", "float32"),
        (
            arrays(4, 3) | {"1.weight": np.zeros((2, 5), np.float32), "1.bias": np.zeros(2, np.float32)},
            "tanh",
            "layer 1",
        ),
        (arrays(4, 3, 2), "none", "activation"),
        (arrays(4, 3), "gelu", "activation"),
    ],
)
def test_arrays_that_are_no_network_are_refused(layers: dict, activation: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Classifier(layers, activation)


def test_records_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(n, 4\)"):
        Classifier(arrays(4, 2), "none").scores(records(3, 5))
