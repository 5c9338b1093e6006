"""What private data is called in the ledger where its owner gave it no name, and the ledger does not know it yet.

Own files are called after themselves: unrelated ones must not add up in one account, as they would in one for all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pate.data.arrays import Arrays
from pate.data.dataset import Dataset

if TYPE_CHECKING:
    from pate.settings import Settings

LONGEST = 200  # characters of a name


def of_records(dataset: Dataset) -> str:
    """A data set's own name; a user's files, unless they were given one, after their file or folder."""
    own = isinstance(dataset, Arrays) and dataset.path and dataset.name == Arrays.name
    return of_file(dataset.folder()) if own else dataset.name


def of_file(path: str | Path) -> str:
    """After a file without its ending, or a folder: in printable characters, and not too many."""
    place = Path(os.path.abspath(Path(path).expanduser()))
    name = place.name if place.is_dir() else place.stem
    readable = "".join(one if one.isprintable() else "_" for one in name).strip()[:LONGEST].strip()
    return readable or "unnamed"


def usual(settings: Settings) -> str:
    """Of what a run's labels are drawn from."""
    return of_file(settings.votes.path) if settings.votes.path else of_records(settings.dataset)
