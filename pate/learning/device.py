"""Where torch computes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pate.errors import ConfigError


def torch_device(device: str) -> str:
    """`auto` is the graphics card where there is one; asking for one that is not there is an error."""
    import torch  # here, because it takes seconds to import and most stages do without

    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device=cuda: torch sees no CUDA device here; use device=auto or device=cpu")
    return "cuda" if device == "cuda" or (device == "auto" and torch.cuda.is_available()) else "cpu"


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums do not depend on the number of cores; batches are small, and threads cost tenfold on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
