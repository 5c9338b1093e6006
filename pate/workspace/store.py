"""Where artifacts live, each whole or not there at all. The sides are told apart in `pate.workspace.sides`.

    workspace/private/STAGE/KEY/      data, teachers, votes, data-dependent costs; mode 0700, files 0600
    workspace/release/STAGE/KEY/      what was made from public data and through a mechanism
    workspace/evaluation/STAGE/KEY/   the same with seeded noise, which protects nobody; mode 0700, files 0600
    workspace/runs/                   results.json and log of each run; the owner's, mode 0700

Keys are HMACs under a secret of the workspace, so that a key seen outside confirms no guess about private content.
Nothing is ever pickled.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from pate.errors import ConfigError, DamagedArtifact, PateError
from pate.workspace.artifact import Arrays, Artifact, fits
from pate.workspace.files import Unreadable, opened, read_json, read_npz, read_safetensors
from pate.workspace.owner import owned_folder, refuse_anothers, workspace_secret
from pate.workspace.pieces import Pieces
from pate.workspace.sides import Side, modes, move_seeded, placed
from pate.workspace.versions import MANIFEST, Newer, version_of

_MANIFEST = "manifest.json"
_WORTH_SHARING = 1 << 16  # bytes


class Store:
    """The artifacts of one workspace."""

    def __init__(self, workspace: str | Path) -> None:
        self.root = Path(workspace).absolute()
        refuse_anothers(Path(workspace))
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            _check_owned(self.root / "private")
            (self.root / "release").mkdir(exist_ok=True)
            self.secret = workspace_secret(self.root / "private" / "secret")
            if not (self.root / "evaluation").exists():
                with self.lock("evaluation", "side", lambda: None):
                    if not (self.root / "evaluation").exists():
                        move_seeded(self.root)
            _check_owned(self.root / "evaluation")
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
        """Where an artifact declared for a side lies; a key tells what was seeded from what was not."""
        apart = self.root / "evaluation" / stage / key
        return apart if side == "release" and apart.exists() else self.root / side / stage / key

    def has(self, side: Side, stage: str, key: str) -> bool:
        """Whether something is stored there, whole or damaged."""
        return self.folder(side, stage, key).exists()

    def manifest(self, side: Side, stage: str, key: str) -> dict[str, Any]:
        folder = self.folder(side, stage, key)
        try:
            if folder.is_symlink():
                raise Unreadable("is a symbolic link")
            manifest = read_json(folder / _MANIFEST, follow=False)
            version_of(manifest, MANIFEST)
            for name, digest in manifest["files"].items():
                if Path(name).name != name or not re.fullmatch("[0-9a-f]{64}", digest):
                    raise Unreadable("names what cannot lie beside it")
            if not fits(manifest["about"]["seconds"], float) or not fits(manifest["about"]["notes"], list[str]):
                raise Unreadable("tells something else than how its artifact was made")
        except Newer as problem:  # neither read nor made again
            raise PateError(f"{folder / _MANIFEST} {problem}") from None
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
        return {note for about in self.abouts(side, stage) for note in about.get("notes", [])}

    def abouts(self, side: Side, stage: str) -> list[dict[str, Any]]:
        """What is told of all a stage has stored; of what is damaged, nothing."""
        folder, found = self.root / side / stage, []
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            try:
                found.append(dict(self.manifest(side, stage, entry.name)["about"]))
            except DamagedArtifact:
                found.append({})
        return found

    @contextmanager
    def lock(self, stage: str, key: str, waiting: Callable[[], None]) -> Iterator[None]:
        """One run at a time makes an artifact; `waiting` is called once if another one is at it."""
        with self._lock_file(f"{stage}-{key}") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield  # the lock goes with the file handle, also when the process is killed

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Any number of runs at once; nothing is cleaned away from under them."""
        with self._lock_file("runs") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH)
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No run is at work, and none begins before this has ended."""
        with self._lock_file("runs") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PateError(f"a run is at work in {self.root}: clean once it has ended") from None
            yield

    def _lock_file(self, name: str) -> io.FileIO:
        file = owned_folder(self.root / "private" / "locks") / name
        return io.FileIO(os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "rb+")

    def write(
        self, side: Side, stage: str, key: str, artifacts: Mapping[str, Artifact], about: Mapping[str, Any]
    ) -> None:
        """Store a stage's artifacts of one side together: temporary name, fsync, rename."""
        side = placed(side, about["notes"])
        final, (folder_mode, file_mode) = self.root / side / stage / key, modes(side)
        for left_over in self._parent(side, stage).glob(f".{key}-*"):  # of a run that was killed while writing
            shutil.rmtree(left_over, ignore_errors=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=final.parent))
        try:
            for name, artifact in artifacts.items():
                arrays, facts = artifact.split()
                _write_arrays(temporary / f"{name}.{artifact.format}", arrays)
                (temporary / f"{name}.json").write_text(json.dumps(facts, sort_keys=True, indent=1))
            files = {file.name: _sha256(file) for file in sorted(temporary.iterdir())}
            for name, digest in files.items():
                _share(temporary / name, digest)
            (temporary / _MANIFEST).write_text(
                json.dumps({"version": MANIFEST, "files": files, "side": side, "about": dict(about)}, indent=1)
            )
            for file in temporary.iterdir():
                file.chmod(file_mode)
                sync(file)
            temporary.chmod(folder_mode)
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
        """Take an artifact away, if it is there."""
        folder = self.folder(side, stage, key)
        if folder.exists():
            take_away(folder)

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

    def last_effort(self, stage: str) -> float | None:
        """How many seconds a stage took the last time it ran here, if that is known."""
        told = [
            *(self.root / "private" / stage).glob("*/manifest.json"),
            *(self.root / "private" / "effort").glob(f"{stage}-*"),
        ]
        for file in sorted(told, key=lambda one: -one.stat().st_mtime):
            with suppress(Unreadable, KeyError, TypeError, AttributeError):
                known = read_json(file, follow=False)
                seconds = known["about"]["seconds"] if file.name == _MANIFEST else known["seconds"]
                if fits(seconds, float) and seconds > 0:
                    return float(seconds)
        return None

    def pieces(self, stage: str, key: str) -> Pieces:
        """A private place for the finished parts of a long stage, kept until the stage is stored."""
        return Pieces(self.root / "private" / stage / f"{key}.pieces")

    def _parent(self, side: Side, stage: str) -> Path:
        parent = self.root / side / stage
        if side != "release":
            return owned_folder(parent)
        parent.mkdir(exist_ok=True)
        return parent


def take_away(folder: Path) -> None:
    """First out of sight in one step, so that no half of it is ever seen."""
    trash = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    folder.rename(trash / folder.name)
    shutil.rmtree(trash)


def _check_owned(side: Path) -> None:
    for entry in owned_folder(side).iterdir():
        if entry.is_symlink() or entry.is_dir():
            owned_folder(entry)


def _write_arrays(file: Path, arrays: Arrays) -> None:
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError(f"{file.stem} holds Python objects: only plain arrays are stored")
    if file.suffix == ".safetensors":
        # by Python's own write: safetensors tells of a full disk by an error that is no OSError
        file.write_bytes(save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
    else:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _share(file: Path, digest: str) -> None:
    """Keep once what another key of the same stage and side holds byte for byte: an edit of the code, or a setting that
    changes nothing, gives features another key and no other content. Nothing stored is ever written to in place."""
    size = file.stat().st_size
    if size < _WORTH_SHARING:
        return
    shared = file.with_name(f".{file.name}")
    for other in file.parent.parent.glob(f"[!.]*/{file.name}"):
        try:
            if other.lstat().st_size == size:
                os.link(other, shared, follow_symlinks=False)
                if _sha256(shared) == digest:
                    return os.replace(shared, file)
                shared.unlink()
        except (OSError, Unreadable):  # it has just gone, is damaged, or this file system has no links
            shared.unlink(missing_ok=True)


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
