"""A closed pipe is no error: `pate ... | head -1` has seen what it wanted, and the run goes on to its results."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _Pipe(io.FileIO):
    """A descriptor whose reader may go away: what is written from then on goes nowhere."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def outlive_readers() -> None:
    """Let stdout and stderr outlive whoever reads them; streams that somebody else put in their place stay."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            stream.flush()
            buffer = io.BufferedWriter(_Pipe(stream.fileno(), "wb", closefd=False))
            lines = stream.line_buffering
            setattr(sys, name, io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=lines))
