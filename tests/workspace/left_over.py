"""An artifact no run refers to."""

from dataclasses import dataclass

import numpy as np

from pate.ledger.ledger import Ledger
from pate.workspace.artifact import Artifact
from pate.workspace.store import Store


@dataclass(frozen=True)
class Thing(Artifact):
    values: np.ndarray


def left_over(workspace, key="0" * 32, values=9):
    store = Store(workspace)
    Ledger.of(store)
    store.write("private", "encode", key, {"x": Thing(np.arange(values))}, {"seconds": 0.0, "notes": []})
    return store
