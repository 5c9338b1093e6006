"""Labels: the answers the student learns from, and how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pate.errors import ConfigError
from pate.workspace.artifact import Artifact
from pate.workspace.files import Unreadable, read_npz


@dataclass(frozen=True)
class Labels(Artifact):
    """Noisy labels of some public inputs. `mechanism` says how they were drawn; `seeded` ones are not private.

    `wrong` is the share that the noise alone would make wrong if teachers always agreed: known to everybody, and the
    least a student has to expect. So many `queries` were asked of so many `teachers`; 0 where that is not known.
    """

    index: np.ndarray
    label: np.ndarray
    mechanism: str
    seeded: np.ndarray = field(default_factory=lambda: np.array(False))  # an array, so that it travels in the npz
    wrong: np.ndarray = field(default_factory=lambda: np.array(0.0))
    queries: np.ndarray = field(default_factory=lambda: np.array(0))
    teachers: np.ndarray = field(default_factory=lambda: np.array(0))

    def check(self) -> None:
        if any(array.ndim != 1 or array.dtype != np.int64 for array in (self.index, self.label)):
            raise ValueError("indices and labels must be lists of int64")
        if len(self.index) != len(self.label) or (self.index < 0).any() or (self.label < 0).any():
            raise ValueError("indices and labels must be as many, from 0 on")
        alone = {"seeded": "b", "wrong": "f", "queries": "i", "teachers": "i"}
        if any(getattr(self, name).shape or getattr(self, name).dtype.kind != kind for name, kind in alone.items()):
            raise ValueError(f"{', '.join(alone)} must be single values")
        if not 0 <= self.wrong < 1:
            raise ValueError("`wrong` must be a share of at least 0 and below 1")


def read_labels(path: str | Path, pool: int, classes: int) -> Labels:
    """Labels from an npz with `index` (into the public pool) and `label`."""
    origin = f"labels.path={path}"
    try:
        arrays = read_npz(path)
    except Unreadable as problem:
        raise ConfigError(f"{origin} cannot be read: it {problem}; expected an npz file of numbers") from None
    missing = {"index", "label"} - arrays.keys()
    if missing:
        raise ConfigError(f"{origin} lacks {sorted(missing)}: expected `index` and `label`")
    index, label = arrays["index"], arrays["label"]
    for name in ("seeded", "wrong"):
        if name in arrays and (arrays[name].size != 1 or arrays[name].dtype.kind not in "biuf"):
            raise ConfigError(f"{origin}: `{name}` must be a single number")
    seeded = bool(arrays["seeded"].any()) if "seeded" in arrays else False
    wrong = float(arrays["wrong"].item()) if "wrong" in arrays else 0.0
    for name, array in (("index", index), ("label", label)):
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
            raise ConfigError(f"{origin}: `{name}` must be a list of whole numbers, got {array.dtype} {array.shape}")
    if len(index) != len(label) or len(index) == 0:
        raise ConfigError(f"{origin}: {len(index)} indices and {len(label)} labels; expected as many, at least one")
    if index.min() < 0 or index.max() >= pool:
        raise ConfigError(f"{origin}: indices must lie in 0..{pool - 1}, the public pool")
    if len(np.unique(index)) != len(index):
        raise ConfigError(f"{origin}: some indices occur twice")
    if not 0 <= wrong < 1:
        raise ConfigError(f"{origin}: `wrong` must be a share of at least 0 and below 1")
    if label.min() < 0 or label.max() >= classes:
        raise ConfigError(f"{origin}: labels must lie in 0..{classes - 1}")
    return Labels(
        index.astype(np.int64), label.astype(np.int64), "labels from a file", np.array(seeded), np.array(wrong)
    )
