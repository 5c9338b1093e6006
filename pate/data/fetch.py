"""Fill a folder with a data set's published files: all of them, checked against their sha256, or none."""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pate.errors import ConfigError
from pate.workspace.files import Unreadable, most_unpacked, opened, size_of

log = logging.getLogger("pate")


class Source(Protocol):
    """A place the files can come from; `str()` of it names that place to the user."""

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        """Write the named files into `out`, using `work` for anything else; raise if that fails."""


@dataclass(frozen=True)
class Published:
    """What the world agrees the files are, and where they can be had, best source first."""

    files: Mapping[str, str]  # name -> sha256 of the uncompressed content
    sources: tuple[Source, ...]


def digest(path: Path) -> str:
    """The sha256 of the content; a gzipped file counts as what it unpacks to."""
    found = hashlib.sha256()
    with opened(path) as file:
        left = most_unpacked(size_of(file))
        stream = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
        while block := stream.read(1 << 20):
            found.update(block)
            left -= len(block)
            if left < 0:
                raise Unreadable("unpacks to more than 100 times its size")
    return found.hexdigest()


def verify(paths: Sequence[Path], published: Published) -> None:
    """Refuse files that are there but are not the published ones; they may be somebody's own, so they stay."""
    for path in paths:
        try:
            same = digest(path) == published.files[path.name.removesuffix(".gz")]
        except (EOFError, OSError, zlib.error, Unreadable):
            same = False
        if not same:
            raise ConfigError(
                f"{path} is not the published file (its sha256 differs): move it away and fetch again, "
                "or use it as it is, without fetching"
            )


def fetch(name: str, folder: Path, published: Published) -> None:
    """Try the sources in turn; the folder is touched only once every file is complete, checked and on disk."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file: dataset.path must be a folder to fetch {name} into")
    failures = []
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.is_dir())
    try:
        # On the target's file system, so that the last step is a rename.
        with tempfile.TemporaryDirectory(prefix=f".fetch-{name}-", dir=there) as scratch:
            for number, source in enumerate(published.sources):
                log.info("fetching %s from %s", name, source)
                work, out = Path(scratch) / f"work-{number}", Path(scratch) / f"out-{number}"
                work.mkdir()
                out.mkdir()
                try:
                    source.collect(list(published.files), work, out)
                    _check(out, published)
                except Exception as error:  # whichever way a source fails, the next one may still work
                    failures.append(f"{source}: {_short(error)}")
                    log.info("  no luck: %s", failures[-1])
                else:
                    _install(out, folder)
                    log.info("fetched %s into %s", name, folder)
                    return
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(
            f"{name} cannot be written to {folder} ({reason}): mend that or give dataset.path="
        ) from error
    raise ConfigError(
        f"{name} could not be fetched. Tried " + "; ".join(failures) + ". "
        f"Mend one of these, or put {', '.join(published.files)} into {folder} yourself"
    )


def _check(out: Path, published: Published) -> None:
    for name, expected in published.files.items():
        path = out / name
        if not path.is_file():
            raise LookupError(f"{name} is not in it")
        if digest(path) != expected:
            raise ValueError(f"{name} has the wrong sha256, so it is damaged or not the published file")


def _install(out: Path, folder: Path) -> None:
    """Make the files durable, then visible: the whole folder at once, or one by one into a folder that is in use."""
    for path in out.iterdir():
        _sync(path)
    _sync(out)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        out.rename(folder)
    except OSError:
        for path in out.iterdir():
            path.replace(folder / path.name)
        _sync(folder)
    _sync(folder.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _short(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1][:200]
