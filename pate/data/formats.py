"""One file of a user's own data, npz, npy, csv or parquet, as arrays or as columns of cells as they were written.

Errors name files and counts, never a value.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pate.errors import ConfigError
from pate.workspace.files import (
    Unreadable,
    most_unpacked,
    npy_shape,
    npz_shape,
    opened,
    parsing,
    read_npy,
    read_npz,
    size_of,
)

FORMATS = ("npz", "npy", "csv", "parquet")


def count(path: Path) -> int:
    """How many records a file holds, without reading them where the format allows that."""
    return shape(path)[0]


def shape(path: Path) -> tuple[int, ...]:
    """The shape of x without reading it; of a table, the number of its rows."""
    form = path.suffix.lower()
    if form == ".csv":
        state = path.stat()
        return (_csv_records(path, state.st_mtime_ns, state.st_size),)
    if form == ".parquet":
        with _parquet(path) as file:
            return (int(file.metadata.num_rows),)
    try:
        found = npy_shape(path) if form == ".npy" else npz_shape(path, "x")
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}") from None
    if not found:
        raise ConfigError(f"{path} cannot be read: it needs an array 'x' with one row per record")
    return found


def column_names(path: Path) -> tuple[str, ...]:
    """The columns of a table, or the arrays of an npz or beside an npy, without reading any."""
    form = path.suffix.lower()
    if form == ".csv":
        return tuple(name.strip() for name in next(csv_rows(path), []))
    if form == ".parquet":
        with _parquet(path) as file:
            return tuple(file.schema_arrow.names)
    if form == ".npy":
        side = path.stem.removesuffix("_x")
        return tuple(part.stem.removeprefix(f"{side}_") for part in sorted(path.parent.glob(f"{side}_*.npy")))
    try:
        with opened(path) as stream, zipfile.ZipFile(stream) as archive:
            return tuple(name.removesuffix(".npy") for name in archive.namelist())
    except (Unreadable, zipfile.BadZipFile) as problem:
        raise ConfigError(f"{path} cannot be read: {problem}") from None


def npz_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an npz; pickled objects stay closed, since opening them can run anybody's code."""
    try:
        return read_npz(path)
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}") from None


def npy_arrays(path: Path) -> dict[str, np.ndarray]:
    """`<side>_x.npy` and every `<side>_<key>.npy` beside it, by key."""
    side = path.stem.removesuffix("_x")
    arrays = {}
    for part in sorted(path.parent.glob(f"{side}_*.npy")):
        try:
            arrays[part.stem.removeprefix(f"{side}_")] = read_npy(part)
        except Unreadable as problem:
            raise ConfigError(f"{part} {problem}") from None
    return arrays


def numeric(x: np.ndarray, path: Path) -> np.ndarray:
    """Images of bytes stay bytes, everything else becomes float32 and must be finite."""
    if x.dtype.kind not in "biuf" or x.ndim not in (2, 3, 4):
        raise ConfigError(f"{path}: x must be numbers of shape (n, d), (n, h, w) or (n, h, w, 3)")
    if 0 in x.shape[1:]:
        raise ConfigError(f"{path}: records of x have shape {x.shape[1:]}, which holds no numbers")
    if x.ndim == 4 and x.shape[3] == 1:
        x = x[..., 0]
    if x.ndim == 4 and x.shape[3] != 3:
        raise ConfigError(f"{path}: records of x have shape {x.shape[1:]}; colours come last: (h, w, 3)")
    if x.dtype == np.uint8 and x.ndim > 2:
        return x
    with np.errstate(over="ignore"):
        x = x.astype(np.float64).astype(np.float32)  # the same from a file of whole numbers and from one of fractions
    broken = x.size - int(np.count_nonzero(np.isfinite(x)))
    if broken:
        raise ConfigError(f"{path}: {broken} values of x are nan or infinite as float32: repair or drop those records")
    return x


def csv_rows(path: Path) -> Iterator[list[str]]:
    """The header, then the records, without blank lines."""
    try:
        with io.TextIOWrapper(opened(path), encoding="utf-8-sig", newline="") as stream:
            for row in csv.reader(stream, strict=True):  # a quote that is not closed would swallow records
                if any("\n" in cell or "\r" in cell for cell in row):
                    raise Unreadable(
                        "has a line break within a cell, or a quote that is not closed and swallows other records: "
                        "take line breaks out of cells, or save it as parquet"
                    )
                if row:
                    yield row
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8: save it as UTF-8") from None
    except csv.Error as error:  # it tells of lines and limits, never of a cell
        raise ConfigError(f"{path} is no csv that can be read: {error}") from None


@lru_cache
def _csv_records(path: Path, changed: int, size: int) -> int:
    """Counted once for each state of the file: a csv has no header that says how long it is."""
    return max(0, sum(1 for _ in csv_rows(path)) - 1)


def csv_columns(path: Path) -> dict[str, np.ndarray]:
    """A csv's columns as text, under the names of its first line."""
    rows = csv_rows(path)
    header = [name.strip() for name in next(rows, [])]
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise ConfigError(f"{path}: its columns seem to be separated by semicolons or tabs: save it with commas")
    if not header or "" in header or len(set(header)) < len(header):
        raise ConfigError(f"{path}: the first line must name every column, each once (an index column has no name)")
    records = [[cell.strip() for cell in row] for row in rows]
    broken = sum(len(row) != len(header) for row in records)
    if broken:
        raise ConfigError(f"{path}: {broken} of {len(records)} records do not have {len(header)} cells like the header")
    columns = zip(*records, strict=True) if records else ([] for _ in header)
    return {name: np.array(column, dtype=object) for name, column in zip(header, columns, strict=True)}


def parquet_columns(path: Path) -> dict[str, np.ndarray]:
    """A parquet file's columns, as their types declare them."""
    with _parquet(path) as file:
        table = file.read(use_threads=False)  # one page after the other: each may unpack to 2 GiB, and no more
        if len(set(table.column_names)) < len(table.column_names) or "" in table.column_names:
            raise Unreadable("has two columns of the same name, or one without a name")
        return {name: _column(table.column(name)) for name in table.column_names}


def _column(column: Any) -> np.ndarray:
    """Cells by the column's declared type, each by itself: an empty cell changes no other one.

    Whole numbers and truth values stay what they are, with None for null; fractions have nan; dates are written with
    the year first, as in a csv; a duration is its seconds; everything else is text.
    """
    import pyarrow

    types = pyarrow.types
    if isinstance(column.type, pyarrow.BaseExtensionType):
        column = pyarrow.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    if types.is_nested(column.type):
        raise Unreadable("has columns of lists or records: each cell must be a number or a text")
    if types.is_dictionary(column.type):  # equal cells stay one text: a copy of each could fill the memory
        cells = np.empty(len(column), dtype=object)
        start = 0
        for chunk in column.chunks:
            texts = np.array(["", *map(_text, chunk.dictionary.to_pylist())], dtype=object)
            cells[start : start + len(chunk)] = texts[chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) + 1]
            start += len(chunk)
        return cells
    if types.is_boolean(column.type) or types.is_integer(column.type):
        return _objects(column.to_pylist())
    if types.is_floating(column.type):
        return np.array(column.cast(pyarrow.float64()).to_numpy(), dtype=np.float64)
    if types.is_duration(column.type):
        per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        whole = column.cast(pyarrow.int64()).to_pylist()
        return np.array([np.nan if cell is None else cell / per_second for cell in whole], np.float64)
    if types.is_decimal(column.type):  # how many digits a file keeps of each is no one cell's to say
        return _objects([None if cell is None else cell.normalize() for cell in column.to_pylist()])
    if getattr(column.type, "unit", "") == "ns":  # Python's dates and times end at microseconds
        micro = pyarrow.time64("us") if types.is_time(column.type) else pyarrow.timestamp("us", column.type.tz)
        column = column.cast(micro, safe=False)
    return _objects([_text(cell) for cell in column.to_pylist()])


def _objects(cells: list[Any]) -> np.ndarray:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    """A parquet file that declares no more cells than its size bears out, texts kept once each."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(f"{path.name} needs pyarrow: pip install pate-pipelines[parquet]") from error
    try:
        with opened(path) as stream, parsing("parquet file"):
            try:
                plain = parquet.ParquetFile(stream, thrift_string_size_limit=1 << 24)
                texts = [one.path for one in plain.schema if one.logical_type.type in ("STRING", "NONE")]
                width = sum(max(8, one.length) for one in plain.schema)
                meta, most = plain.metadata, most_unpacked(size_of(stream))
                groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
                rows = max(meta.num_rows, sum(group.num_rows for group in groups))
                if min([rows, *(group.num_rows for group in groups)]) < 0 or rows * width > most:
                    raise Unreadable("unpacks to more than 100 times its size: write it without dictionaries")
                if sum(abs(group.total_byte_size) for group in groups) > most:
                    raise Unreadable("unpacks to more than 100 times its size: write it without compression")
                stream.seek(0)
                yield parquet.ParquetFile(stream, read_dictionary=texts, thrift_string_size_limit=1 << 24)
            except MemoryError:  # asked for by a page, and refused
                raise Unreadable("declares more than there is memory for") from None
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}") from None
