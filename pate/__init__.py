"""PATE from private data to a publishable student, with the price of every label.

`pate.run(["dataset=digits", "student=supervised"])` does from Python what `pate dataset=digits ...` does in a shell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__version__ = "0.1.0"
__all__ = ["run"]


def run(overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Run the pipeline with Hydra overrides and return its results; raises pate.errors.ConfigError on bad input."""
    from pate.app.cli import run as run_from_python  # here, so that `import pate` stays light

    return run_from_python(overrides)
