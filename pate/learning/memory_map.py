"""Large arrays that worker processes share: plain npy files which each maps into its memory.

joblib would write them too, but as pickles. Here it is told not to (`max_nbytes=None`), and passes a mapped array on by
the name of its file. What is small still goes through the pipes between our own processes, which know nothing else; no
pickle reaches a disk.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

_LARGE = 1 << 20  # bytes from which an array is worth a file


def mapped(value: Any, folder: Path) -> Any:
    """The same value with every large array in it, however deep, read-only from a file in the folder."""
    return _Mapping(folder).of(value)


class _Mapping:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done: dict[int, tuple[Any, Any]] = {}  # by identity: an array shared twice is one file

    def of(self, value: Any) -> Any:
        if id(value) not in self._done:
            self._done[id(value)] = value, self._made(value)
        return self._done[id(value)][1]

    def _made(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(value) if value.nbytes > _LARGE and not value.dtype.hasobject else value
        if type(value) in (tuple, list):
            return type(value)(self.of(one) for one in value)
        if type(value) is dict:
            return {key: self.of(one) for key, one in value.items()}
        inside = getattr(value, "__dict__", None)
        if isinstance(value, type) or callable(value) or not inside:
            return value
        twin = copy.copy(value)
        twin.__dict__.update({name: self.of(one) for name, one in inside.items()})
        return twin

    def _array(self, array: np.ndarray) -> np.ndarray:
        file = self._folder / f"{len(list(self._folder.iterdir()))}.npy"
        np.save(file, array, allow_pickle=False)
        return np.load(file, mmap_mode="r", allow_pickle=False)
