"""The inputs as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.features.encoder import Encoder, Features


@dataclass(frozen=True)
class Identity(Features):
    """Needs no data."""

    def fit(self, public: np.ndarray) -> Encoder:
        return Encoder()
