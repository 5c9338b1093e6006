"""Labels: the answers the student learns from, and how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from pate.artifact import Artifact
from pate.errors import ConfigError


@dataclass(frozen=True)
class Labels(Artifact):
    """Noisy labels of some public inputs. `mechanism` says how they were drawn; `seeded` ones are not private.

    `wrong` is the share that the noise alone would make wrong if teachers always agreed: known to everybody, and the
    least a student has to expect.
    """

    index: np.ndarray
    label: np.ndarray
    mechanism: str
    seeded: np.ndarray = field(default_factory=lambda: np.array(False))  # an array, so that it travels in the npz
    wrong: np.ndarray = field(default_factory=lambda: np.array(0.0))


def read_labels(path: str | Path, pool: int, classes: int) -> Labels:
    """Labels from an npz with `index` (into the public pool) and `label`."""
    origin = f"labels.path={path}"
    try:
        with np.load(path, allow_pickle=False) as archive:
            missing = {"index", "label"} - set(archive.files)
            if missing:
                raise ConfigError(f"{origin} lacks {sorted(missing)}: expected `index` and `label`")
            index, label = archive["index"], archive["label"]
            seeded = bool(archive["seeded"].any()) if "seeded" in archive.files else False
            wrong = float(archive["wrong"]) if "wrong" in archive.files else 0.0
    except (OSError, ValueError, EOFError, BadZipFile, TypeError, AttributeError) as error:
        raise ConfigError(f"{origin} cannot be read: expected an npz file of plain numbers") from error
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
