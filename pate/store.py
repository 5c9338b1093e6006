"""Where artifacts live: a private side (0700) and a releasable side, each artifact whole or not there at all.

    workspace/private/STAGE/KEY/   data, teachers, votes, data-dependent costs; mode 0700, files 0600
    workspace/release/STAGE/KEY/   what was made from public data and through a mechanism
    workspace/runs/                results.json and log of each run; the owner's, mode 0700

Keys are HMACs under a secret of the workspace, so that a key seen outside confirms no guess about private content.
Nothing is ever pickled.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors.numpy import load_file, save_file

from pate.artifact import Arrays, Artifact
from pate.errors import ConfigError, DamagedArtifact

Side = Literal["private", "release"]
_MANIFEST = "manifest.json"


class Store:
    """The artifacts of one workspace."""

    def __init__(self, workspace: str | Path) -> None:
        self.root = Path(workspace).absolute()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            owned_folder(self.root / "private")
            (self.root / "release").mkdir(exist_ok=True)
            self._secret = _workspace_secret(self.root / "private" / "secret")
        except OSError as error:
            raise ConfigError(f"workspace={workspace} cannot be written: {error.strerror or error}") from error

    # -- identity ---------------------------------------------------------------------------------

    def key(self, *parts: Any) -> str:
        """A keyed hash of JSON-able parts."""
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()[:32]

    def fingerprint(self, files: Iterable[Path]) -> list[tuple[str, str]]:
        """Keyed content hashes of files outside the workspace."""
        return [(file.name, self.key(_sha256(file))) for file in files]

    def identity(self, stage: str, key: str, sides: Iterable[Side]) -> str:
        """What is really stored under a key: a fresh draw of noise has another identity than the one it replaces."""
        return self.key([self.manifest(side, stage, key)["files"] for side in sides])

    # -- artifacts --------------------------------------------------------------------------------

    def folder(self, side: Side, stage: str, key: str) -> Path:
        return self.root / side / stage / key

    def has(self, side: Side, stage: str, key: str) -> bool:
        """Whether something is stored there, whole or damaged."""
        return self.folder(side, stage, key).exists()

    def manifest(self, side: Side, stage: str, key: str) -> dict[str, Any]:
        folder = self.folder(side, stage, key)
        try:
            manifest = json.loads((folder / _MANIFEST).read_text())
            dict(manifest["files"]), float(manifest["about"]["seconds"]), list(manifest["about"]["notes"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedArtifact(f"{folder}: manifest unreadable ({type(error).__name__})") from error
        return dict(manifest)

    def verify(self, side: Side, stage: str, key: str) -> dict[str, Any]:
        """The manifest, once every file has been found to match it."""
        folder, manifest = self.folder(side, stage, key), self.manifest(side, stage, key)
        for name, digest in manifest["files"].items():
            if not (folder / name).is_file() or _sha256(folder / name) != digest:
                raise DamagedArtifact(f"{folder / name} does not match its manifest")
        return manifest

    @contextmanager
    def lock(self, stage: str, key: str, waiting: Callable[[], None]) -> Iterator[None]:
        """One run at a time makes an artifact; `waiting` is called once if another one is at it."""
        file = owned_folder(self.root / "private" / "locks") / f"{stage}-{key}"
        with file.open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield  # the lock goes with the file handle, also when the process is killed

    def write(
        self, side: Side, stage: str, key: str, artifacts: Mapping[str, Artifact], about: Mapping[str, Any]
    ) -> None:
        """Store a stage's artifacts of one side together: temporary name, fsync, rename."""
        final = self.folder(side, stage, key)
        for left_over in self._parent(side, stage).glob(f".{key}-*"):  # of a run that was killed while writing
            shutil.rmtree(left_over, ignore_errors=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=final.parent))
        try:
            for name, artifact in artifacts.items():
                arrays, facts = artifact.split()
                _write_arrays(temporary / f"{name}.{artifact.format}", arrays)
                (temporary / f"{name}.json").write_text(json.dumps(facts, sort_keys=True, indent=1))
            files = {file.name: _sha256(file) for file in sorted(temporary.iterdir())}
            (temporary / _MANIFEST).write_text(json.dumps({"files": files, "about": dict(about)}, indent=1))
            for file in temporary.iterdir():
                file.chmod(0o600 if side == "private" else 0o644)
                _sync(file)
            temporary.chmod(0o700 if side == "private" else 0o755)
            _sync(temporary)
            if final.exists():
                self.discard(side, stage, key)
            temporary.rename(final)
            _sync(final.parent)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def read(self, side: Side, stage: str, key: str, name: str, kind: type[Artifact]) -> Artifact:
        """Read one artifact back, checked against its manifest."""
        folder = self.folder(side, stage, key)
        self.verify(side, stage, key)
        try:
            facts = json.loads((folder / f"{name}.json").read_text())
            return kind.join(_read_arrays(folder / f"{name}.{kind.format}"), facts)
        except (ValueError, TypeError, OSError) as error:
            raise DamagedArtifact(f"{folder / name} does not read as {kind.__name__}: {error}") from error

    def discard(self, side: Side, stage: str, key: str) -> None:
        """Take an artifact away; first out of sight in one step, so that no half of it is ever seen."""
        folder = self.folder(side, stage, key)
        if folder.exists():
            trash = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=folder.parent))
            folder.rename(trash / key)
            shutil.rmtree(trash)

    def pieces(self, stage: str, key: str) -> Pieces:
        """A private place for the finished parts of a long stage, kept until the stage is stored."""
        return Pieces(self.root / "private" / stage / f"{key}.pieces")

    def _parent(self, side: Side, stage: str) -> Path:
        parent = self.root / side / stage
        if side == "private":
            return owned_folder(parent)
        parent.mkdir(exist_ok=True)
        return parent


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

    def load(self, strict: bool = False) -> dict[int, np.ndarray]:
        """All whole pieces. A damaged one counts as missing, or if that would be costly (`strict`) is an error."""
        found: dict[int, np.ndarray] = {}
        for file in sorted(self._folder.glob("[0-9]*.npy")):
            index, _, digest = file.stem.partition("-")
            try:
                array = np.load(file, allow_pickle=False)
            except (ValueError, OSError, EOFError):
                array = np.empty(0)
            if hashlib.sha256(array.tobytes()).hexdigest()[:16] == digest:
                found[int(index)] = array
            elif strict:
                raise DamagedArtifact(f"{file} does not match its name")
        return found

    def drop(self, before: int) -> None:
        """Forget pieces that newer ones have made useless."""
        for file in self._folder.glob("[0-9]*.npy"):
            if int(file.stem.partition("-")[0]) < before:
                file.unlink()

    def mark(self) -> None:
        """Remember, for as long as there are pieces, that what they are parts of was asked for once more."""
        (self._made() / "again").touch()

    @property
    def marked(self) -> bool:
        return (self._folder / "again").exists()

    def scratch(self) -> Path:
        """An empty private folder for what worker processes share; not in a temporary folder that outlives a kill."""
        folder = self._made() / "scratch"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        return folder

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _made(self) -> Path:
        owned_folder(self._folder.parent)
        return owned_folder(self._folder)


def owned_folder(folder: Path) -> Path:
    """A folder only its owner can read; refused when it is a link or open to others."""
    if folder.is_symlink():
        raise ConfigError(f"{folder} is a symbolic link: private artifacts stay in a real folder of the workspace")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode & 0o777
    if mode & 0o077:
        raise ConfigError(f"{folder} can be read by others (mode {mode:o}): chmod 700 it, then run again")
    return folder


def _workspace_secret(file: Path) -> bytes:
    if not file.exists():
        if any(not entry.name.startswith((".secret", "locks")) for entry in file.parent.iterdir()):
            raise ConfigError(
                f"{file} is gone, and with it the names of everything stored beside it: put it back, or start a new "
                "workspace (labels would be drawn again there, and spend privacy again)"
            )
        descriptor, temporary = tempfile.mkstemp(prefix=".secret", dir=file.parent)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(secrets.token_bytes(32))
            handle.flush()
            os.fsync(handle.fileno())
        try:
            os.link(temporary, file)  # fails if another process was first: then theirs counts
        except FileExistsError:
            pass
        finally:
            os.unlink(temporary)
    secret = file.read_bytes()
    if len(secret) != 32:
        raise ConfigError(f"{file} is not a workspace secret: put the right one back, or start a new workspace")
    return secret


def _write_arrays(file: Path, arrays: Arrays) -> None:
    if file.suffix == ".safetensors":
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)
    else:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _read_arrays(file: Path) -> Arrays:
    if file.suffix == ".safetensors":
        return dict(load_file(file))
    with np.load(file, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
