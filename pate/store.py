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
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors.numpy import save

from pate.artifact import Arrays, Artifact, fits
from pate.errors import ConfigError, DamagedArtifact
from pate.safe_files import Unreadable, opened, read_json, read_npy, read_npz, read_safetensors

Side = Literal["private", "release"]
_MANIFEST = "manifest.json"


class Store:
    """The artifacts of one workspace."""

    def __init__(self, workspace: str | Path) -> None:
        self.root = Path(workspace).absolute()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            for entry in owned_folder(self.root / "private").iterdir():
                if entry.is_symlink() or entry.is_dir():
                    owned_folder(entry)
            (self.root / "release").mkdir(exist_ok=True)
            self.secret = _workspace_secret(self.root / "private" / "secret")
        except OSError as error:
            raise ConfigError(f"workspace={workspace} cannot be written: {error.strerror or error}") from error

    def used(self) -> bool:
        """Whether any stage has been run here."""
        return any(entry.is_dir() and entry.name != "locks" for entry in (self.root / "private").iterdir())

    # -- identity ---------------------------------------------------------------------------------

    def key(self, *parts: Any) -> str:
        """A keyed hash of JSON-able parts."""
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()[:32]

    def fingerprint(self, files: Iterable[Path]) -> list[tuple[str, str]]:
        """Keyed content hashes of files outside the workspace."""
        try:
            return [(file.name, self.key(_sha256(last := file, follow=True))) for file in files]
        except Unreadable as problem:
            raise ConfigError(f"{last} {problem}") from None

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
            if folder.is_symlink():
                raise Unreadable("is a symbolic link")
            manifest = read_json(folder / _MANIFEST, follow=False)
            for name, digest in manifest["files"].items():
                if Path(name).name != name or not re.fullmatch("[0-9a-f]{64}", digest):
                    raise Unreadable("names what cannot lie beside it")
            if not fits(manifest["about"]["seconds"], float) or not fits(manifest["about"]["notes"], list[str]):
                raise Unreadable("tells something else than how its artifact was made")
        except Unreadable as problem:
            raise DamagedArtifact(f"{folder}: manifest unreadable: it {problem}") from None
        except (KeyError, TypeError, AttributeError):
            raise DamagedArtifact(f"{folder}: manifest unreadable: it lacks what every manifest has") from None
        return dict(manifest)

    def verify(self, side: Side, stage: str, key: str) -> dict[str, Any]:
        """The manifest, once every file has been found to match it."""
        folder, manifest = self.folder(side, stage, key), self.manifest(side, stage, key)
        for name, digest in manifest["files"].items():
            try:
                if _sha256(folder / name) != digest:
                    raise Unreadable("does not match its manifest")
            except Unreadable as problem:
                raise DamagedArtifact(f"{folder / name} {problem}") from None
        return manifest

    def notes(self, side: Side, stage: str) -> set[str]:
        """All that is said of what a stage has stored, under any key; a damaged manifest says nothing."""
        found: set[str] = set()
        folder = self.root / side / stage
        for entry in folder.iterdir() if folder.is_dir() else ():
            with suppress(DamagedArtifact):
                found.update(self.manifest(side, stage, entry.name)["about"]["notes"])
        return found

    @contextmanager
    def lock(self, stage: str, key: str, waiting: Callable[[], None]) -> Iterator[None]:
        """One run at a time makes an artifact; `waiting` is called once if another one is at it."""
        file = owned_folder(self.root / "private" / "locks") / f"{stage}-{key}"
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(file, flags, 0o600), "rb+", buffering=0) as handle:
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
                sync(file)
            temporary.chmod(0o700 if side == "private" else 0o755)
            sync(temporary)
            if final.exists():
                self.discard(side, stage, key)
            temporary.rename(final)
            sync(final.parent)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def read(self, side: Side, stage: str, key: str, name: str, kind: type[Artifact]) -> Artifact:
        """Read one artifact back, checked against its manifest."""
        folder = self.folder(side, stage, key)
        arrays, facts = f"{name}.{kind.format}", f"{name}.json"
        if not {arrays, facts} <= self.verify(side, stage, key)["files"].keys():
            raise DamagedArtifact(f"{folder / name} is not in its manifest")
        read = read_safetensors if kind.format == "safetensors" else read_npz
        try:
            return kind.join(
                read(folder / arrays, follow=False), read_json(folder / facts, follow=False, infinite=True)
            )
        except ValueError as problem:
            raise DamagedArtifact(f"{folder / name} does not read as {kind.__name__}: {problem}") from None

    def discard(self, side: Side, stage: str, key: str) -> None:
        """Take an artifact away; first out of sight in one step, so that no half of it is ever seen."""
        folder = self.folder(side, stage, key)
        if folder.exists():
            trash = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=folder.parent))
            folder.rename(trash / key)
            shutil.rmtree(trash)

    def keep_error(self, stage: str, text: str) -> Path:
        """Keep what an error said where only the owner reads it."""
        descriptor, file = tempfile.mkstemp(
            prefix=f"{stage}-", suffix=".txt", dir=owned_folder(self.root / "private" / "errors")
        )
        with os.fdopen(descriptor, "w") as handle:
            handle.write(text)
        return Path(file)

    def keep_effort(self, stage: str, key: str, effort: Mapping[str, Any]) -> None:
        """How long a stage worked on private inputs, where nothing else of it is on the private side."""
        file = owned_folder(self.root / "private" / "effort") / f"{stage}-{key}"
        file.write_text(json.dumps(dict(effort)))

    def effort(self, stage: str, key: str) -> dict[str, Any]:
        """What was kept of it; not worth an error."""
        try:
            found = read_json(self.root / "private" / "effort" / f"{stage}-{key}", follow=False)
        except Unreadable:
            return {}
        return found if fits(found, dict[str, float]) else {}

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
    others = [entry for entry in file.parent.iterdir() if not entry.name.startswith((".secret", "locks"))]
    if not file.exists():  # looked for after the others: another process may be making it right now
        if others:
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
    try:
        with opened(file, follow=False) as handle:
            mode, secret = os.fstat(handle.fileno()).st_mode & 0o777, handle.read(33)
    except Unreadable as problem:
        raise ConfigError(f"{file} {problem}: put the real one back, or start a new workspace") from None
    if len(secret) != 32:
        raise ConfigError(f"{file} is not a workspace secret: put the right one back, or start a new workspace")
    if mode & 0o077:
        raise ConfigError(f"{file} can be read by others (mode {mode:o}): chmod 600 it, then run again")
    return secret


def _write_arrays(file: Path, arrays: Arrays) -> None:
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError(f"{file.stem} holds Python objects: only plain arrays are stored")
    if file.suffix == ".safetensors":
        # by Python's own write: safetensors tells of a full disk by an error that is no OSError
        file.write_bytes(save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
    else:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _sha256(file: Path, follow: bool = False) -> str:
    with opened(file, follow) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
