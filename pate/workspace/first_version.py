"""The first version of what is kept, which named no version: how its draws were known, so that they are recognised.

It knew a choice by the place of its class, with all fields of that time; these tables keep both. What could not be said
then has no name of that version. Nothing here changes any more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from pate.choice import Choice, differing

_DATASET = "name path private public test seed delta test_public"
_DPSGD = "epsilon lot epochs learning_rate clip momentum schedule average noise_multiplier micro_batch"
_SPREADING = "dimensions power neighbours alpha"
# group and kind -> the place of its class, and its fields; ? marks one that was left out while it had its default
_KINDS = {
    "aggregator lnmax": ("pate.aggregation.lnmax.LNMax", "gamma noise"),
    "aggregator gnmax": ("pate.aggregation.gnmax.GNMax", "sigma noise"),
    "aggregator confident_gnmax": (
        "pate.aggregation.confident_gnmax.ConfidentGNMax",
        "threshold threshold_sigma sigma noise",
    ),
    "dataset adult": ("pate.data.adult.Adult", _DATASET),
    "dataset arrays": ("pate.data.arrays.Arrays", f"{_DATASET} label classes columns? drop? keep? kinds?"),
    "dataset cifar10": ("pate.data.cifar10.Cifar10", _DATASET),
    "dataset digits": ("pate.data.digits.Digits", _DATASET),
    "dataset fashion_mnist": ("pate.data.idx.FashionMnist", _DATASET),
    "dataset mnist": ("pate.data.idx.Mnist", _DATASET),
    "dataset svhn": ("pate.data.svhn.Svhn", _DATASET),
    "dpsgd cnn": ("pate.dpsgd.models.CNN", _DPSGD),
    "dpsgd linear": ("pate.dpsgd.models.Linear", _DPSGD),
    "dpsgd mlp": ("pate.dpsgd.models.MLP", f"{_DPSGD} hidden activation pca pca_noise"),
    "dpsgd scatter_linear": ("pate.dpsgd.models.ScatterLinear", f"{_DPSGD} scales angles groups"),
    "features identity": ("pate.features.identity.Identity", ""),
    "features pca": ("pate.features.pca.PCA", "components"),
    "features scattering": (
        "pate.features.scattering.Scattering",
        "scales angles components groups flip patches patch_size",
    ),
    "student gan": (
        "pate.students.gan.GAN",
        "hidden generator latent steps minibatch labelled learning_rate input_noise noise average agreement late",
    ),
    "student graph": ("pate.students.graph.Graph", f"{_SPREADING} gamma penalty unsure"),
    "student graph_cnn": (
        "pate.students.graph_cnn.GraphCNN",
        f"{_SPREADING} gamma penalty unsure rounds images channels hidden learning_rate minibatch weight_decay shift "
        "turn zoom shear flip views",
    ),
    "student krr": ("pate.students.krr.KRR", "gamma penalty power"),
    "student label_spreading": ("pate.students.label_spreading.LabelSpreading", _SPREADING),
    "student self_training": ("pate.students.self_training.SelfTraining", "inverse_penalty rounds"),
    "student supervised": ("pate.students.supervised.Supervised", "inverse_penalty"),
    "teachers cnn": (
        "pate.teachers.cnn.CNN",
        "count channels epochs learning_rate minibatch weight_decay shifts",
    ),
    "teachers graph": ("pate.teachers.graph.Graph", f"count {_SPREADING} attached"),
    "teachers krr": ("pate.teachers.krr.KRR", "count gamma penalty"),
    "teachers krr_graph": ("pate.teachers.krr_graph.KRRGraph", f"count {_SPREADING} gamma penalty"),
    "teachers logistic": ("pate.teachers.logistic.Logistic", "count inverse_penalty iterations"),
    "teachers ridge": ("pate.teachers.ridge.Ridge", "count penalty"),
    "teachers sklearn": ("pate.teachers.sklearn.Sklearn", "count estimator"),
}
_SECTIONS = {
    "partition": "group_by",
    "noise": "seed",
    "sanitise": "order beta sigma_ss",
}


def declared_then(parts: Mapping[str, Any], aside: Collection[str] = ()) -> dict[str, Any]:
    """Parts of a configuration as they were declared then; a ValueError where that could not be said. A field that came
    later and is `aside` (`dataset.priors`) makes no difference, and so may say what it likes."""
    found = {}
    for name, part in parts.items():
        ignored = {field for group, _, field in (one.partition(".") for one in aside) if group == name}
        if isinstance(part, Choice):
            found[name] = _choice(name, part, ignored)
        elif not is_dataclass(part):
            found[name] = part
        elif name in _SECTIONS:
            found[name] = _said(_SECTIONS[name], part, ignored)
        elif differing(part):
            raise ValueError(f"{name} was not known then")
    return found


def _choice(group: str, choice: Choice, ignored: Collection[str]) -> dict[str, Any]:
    kind = choice.known_as()
    if kind != choice.kind:  # not declared: as it was then, by its place, with all its fields
        return {"_target_": kind} | asdict(choice)
    revision = choice.identity()["revision"]
    if f"{group} {kind}" not in _KINDS or revision > 1:
        raise ValueError(f"{group} {kind}, revision {revision}, was not known then")
    place, names = _KINDS[f"{group} {kind}"]
    return {"_target_": place} | _said(names, choice, ignored)


def _said(names: str, one: Any, ignored: Collection[str]) -> dict[str, Any]:
    """The fields of that time; a ValueError where one that came later says something."""
    values, differs = asdict(one), differing(one)
    then = {name.rstrip("?"): name.endswith("?") for name in names.split()}
    if later := differs.keys() - then.keys() - set(ignored):
        raise ValueError(f"{', '.join(sorted(later))}: not known then")
    return {name: values[name] for name, silent in then.items() if name in differs or not silent}
