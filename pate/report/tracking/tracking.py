"""Trackers: who follows a run, beside the results.json it leaves anyway. By default nobody.

What a tracker is told is the owner's: a loss, or an epsilon for this data set, is computed from private data. So a
tracker keeps it in a folder only the owner can read, and in no server.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pate.choice import Choice
from pate.errors import ConfigError
from pate.evaluation.results import Results
from pate.learning.telling import following
from pate.methods.method import Made
from pate.workspace.owner import owned_folder

if TYPE_CHECKING:
    from pate.settings import Settings

log = logging.getLogger("pate")
Track = Callable[[Results, Made], None]  # handed what a run found, and a way to what it made
_UNSHAPELY = re.compile(
    r"\+*~?(tracking|hydra|workspace|output|n_jobs|device|force)\b"
)  # overrides that shape no result
_LONGEST = 150  # of what was overridden, in a name
_NOW = re.compile(r"(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)-\d{6}")  # a folder that nobody named


@dataclass(frozen=True)
class Followed:
    """A run as it begins: its settings, where it leaves what it finds, what was overridden for it, and if it is a job
    of a sweep, the folder of that: all jobs have it in common, whichever process or day they run in."""

    settings: Settings
    folder: Path
    overrides: Sequence[str] = ()
    sweep: Path | None = None

    @property
    def place(self) -> str:
        """Its folder, or the time it began where nobody named one."""
        if self.sweep is not None and self.folder.is_relative_to(self.sweep):
            return f"{told_time(self.sweep.name)}/{self.folder.relative_to(self.sweep)}"
        return told_time(self.folder.name)

    @property
    def title(self) -> str:
        """What was chosen, and where it is."""
        chosen = " ".join(one.lstrip("+") for one in self.overrides if not _UNSHAPELY.match(one))
        short = chosen if len(chosen) <= _LONGEST else f"{chosen[:_LONGEST]}..."
        return f"{short or self.settings.dataset.name} ({self.place})"


@dataclass(frozen=True)
class Tracking(Choice):
    """Nobody follows."""

    def require(self) -> None:
        """Refuse, before anything runs, what cannot be followed."""

    @contextmanager
    def follow(self, run: Followed) -> Iterator[Track]:
        """While the run lasts; hands out what is to be called with what it found."""
        yield lambda found, made: None


class Diary(ABC):
    """What a tracker keeps of one run. Whatever goes wrong with it is said once, in a line; the run goes on without."""

    tracker: ClassVar[str]
    _lost = False

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def step(self, step: int, figures: Mapping[str, float]) -> None:
        """What a training told."""

    @abstractmethod
    def finish(self, found: Results, made: Made) -> None: ...

    @abstractmethod
    def end(self, status: str) -> None:
        """Also of a run that found nothing: FINISHED, FAILED, or KILLED."""

    @contextmanager
    def kept(self) -> Iterator[Track]:
        """While the run lasts."""
        self._attempt(self.begin)
        with following(lambda step, figures: self._attempt(self.step, step, figures)):
            try:
                yield lambda found, made: self._attempt(self._whole, found, made)
            except BaseException as error:
                self._attempt(self.end, "KILLED" if isinstance(error, KeyboardInterrupt) else "FAILED")
                raise

    def _whole(self, found: Results, made: Made) -> None:
        self.finish(found, made)
        self.end("FINISHED")

    def _attempt(self, act: Callable[..., None], *given: Any) -> None:
        if self._lost:
            return
        try:
            act(*given)
        except Exception as error:
            self._lost = True
            said = (str(error) or type(error).__name__).splitlines()[0][:300]
            log.warning(
                "warning: %s failed, and follows this run no further; its results stand (%s)", self.tracker, said
            )


def require_folder(folder: str) -> None:
    """A folder that is there already must be the owner's alone."""
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ConfigError(f"tracking.folder={folder}: a file, and no folder")
    if place.exists() or place.is_symlink():
        owned_folder(place)


def check_folder(folder: str) -> None:
    """A ValueError for what is no folder."""
    if not folder or "://" in folder:
        raise ValueError(f"folder={folder}: expected a folder; what is tracked is the owner's, for no server")


def told_time(name: str) -> str:
    """The name of a folder, or what it says of the time if it was named by that."""
    return re.sub(_NOW, r"\1 \2:\3:\4", name)
