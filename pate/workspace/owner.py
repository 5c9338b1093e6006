"""What is its owner's alone: a workspace, its folders that nobody else reads, and its secret."""

from __future__ import annotations

import os
import pwd
import secrets
import tempfile
from pathlib import Path

from pate.errors import ConfigError
from pate.workspace.files import Unreadable, opened


def refuse_anothers(workspace: Path) -> None:
    """Nobody works in somebody else's workspace: not who may not read it, nor root, whose files its owner could not."""
    begun = os.path.lexists(workspace / "private")
    hidden = os.path.isdir(workspace) and not os.access(workspace, os.X_OK)
    if not begun and not hidden:
        return
    owner = (workspace / "private" if begun else workspace).lstat().st_uid
    if owner != os.geteuid():
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"uid {owner}"
        raise ConfigError(
            f"workspace={workspace} belongs to {name}: run as {name}, or name one of your own with workspace=FOLDER"
        )


def owned_folder(folder: Path) -> Path:
    """A folder only its owner can read; refused when it is a link or open to others."""
    if folder.is_symlink():
        raise ConfigError(f"{folder} is a symbolic link: private artifacts stay in a real folder of the workspace")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode & 0o777
    if mode & 0o077:
        raise ConfigError(f"{folder} can be read by others (mode {mode:o}): chmod 700 it, then run again")
    return folder


def workspace_secret(file: Path) -> bytes:
    """The key of all hashes of a workspace: made with it, and never twice."""
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
