"""The inputs as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.features.encoder import Encoder, Features
from pate.features.linear import LinearEncoder


@dataclass(frozen=True)
class Identity(Features):
    """Needs no data."""

    kind: ClassVar[str] = "identity"

    def fit(self, public: np.ndarray) -> Encoder:
        return LinearEncoder()
