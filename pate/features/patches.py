"""Patch features (Coates, Lee & Ng 2011): how near each small patch of an image is to prototypes of public patches.

Patches are brought to a common contrast and whitened; k-means then finds strokes, edges and colours as prototypes. A
patch answers z_k = max(0, mean(d) - d_k) with d_k its distance to prototype k, the "triangle" activation, which is
sparse and needs no tuning; an image answers with the square roots of the averages over a 4 x 4 grid of places.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch.nn.functional import adaptive_avg_pool1d

from pate.errors import ConfigError
from pate.features.wavelets import in_order

GRID = 4  # places to a side
_SAMPLE = 200_000  # patches that prototypes are learned from
SOFT = 0.01  # added to a patch's variance: what is nearly flat stays nearly flat
_FLAT = 1.0  # patches of no greater sum of squares are not learned from
_RIDGE = 0.1  # added to the variances that whitening divides by
_BATCH = 8  # images computed together: their distances fit into a core's cache


def learn(public: np.ndarray, count: int, size: int) -> dict[str, np.ndarray]:
    """Mean and whitening of the public patches, and `count` prototypes of them (count x colours x size x size)."""
    from sklearn.cluster import MiniBatchKMeans

    windows = _windows(public, size)
    total = math.prod(windows.shape[:3])
    chosen = np.sort(np.random.default_rng(0).choice(total, min(total, _SAMPLE), replace=False))
    with threadpool_limits(1):  # so that no prototype depends on the number of cores
        found = _contrast(windows[np.unravel_index(chosen, windows.shape[:3])]).numpy()
        found = found[(found**2).sum(axis=1) > _FLAT]
        distinct = len({patch.tobytes() for patch in found})
        if distinct < count:
            raise ConfigError(
                f"features.patches={count}: the public images have only {distinct} distinct patches that are not flat"
            )
        mean = found.mean(axis=0)
        spread, directions = np.linalg.eigh(np.cov(found.T, bias=True, dtype=np.float64))
        whitening = ((directions / np.sqrt(spread + _RIDGE)) @ directions.T).astype(np.float32)
        means = MiniBatchKMeans(count, random_state=0, n_init=1, batch_size=4096, max_iter=20, compute_labels=False)
        prototypes = means.fit((found - mean) @ whitening).cluster_centers_
    return {"mean": mean, "whitening": whitening, "prototypes": prototypes.reshape(count, *windows.shape[3:])}


def activations(
    x: np.ndarray, mean: np.ndarray, whitening: np.ndarray, prototypes: np.ndarray, flip: bool
) -> np.ndarray:
    """Square roots of the average activations of images n x H x W or n x H x W x colours, n x (16 * prototypes).

    `flip` averages them with those of the mirror image.
    """
    windows = _windows(x, prototypes.shape[-1])
    down, across = windows.shape[1:3]
    over_rows, over_columns = (adaptive_avg_pool1d(torch.eye(side), GRID).T for side in (down, across))
    whiten, columns = [torch.from_numpy(whitening)], [over_columns]
    if flip:  # a mirrored patch has its pixels and its place mirrored, and the same contrast
        pixels = torch.arange(len(mean)).view(-1, prototypes.shape[-1]).flip(1).flatten()
        whiten, columns = [*whiten, whiten[0][pixels]], [*columns, over_columns.flip(1)]
    of_views, centre = torch.cat(whiten, dim=1), torch.from_numpy(mean) @ whiten[0]
    c = torch.from_numpy(prototypes.reshape(len(prototypes), -1))
    to_distances = torch.cat([-2 * c, torch.ones(len(c), 1), c.square().sum(1, keepdim=True)], dim=1).T.contiguous()

    def pooled(q: torch.Tensor, over_columns: torch.Tensor) -> torch.Tensor:
        """|q - c|^2 = (q, |q|^2, 1) . (-2c, 1, |c|^2) is one product."""
        q = torch.cat([q, q.square().sum(1, keepdim=True), torch.ones(len(q), 1)], dim=1)
        distances = (q @ to_distances).clamp_(min=0).sqrt_()
        triangle = torch.sub(distances.mean(1, keepdim=True), distances, out=distances).clamp_(min=0)
        rows = over_rows @ triangle.view(-1, down, across * len(c))
        return (over_columns @ rows.view(-1, GRID, across, len(c))).sqrt_().flatten(1)

    def compute(start: int) -> np.ndarray:
        """By one thread, as for wavelets."""
        whitened = torch.split(_contrast(windows[start : start + _BATCH]) @ of_views, len(mean), dim=1)
        found = [pooled(q - centre, over) for q, over in zip(whitened, columns, strict=True)]
        return (sum(found[1:], found[0]) / len(found)).numpy()

    found = np.empty((len(x), GRID * GRID * len(c)), np.float32)
    starts = range(0, len(x), _BATCH)
    for start, block in zip(starts, in_order(compute, starts), strict=True):
        found[start : start + len(block)] = block
    return found


def _windows(x: np.ndarray, size: int) -> np.ndarray:
    """Every patch, as a view: n x rows x columns x colours x size x size."""
    if x.ndim not in (3, 4) or min(x.shape[1:3]) < size:
        raise ConfigError(
            f"features.patch_size={size} needs images of at least {size} x {size} pixels, not records of shape "
            f"{x.shape[1:]}: choose a smaller one, or features.patches=null"
        )
    images = x if x.ndim == 4 else x[..., None]
    return np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(1, 2))


def _contrast(windows: np.ndarray) -> torch.Tensor:
    """Patches as rows of mean 0 and, unless they are nearly flat, variance 1; bytes are brought to [0, 1] before."""
    rows = torch.from_numpy(windows.reshape(-1, math.prod(windows.shape[-3:])).astype(np.float32))
    if windows.dtype == np.uint8:
        rows /= 255
    rows -= rows.mean(1, keepdim=True)
    rows /= (rows.square().mean(1, keepdim=True) + SOFT).sqrt_()
    return rows
