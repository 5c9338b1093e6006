"""Canaries: bytes that nothing else holds, put where private things are, and looked for in what leaves."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

LEAST = 4  # bytes in a row that count as a find


def opened(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, or one file, as it is and with all that is packed in it unpacked, however deep."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            yield from _unpacked(str(file), file.read_bytes())


def found_in(path: Path, canaries: dict[str, bytes]) -> list[tuple[str, str]]:
    """Which canary was seen where, in content and in names."""
    assert all(len(canary) >= LEAST for canary in canaries.values())
    return [
        (where, name)
        for where, content in opened(path)
        for name, canary in canaries.items()
        if canary in content or canary in where.encode()
    ]


def of_array(array: np.ndarray) -> dict[str, bytes]:
    """How numbers would show, as the types and texts in use."""
    values = array.ravel()[:4]
    kinds = {kind: values.astype(kind).tobytes() for kind in ("<f4", "<f8", "<i8", "<i4")}
    return kinds | {"text": ", ".join(str(value) for value in values[:2].tolist()).encode()}


def _unpacked(where: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    yield where, content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield from _unpacked(f"{where}/{name}", archive.read(name))
    elif content[:2] == b"\x1f\x8b":
        yield f"{where} (gzip)", zlib.decompress(content, 31)
