"""Plain arrays of a MATLAB file, version 5, as SVHN's are: read here, since what it declares is checked before it is
believed. https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from pate.workspace.artifact import Arrays
from pate.workspace.files import Unreadable, most_unpacked, opened, parsing, size_of

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}  # as stored
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}  # as meant
_MATRIX, _COMPRESSED, _COMPLEX = 14, 15, 0x0800
_START = 1 << 12  # bytes that hold whatever comes before an array's numbers


def read_mat(path: Path) -> Arrays:
    """All arrays of numbers by name; a file that holds anything else is not one of those read here."""
    with opened(path) as stream, parsing("MATLAB file"):
        return dict(_array(content) for content in _matrices(stream, None))


def mat_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Their shapes, from the start of each."""
    with opened(path) as stream, parsing("MATLAB file"):
        return {name: shape for name, shape, _, _ in (_header(content) for content in _matrices(stream, _START))}


def _matrices(stream: IO[bytes], most: int | None) -> Iterator[bytes]:
    """What each matrix of the file holds, or the start of it, unpacked; never more than the file's size allows."""
    left, start = most_unpacked(size_of(stream)), stream.read(128)
    if start[124:128] != b"\0\1IM":
        raise Unreadable("is no MATLAB file of version 5")
    while tag := stream.read(8):
        kind, size = _words(tag)
        end = stream.tell() + size
        if end > size_of(stream):
            raise Unreadable("ends before its arrays do")
        if kind == _COMPRESSED:
            unpacking = zlib.decompressobj()
            content = unpacking.decompress(stream.read(size), max(left, 1) if most is None else most)
            if most is None and not unpacking.eof:
                raise Unreadable("ends before its arrays do, or unpacks to more than 100 times its size")
            (kind, _), content = _words(content), content[8:]
        else:
            content = stream.read(size if most is None else min(size, most))
        if kind != _MATRIX:
            raise Unreadable("holds something else than arrays")
        left -= len(content)
        yield content
        stream.seek(end)


def _array(content: bytes) -> tuple[str, np.ndarray]:
    name, shape, meant, place = _header(content)
    kind, start, end, _ = _element(content, place)
    stored = np.dtype(f"<{_TYPES[kind]}")
    if end > len(content) or math.prod(shape) * stored.itemsize != end - start:
        raise Unreadable("is shorter or longer than its header says")
    numbers = np.frombuffer(content, stored, math.prod(shape), start)
    return name, numbers.astype(meant, copy=False).reshape(shape, order="F")


def _header(content: bytes) -> tuple[str, tuple[int, ...], np.dtype, int]:
    """Name, shape and type of a matrix, and where its numbers begin."""
    _, start, _, place = _element(content, 0)
    flags = int.from_bytes(content[start : start + 4], "little")
    _, start, end, place = _element(content, place)
    shape = tuple(int(size) for size in np.frombuffer(content[start:end], "<i4"))
    _, start, end, place = _element(content, place)
    name = content[start:end].decode("ascii")
    if flags & 0xFF not in _CLASSES or flags & _COMPLEX or len(shape) < 2 or min(shape) < 0:
        raise Unreadable("holds something else than arrays of numbers")
    return name, shape, np.dtype(_CLASSES[flags & 0xFF]), place


def _element(content: bytes, place: int) -> tuple[int, int, int, int]:
    """The type of an element, where its data begins and ends, and the next element; up to 4 bytes lie in the tag."""
    kind, size = _words(content[place : place + 8])
    if 0 < kind >> 16 <= 4:
        return kind & 0xFFFF, place + 4, place + 4 + (kind >> 16), place + 8
    return kind, place + 8, place + 8 + size, place + 8 + -size % 8 + size


def _words(tag: bytes) -> tuple[int, int]:
    return int.from_bytes(tag[:4], "little"), int.from_bytes(tag[4:8], "little")
