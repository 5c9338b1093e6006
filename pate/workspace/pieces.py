"""The finished parts of a long stage, on the private side until the whole is stored."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from pate.errors import ConfigError
from pate.workspace.files import Unreadable, read_npy
from pate.workspace.owner import owned_folder


class Pieces:
    """Arrays that survive a kill, one file each, so that a resumed run computes only the missing ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder  # made when there is something to keep

    def save(self, index: int, array: np.ndarray) -> None:
        self._made()
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]
        descriptor, temporary = tempfile.mkstemp(prefix=".", dir=self._folder)
        with os.fdopen(descriptor, "wb") as file:
            np.save(file, array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, self._folder / f"{index:06d}-{digest}.npy")

    def load(self) -> dict[int, np.ndarray]:
        """All whole pieces; a damaged one counts as missing."""
        found: dict[int, np.ndarray] = {}
        for index, file in self._kept():
            with suppress(Unreadable):
                array = read_npy(file, follow=False)
                if hashlib.sha256(array.tobytes()).hexdigest()[:16] == file.stem.partition("-")[2]:
                    found[index] = array
        return found

    def drop(self, before: int) -> None:
        """Forget pieces that newer ones have made useless."""
        for index, file in self._kept():
            if index < before:
                file.unlink()

    def mark(self) -> None:
        """Remember, until it is stored, that what these are pieces of was asked for once more, fresh."""
        (self._made() / "again").write_text(secrets.token_hex(16))

    def unmark(self) -> None:
        (self._folder / "again").unlink(missing_ok=True)

    @property
    def marked(self) -> str:
        """Which request this is, if there is one; what it led to is stored with the same words."""
        try:
            return (self._folder / "again").read_text() or "again"  # empty: killed while it was written
        except FileNotFoundError:
            return ""

    def scratch(self) -> Path:
        """An empty private folder for what worker processes share; not in a temporary folder that outlives a kill."""
        folder = self._made() / "scratch"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        return folder

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _kept(self) -> list[tuple[int, Path]]:
        if self._folder.is_symlink():
            raise ConfigError(f"{self._folder} is a symbolic link: take it away, then run again")
        named = (re.fullmatch(r"(\d{6,12})-[0-9a-f]{16}\.npy", file.name) for file in self._folder.glob("*.npy"))
        return sorted((int(name[1]), self._folder / name[0]) for name in named if name)

    def _made(self) -> Path:
        owned_folder(self._folder.parent)
        return owned_folder(self._folder)
