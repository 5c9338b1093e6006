"""Patch features by a loop over patches, in double precision."""

import math

import numpy as np


def slowly(image: np.ndarray, mean: np.ndarray, whitening: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Places x places x prototypes of one image of floats H x W x colours, patch by patch in double precision."""
    size = prototypes.shape[-1]
    rows, columns = image.shape[0] - size + 1, image.shape[1] - size + 1
    answers = np.zeros((rows, columns, len(prototypes)))
    for i in range(rows):
        for j in range(columns):
            patch = image[i : i + size, j : j + size].transpose(2, 0, 1).ravel().astype(float)
            patch = (patch - patch.mean()) / math.sqrt(patch.var() + 0.01)
            whitened = (patch - mean) @ whitening
            distances = [np.linalg.norm(whitened - prototype.ravel()) for prototype in prototypes]
            answers[i, j] = [max(0, np.mean(distances) - d) for d in distances]
    pooled = np.zeros((4, 4, len(prototypes)))
    for a in range(4):
        for b in range(4):
            down = slice(math.floor(a * rows / 4), math.ceil((a + 1) * rows / 4))
            across = slice(math.floor(b * columns / 4), math.ceil((b + 1) * columns / 4))
            pooled[a, b] = answers[down, across].mean(axis=(0, 1))
    return np.sqrt(pooled)
