"""A release on disk: a folder and a zip of it, each whole or not there at all.

The zip is the same bytes for the same files: names in order, one date, nothing compressed, since how small a compressor
gets depends on its version and weights hardly shrink.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from glob import escape
from pathlib import Path

from pate.errors import ConfigError
from pate.release.contents import MANIFEST, STAGE
from pate.workspace.files import parsed_json
from pate.workspace.store import sync

_DATE = (1980, 1, 1, 0, 0, 0)  # the first a zip can tell


def publish(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write the folder and, beside it, FOLDER.zip, which is returned.

    What is there already is left alone if it is the same, replaced if it is an earlier release, and else refused.
    """
    folder = folder.absolute()
    archive, packed = folder.with_name(f"{folder.name}.zip"), _zip(folder.name, files)
    there, zipped = _in_folder(folder), _in_archive(archive)
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = f".{folder.name}.publishing-"
    for left_over in folder.parent.glob(f"{escape(beside)}*"):  # of a run that was killed while writing
        shutil.rmtree(left_over, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=beside, dir=folder.parent))
    try:
        if there != files:
            _write_folder(work / "new", files)
            if folder.exists():
                folder.rename(work / "old")
            (work / "new").rename(folder)
        if zipped != packed:
            _write(work / "zip", packed)
            (work / "zip").rename(archive)
        sync(folder.parent)
    finally:
        if (work / "old").exists() and not folder.exists():
            (work / "old").rename(folder)
        shutil.rmtree(work, ignore_errors=True)
    return archive


def _in_folder(folder: Path) -> dict[str, bytes]:
    """What an earlier release, or nothing, holds."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"output={folder} is a file or a link: name a folder")
    entries = sorted(folder.iterdir()) if folder.exists() else []
    plain = all(entry.is_file() and not entry.is_symlink() for entry in entries)
    manifest = folder / MANIFEST
    if entries and not (plain and manifest.exists() and _lists(manifest.read_bytes(), [e.name for e in entries])):
        raise ConfigError(f"output={folder} holds something else than a release: name another folder, or empty it")
    return {entry.name: entry.read_bytes() for entry in entries}


def _in_archive(archive: Path) -> bytes | None:
    """The bytes of an earlier release's zip, if there is one."""
    if not archive.exists() and not archive.is_symlink():
        return None
    try:
        with zipfile.ZipFile(archive) as opened:
            names = {Path(name).name: name for name in opened.namelist()}
            ours = not archive.is_symlink() and _lists(opened.read(names[MANIFEST]), list(names))
    except Exception:  # whichever way a zip stumbles over hostile bytes, it is none of ours
        ours = False
    if not ours:
        raise ConfigError(f"{archive} is in the way and no release: move it, or give another output=")
    return archive.read_bytes()


def _lists(manifest: bytes, names: list[str]) -> bool:
    """Whether it is a release's manifest and knows every file: what it does not know is somebody's work."""
    try:
        told = parsed_json(manifest)
        return bool(told["about"]["stage"] == STAGE) and set(names) <= {MANIFEST, *told["files"]}
    except (KeyError, ValueError, TypeError):
        return False


def _zip(name: str, files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for file, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{name}/{file}", _DATE)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # Unix, readable by all
            archive.writestr(entry, content)
    return stream.getvalue()


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        _write(folder / name, content)
    folder.chmod(0o755)  # it is meant for others, whatever the run's files are
    sync(folder)


def _write(file: Path, content: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    file.chmod(0o644)
