"""Trainings that take minutes and survive a kill: all that changes while a network learns, as plain arrays and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save

from pate.errors import DamagedArtifact
from pate.workspace.artifact import Arrays
from pate.workspace.files import Unreadable, parsed_safetensors
from pate.workspace.pieces import Pieces

if TYPE_CHECKING:
    import torch
    from torch import nn


class Checkpoint:
    """The latest state of a training; the one before it goes once the new one is safe."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces, self._count = pieces, 0

    def save(self, arrays: Arrays) -> None:
        self._count += 1
        plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}  # safetensors forgets strides
        self._pieces.save(self._count, np.frombuffer(save(plain), np.uint8))
        self._pieces.drop(before=self._count)

    def load(self) -> Arrays | None:
        """What was saved last, or nothing; a damaged file counts as none."""
        found = self._pieces.load()
        self._count = max(found, default=0)
        try:
            return parsed_safetensors(found[self._count].tobytes()) if found else None
        except Unreadable:
            return None


class Training:
    """Networks and their optimisers by name, and the generator all chance comes from."""

    def __init__(self, generator: torch.Generator, **parts: nn.Module | torch.optim.Optimizer) -> None:
        self._generator, self._parts = generator, parts

    def arrays(self) -> Arrays:
        found = {f"{name}.{key}": value.numpy(force=True).copy() for name, key, value in self._tensors()}
        return found | {"generator": self._generator.get_state().numpy()}

    def restore(self, arrays: Arrays) -> None:
        """Continue where `arrays` were taken: step by step the same training."""
        try:
            self._restore(arrays)
        except (KeyError, TypeError, ValueError, RuntimeError):
            raise DamagedArtifact(
                "the checkpoint is not one of this training: begin again with force=[...], naming this stage"
            ) from None

    def _restore(self, arrays: Arrays) -> None:
        import torch

        for name, part in self._parts.items():
            own = {key.removeprefix(f"{name}."): torch.from_numpy(array.copy()) for key, array in arrays.items()
                   if key.startswith(f"{name}.")}  # fmt: skip
            if isinstance(part, torch.optim.Optimizer):
                state: dict[int, dict[str, torch.Tensor]] = {}
                for key, value in own.items():
                    position, _, what = key.partition(".")
                    state.setdefault(int(position), {})[what] = value
                part.load_state_dict({"state": state, "param_groups": part.state_dict()["param_groups"]})
            else:
                part.load_state_dict(own)
        self._generator.set_state(torch.from_numpy(arrays["generator"].copy()))

    def _tensors(self) -> list[tuple[str, str, torch.Tensor]]:
        import torch

        found = []
        for name, part in self._parts.items():
            if isinstance(part, torch.optim.Optimizer):
                for position, state in part.state_dict()["state"].items():
                    found += [(name, f"{position}.{what}", torch.as_tensor(value)) for what, value in state.items()]
            else:
                found += [(name, key, value) for key, value in part.state_dict().items()]
        return found
