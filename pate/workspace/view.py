"""Settings as a stage sees them: what it declares, so that its key holds everything its result depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pate.errors import UndeclaredSetting

if TYPE_CHECKING:
    from pate.settings import Settings
    from pate.workspace.stage import Stage

CHANGE_NO_RESULT = ("n_jobs", "device", "workspace")  # how fast, and where: every stage may look


def view(settings: Settings, stage: Stage) -> Settings:
    """The settings with what a stage declares; any other one is an error that names both."""
    names = (*stage.config, *stage.sees, *CHANGE_NO_RESULT)
    return cast("Settings", _View(settings, stage.name, frozenset(names)))


@dataclass(frozen=True, repr=False)
class _View:
    _part: Any
    _stage: str
    _names: frozenset[str]
    _within: str = ""

    def __getattr__(self, name: str) -> Any:
        value, whole = getattr(self._part, name), f"{self._within}{name}"
        if whole in self._names:
            return value
        if _any_within(whole, self._names):
            return _View(value, self._stage, self._names, f"{whole}.")
        raise UndeclaredSetting(
            f"stage {self._stage} reads the setting {whole}, which it does not declare: its result would not be made "
            f'again when that changes; add it to config=["{whole}"], or to sees= with the reason why it need not be'
        )


def _any_within(whole: str, names: Iterable[str]) -> bool:
    return any(name.startswith(f"{whole}.") for name in names)
