"""Every kind of model on every kind of encoder, small: for the tests of what is published."""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from sklearn.datasets import load_digits

from pate.features.identity import Identity
from pate.features.linear import LinearEncoder
from pate.features.pca import PCA
from pate.features.scattering import Scattering
from pate.learning.spreading import PublicGraph
from pate.models.classifier import Classifier
from pate.models.convnet import ConvNet, build, start
from pate.models.kernel_machine import KernelMachine
from pate.models.neighbours import Neighbours
from pate.models.predictor import Predictor
from pate.models.tanhnet import TanhNet
from pate.models.tanhnet import build as build_tanh

PUBLIC, ASKED = 80, 30
DIGITS = load_digits()
FEATURES = {
    "identity": Identity(),
    "pca": PCA(12),
    "scattering": Scattering(components=20),
    "scattering_all_scales": Scattering(scales=3, angles=4, components=20),
    "scattering_flip": Scattering(components=20, flip=True),
    "scattering_groups": Scattering(components=None, groups=27),
    "scattering_groups_flip": Scattering(components=20, groups=9, flip=True),
    "patches": Scattering(components=20, patches=8, patch_size=3),
    "patches_flip": Scattering(components=20, patches=8, patch_size=3, flip=True),
}
INPUTS = ("floats", "bytes", "colours", "oblong")
MODELS = ("linear", "tanh", "kernel_even", "neighbours", "convnet")


@lru_cache
def images(kind):
    """Digits as floats in [0, 1], as bytes, as bytes of three colours, and of unequal sides."""
    floats = (DIGITS.images / 16).astype(np.float32)[: PUBLIC + ASKED]
    if kind == "colours":
        grey = np.stack([floats, floats[:, ::-1], floats**2], axis=3)
        return (255 * grey).astype(np.uint8)
    if kind == "oblong":
        return np.concatenate([floats, floats[:, :, :5]], axis=2)
    if kind == "large":
        return (255 * floats.repeat(2, axis=1).repeat(2, axis=2)).astype(np.uint8)
    return floats if kind == "floats" else (255 * floats).astype(np.uint8)


@lru_cache
def encoded(features, kind):
    x = images(kind)[:PUBLIC]
    encoder = FEATURES[features].fit(x)
    return encoder, encoder.transform(x)


@lru_cache
def predictor(model, features="identity", kind="floats"):
    """A model taught with true labels, or one with random weights where teaching takes long."""
    x = images(kind)
    encoder, rows = encoded(features, kind)
    y, rng = DIGITS.target[:PUBLIC], np.random.default_rng(0)
    onto = 2 * np.eye(10, dtype=np.float32)[y] - 1
    width = rows.shape[1]
    if model in ("kernel", "kernel_even"):
        scale = (1 / (rows.std(axis=0) + 0.1)).astype(np.float32) if model == "kernel_even" else None
        seen = rows if scale is None else rows * scale
        gamma = float(1 / np.square(seen - seen.mean(axis=0)).sum(axis=1).mean())
        machine = KernelMachine.fit(seen, onto, gamma, 0.1)
        bias = None if scale is None else rng.normal(size=10).astype(np.float32)
        made = KernelMachine(machine.centres, 3 * machine.weights, gamma, scale, bias)
    elif model == "neighbours":
        graph = PublicGraph.of(rows, 30, 0.5, 5, 0.95, often=False)
        made = Neighbours.of(graph, (onto + 1) / 2, 5)
    elif model == "convnet":
        shape = [*x.shape[1:], 1][:3] if features == "identity" else [1, width, 1]
        made = ConvNet(_weights(start(build(shape, 4, 16, 10), torch.Generator().manual_seed(0))), shape)
    elif model == "tanhnet":
        shape = [*x.shape[1:], 1][:3]
        network = build_tanh(shape, 10).to_empty(device="cpu")
        made = TanhNet({name: _small(rng, array) for name, array in _weights(network).items()}, shape)
    else:
        widths = [width, 10] if model == "linear" else [width, 16, 12, 10]
        layers = {}
        for i, (before, after) in enumerate(pairwise(widths)):
            layers[f"{i}.weight"] = rng.normal(size=(after, before)).astype(np.float32) / np.float32(before**0.5)
            layers[f"{i}.bias"] = rng.normal(0, 0.1, after).astype(np.float32)
        layers["0.weight"] /= max(rows.std(), np.float32(1e-3))
        layers["0.bias"] -= layers["0.weight"] @ rows.mean(axis=0)
        made = Classifier(layers, "none" if model == "linear" else model)
    return Predictor(encoder, made, list("0123456789"), list(x.shape[1:]), str(x.dtype))


def asked(kind):
    return images(kind)[PUBLIC:]


def _weights(network):
    return {name: value.detach().contiguous().numpy() for name, value in network.state_dict().items()}


def _small(rng, array):
    return rng.normal(0, 0.3, array.shape).astype(np.float32)


def plain():
    """A predictor that is made in no time."""
    layers = {"0.weight": np.eye(2, 3, dtype=np.float32), "0.bias": np.zeros(2, np.float32)}
    return Predictor(LinearEncoder(low=0.0, high=1.0), Classifier(layers, "none"), ["no", "yes"], [3], "float32")
