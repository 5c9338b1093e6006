"""The layers of convolutional networks in double precision, term by term: maps are channels x rows x columns."""

import math

import numpy as np
from scipy.signal import correlate


def convolved(maps, layers, place, stride, border):
    weight, bias = (layers[f"{place}.{part}"].astype(float) for part in ("weight", "bias"))
    framed = np.pad(maps.astype(float), ((0, 0), (border, border), (border, border)))
    each = [correlate(framed, one, "valid", "direct")[0] for one in weight]
    return np.stack(each)[:, ::stride, ::stride] + bias[:, None, None]


def combined(row, layers, place):
    return layers[f"{place}.weight"].astype(float) @ row + layers[f"{place}.bias"]


def largest(maps, stride):
    """Of windows of 2 x 2; with a stride of 2, also of what is left of one at the edges."""
    down, across = (math.ceil(side / 2) if stride == 2 else side - 1 for side in maps.shape[1:])
    windows = [[maps[:, stride * i : stride * i + 2, stride * j : stride * j + 2] for j in range(across)]
               for i in range(down)]  # fmt: skip
    return np.array([[window.max(axis=(1, 2)) for window in row] for row in windows]).transpose(2, 0, 1)
