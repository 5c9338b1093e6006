"""The stages of pipelines/, as they are declared there."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


def declared() -> dict[str, list[Any]]:
    """Every stage of pipelines/, by name; some have several forms: a module holds them by name or in a table."""
    import pate.pipelines

    from pate.workspace.stage import Stage

    found: dict[str, list[Any]] = {}
    for module in pkgutil.iter_modules(pate.pipelines.__path__, "pate.pipelines."):
        named = vars(importlib.import_module(module.name)).values()
        several = (form for one in named for form in (one.values() if isinstance(one, dict) else [one]))
        for one in several:
            if isinstance(one, Stage):
                forms = found.setdefault(one.name, [])
                forms += [one] * (one.function not in [form.function for form in forms])
    return found
