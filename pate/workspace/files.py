"""Files that anybody may have written: what they hold is plain arrays and plain facts, or `Unreadable`.

Nothing is unpickled, and nothing is unpacked to disk. What a file declares is held against its size before memory is
asked for, so that a small file cannot ask for much:

    npy, safetensors   exactly as long as their headers say
    npz                members stored or deflated, all together at most 256 MiB or 100 times the file
    JSON               at most 16 MiB; numbers of at most 40 digits, never NaN; nested as deep as Python's stack allows
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from pate.workspace.artifact import Arrays

_JSON = 16 << 20
_HEADER = 10_000  # bytes of an npy header; numpy's own limit
_DIGITS = 40
_ANY_SIZE, _RATIO = 256 << 20, 100
_TENSORS = {
    **{f"F{bits}": f"<f{bits // 8}" for bits in (16, 32, 64)},
    **{f"{kind}{bits}": f"<{kind.lower()}{bits // 8}" for kind in "IU" for bits in (8, 16, 32, 64)},
    "BOOL": "|b1",
}


class Unreadable(ValueError):
    """What is wrong with a file, as the end of a sentence that begins with its name; never a value it holds."""


@contextmanager
def parsing(what: str) -> Iterator[None]:
    """Whichever way a parser stumbles over hostile bytes, the file is wrong; its own words might quote a record."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception:
        raise Unreadable(f"is damaged or no {what}") from None


def opened(path: str | Path, follow: bool = True) -> io.BufferedReader:
    """A regular file: not a pipe that waits for a writer, nor a device without an end; a link only if `follow`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    except (OSError, ValueError) as error:
        linked = not follow and isinstance(error, OSError) and error.errno == errno.ELOOP
        reason = "is a symbolic link" if linked else f"cannot be opened ({getattr(error, 'strerror', 'no such name')})"
        raise Unreadable(reason) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable("is no regular file")
    return os.fdopen(descriptor, "rb")


def size_of(stream: IO[bytes]) -> int:
    return os.fstat(stream.fileno()).st_size


def most_unpacked(packed: int) -> int:
    """How many bytes a compressed file of this size may unpack to: beyond, it is a bomb or wants no compression."""
    return max(_ANY_SIZE, _RATIO * packed)


# -- facts ------------------------------------------------------------------------------------------


def read_json(path: str | Path, follow: bool = True, infinite: bool = False) -> Any:
    """What a JSON file says; Python's `Infinity` only where it is asked for."""
    with opened(path, follow) as stream:
        if size_of(stream) > _JSON:
            raise Unreadable(f"is longer than the {_JSON >> 20} MiB a JSON file may have here")
        return parsed_json(stream.read(_JSON + 1), infinite)


def parsed_json(content: bytes, infinite: bool = False) -> Any:
    with parsing("JSON"):
        text = content.decode()
        found = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=_infinite if infinite else _finite
        )
        if "\\ud" in text.lower():  # half a character could be read, and never be written again
            json.dumps(found, ensure_ascii=False).encode()
        return found


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise Unreadable(f"holds a number of more than {_DIGITS} digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text.removesuffix("inity"))
    if not math.isfinite(value):
        raise Unreadable("holds a number that is not finite")
    return value


def _infinite(text: str) -> float:
    return _finite(text) if text == "NaN" else float(text.removesuffix("inity"))


# -- arrays -----------------------------------------------------------------------------------------


def read_npy(path: str | Path, follow: bool = True) -> np.ndarray:
    with opened(path, follow) as stream:
        return _npy(stream, size_of(stream))


def read_npz(path: str | Path, follow: bool = True) -> Arrays:
    """All arrays of an npz by name."""
    with opened(path, follow) as stream, parsing("npz"), zipfile.ZipFile(stream) as archive:
        found = {}
        for name, member in _members(archive, size_of(stream)).items():
            with archive.open(member) as inner:
                found[name] = _npy(inner, member.file_size)
        return found


def npy_shape(path: str | Path) -> tuple[int, ...]:
    """The shape from the header alone, which the file's size bears out."""
    with opened(path) as stream:
        return _header(stream, size_of(stream))[1]


def npz_shape(path: str | Path, name: str) -> tuple[int, ...]:
    """The same of one array of an npz."""
    with opened(path) as stream, parsing("npz"), zipfile.ZipFile(stream) as archive:
        member = _members(archive, size_of(stream)).get(name)
        if member is None:
            raise Unreadable(f"has no array '{name}'")
        with archive.open(member) as inner:
            return _header(inner, member.file_size)[1]


def read_safetensors(path: str | Path, follow: bool = True) -> Arrays:
    with opened(path, follow) as stream:
        return _safetensors(stream, size_of(stream))


def parsed_safetensors(content: bytes) -> Arrays:
    return _safetensors(io.BytesIO(content), len(content))


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The arrays in an archive. Their names are only ever keys, so that no name leads anywhere."""
    members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise Unreadable("is compressed in a way that has no bound: save it with numpy.savez")
    if sum(member.file_size for member in members) > most_unpacked(size):
        raise Unreadable(f"unpacks to more than {_RATIO} times its size: save it with numpy.savez, uncompressed")
    found = {member.filename.removesuffix(".npy"): member for member in members}
    if len(found) < len(members):
        raise Unreadable("holds two arrays of one name")
    return found


def _npy(stream: IO[bytes], size: int) -> np.ndarray:
    dtype, shape, order = _header(stream, size)
    return _filled(stream, dtype, shape, order)


def _header(stream: IO[bytes], size: int) -> tuple[np.dtype, tuple[int, ...], Any]:
    """What an npy header says. Python would evaluate it; all there can be in it is matched here instead."""
    start = stream.read(8)
    wide = 4 if start[6:7] == b"\2" else 2
    length = int.from_bytes(stream.read(wide), "little")
    if start[:6] != b"\x93NUMPY" or start[6:] not in (b"\1\0", b"\2\0") or length > _HEADER:
        raise Unreadable("is damaged or no npy")
    text = stream.read(length).decode("latin-1")
    if re.search(r"'descr':\s*'\|?O", text):
        raise Unreadable("holds Python objects: save plain arrays")
    kind = re.search(r"'descr':\s*'([<>|=]?[biufcSU]\d{1,9})'", text)
    order = re.search(r"'fortran_order':\s*(True|False)", text)
    sizes = re.search(r"'shape':\s*\(([\dL,\s]{0,1000})\)", text)
    if kind is None or order is None or sizes is None:
        raise Unreadable("holds something else than numbers and text in plain arrays")
    with parsing("npy"):
        dtype, shape = np.dtype(kind[1]), tuple(int(one) for one in re.findall(r"\d{1,18}", sizes[1]))
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != size - 8 - wide - length:
        raise Unreadable("is shorter or longer than its header says")
    return dtype, shape, "F" if order[1] == "True" else "C"


def _safetensors(stream: IO[bytes], size: int) -> Arrays:
    """https://huggingface.co/docs/safetensors: a length, a JSON header, then the arrays without gaps."""
    length = int.from_bytes(stream.read(8), "little")
    if length > min(size - 8, _JSON):
        raise Unreadable("is damaged or no safetensors file")
    with parsing("safetensors file"):
        header = {name: entry for name, entry in parsed_json(stream.read(length)).items() if name != "__metadata__"}
        entries = sorted(header.items(), key=lambda item: tuple(item[1]["data_offsets"]))
        place, planned = 0, {}
        for name, entry in entries:
            dtype, shape = np.dtype(_TENSORS[entry["dtype"]]), tuple(entry["shape"])
            start, end = entry["data_offsets"]
            if not all(type(one) is int and one >= 0 for one in (start, end, *shape)):
                raise Unreadable("declares sizes that are none")
            if start != place or end - start != math.prod(shape) * dtype.itemsize:
                raise Unreadable("is shorter or longer than its header says")
            place, planned[name] = end, (dtype, shape)
        if 8 + length + place != size:
            raise Unreadable("is shorter or longer than its header says")
    return {name: _filled(stream, dtype, shape, "C") for name, (dtype, shape) in planned.items()}


def _filled(stream: IO[bytes], dtype: np.dtype, shape: tuple[int, ...], order: Any) -> np.ndarray:
    """An array of bytes that are there, in this machine's order, and of truths and characters that exist."""
    with parsing("array"):
        array = np.empty(shape, dtype, order=order)
        flat = array.reshape(-1, order="A").view(np.uint8).data
        done = 0
        while done < len(flat):
            read = stream.readinto(flat[done : done + (1 << 24)])  # type: ignore[attr-defined]
            if not read:
                raise Unreadable("is shorter than its header says")
            done += read
        array = array.astype(dtype.newbyteorder("="), copy=False)
        if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise Unreadable("holds truth values that are neither true nor false")
        if dtype.kind == "U" and array.size:
            codes = array.reshape(-1, order="A").view(np.uint32)
            if codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes < 0xE000)).any():
                raise Unreadable("holds text that is no Unicode")
        return array
