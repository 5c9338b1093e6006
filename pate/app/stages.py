"""What `stage=` takes, from what is declared: every stage of the package and of plug-ins, and a line about each."""

from __future__ import annotations

from pate.workspace.catalogue import catalogue
from pate.workspace.stage import Stage


def stages() -> dict[str, tuple[Stage, ...]]:
    """Every name with the stages a configuration chooses one of, in the order of the flow."""
    import pate.pipelines  # noqa: F401  (here they are declared; only when somebody asks)

    return catalogue()
