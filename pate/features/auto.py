"""features=auto: what an input looks like says which features suit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pate.data.outline import Outline
from pate.features.encoder import Features
from pate.features.identity import Identity
from pate.features.pca import PCA

SMALLEST = 16  # pixels to a side of an image in which two layers of wavelets see something
_WIDE = 500  # numbers in a row


@dataclass(frozen=True)
class Auto(Features):
    """Scattering for images, beside it patches where they have colours; a row is what it is, unless it is wide."""

    kind: ClassVar[str] = "auto"

    def suited(self, outline: Outline) -> tuple[Features, str]:
        most = max(1, outline.public // 4)  # components are those of public inputs
        if not outline.public:
            return Identity(), f"as they are, for {outline} of which none is public"
        if outline.images and outline.shape and min(outline.shape[:2]) >= SMALLEST:
            from pate.features.scattering import Scattering  # here, because it takes seconds to import torch

            patches = 200 if outline.colours > 1 else None
            return Scattering(components=min(200, most), patches=patches), f"scattering for {outline}"
        if not outline.images and outline.shape and outline.shape[0] >= _WIDE:
            return PCA(components=min(100, most)), f"principal components for {outline}"
        return Identity(), f"as they are, for {outline}"
