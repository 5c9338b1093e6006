"""One file of a user's own data: npz, npy, csv or parquet. Errors name files, columns and counts, never a value.

A csv without a header would show a record where its column names are expected, so they are not shown either.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pate.data.table import tabulated
from pate.errors import ConfigError

FORMATS = ("npz", "npy", "csv", "parquet")


@dataclass(frozen=True)
class Raw:
    """What a file holds: x as numbers or as a table, labels and groups as they were written."""

    where: str
    x: np.ndarray
    labels: np.ndarray | None
    group: np.ndarray | None


def read(path: Path, label: str | None, group_by: str | None) -> Raw:
    """Read one file; for npy that is `<side>_x.npy` and its neighbours `<side>_y.npy`, `<side>_<group>.npy`."""
    form = path.suffix.lower()
    if form in (".csv", ".parquet"):
        columns = csv_columns(path) if form == ".csv" else parquet_columns(path)
        return _table(path, columns, label, group_by)
    if label is not None:
        raise ConfigError(f"dataset.label={label} names a column of csv or parquet; {path.name} has its labels as 'y'")
    arrays = npz_arrays(path) if form == ".npz" else npy_arrays(path)
    if "x" not in arrays:
        raise ConfigError(f"{path} has no array 'x': save it with numpy.savez(file, x=..., y=...)")
    return Raw(str(path), numeric(arrays["x"], path), arrays.get("y"), arrays.get(group_by) if group_by else None)


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
        return (int(_pyarrow_file(path).metadata.num_rows),)
    try:
        if form == ".npy":
            found = np.load(path, mmap_mode="r", allow_pickle=False).shape
        else:
            with zipfile.ZipFile(path) as archive, archive.open("x.npy") as stream:
                one = np.lib.format.read_magic(stream) == (1, 0)
                header = np.lib.format.read_array_header_1_0 if one else np.lib.format.read_array_header_2_0
                found = header(stream)[0]
        int(found[0])
        return tuple(found)
    except (ValueError, OSError, EOFError, KeyError, IndexError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{path} cannot be read: it needs an array 'x' with one row per record") from error


def npz_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an npz; pickled objects stay closed, since opening them can run anybody's code."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{path} is damaged, no npz, or holds Python objects: save plain arrays") from error


def npy_arrays(path: Path) -> dict[str, np.ndarray]:
    """`<side>_x.npy` and every `<side>_<key>.npy` beside it, by key."""
    side = path.stem.removesuffix("_x")
    arrays = {}
    for part in sorted(path.parent.glob(f"{side}_*.npy")):
        try:
            arrays[part.stem.removeprefix(f"{side}_")] = np.load(part, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ConfigError(f"{part} is damaged, no npy, or holds Python objects: save a plain array") from error
    return arrays


def numeric(x: np.ndarray, path: Path) -> np.ndarray:
    """Images of bytes stay bytes, everything else becomes float32 and must be finite."""
    if x.dtype.kind not in "biuf" or x.ndim not in (2, 3, 4):
        raise ConfigError(f"{path}: x must be numbers of shape (n, d), (n, h, w) or (n, h, w, 3)")
    if x.ndim == 4 and x.shape[3] == 1:
        x = x[..., 0]
    if x.ndim == 4 and x.shape[3] != 3:
        raise ConfigError(f"{path}: records of x have shape {x.shape[1:]}; colours come last: (h, w, 3)")
    if x.dtype == np.uint8 and x.ndim > 2:
        return x
    with np.errstate(over="ignore"):
        x = x.astype(np.float32)
    broken = x.size - int(np.count_nonzero(np.isfinite(x)))
    if broken:
        raise ConfigError(f"{path}: {broken} values of x are nan or infinite as float32: repair or drop those records")
    return x


def csv_rows(path: Path) -> Iterator[list[str]]:
    """The header, then the records, without blank lines."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            yield from (row for row in csv.reader(stream) if row)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: save it as UTF-8") from error
    except csv.Error as error:
        raise ConfigError(f"{path} is no csv that can be read: {error}") from error


@lru_cache
def _csv_records(path: Path, changed: int, size: int) -> int:
    """Counted once for each state of the file: a csv has no header that says how long it is."""
    return max(0, sum(1 for _ in csv_rows(path)) - 1)


def csv_columns(path: Path) -> dict[str, np.ndarray]:
    """A csv's columns as text, under the names of its first line."""
    rows = csv_rows(path)
    header = [name.strip() for name in next(rows, [])]
    if not header or "" in header or len(set(header)) < len(header):
        raise ConfigError(f"{path}: the first line must name every column, each once (an index column has no name)")
    records = [[cell.strip() for cell in row] for row in rows]
    broken = sum(len(row) != len(header) for row in records)
    if broken:
        raise ConfigError(f"{path}: {broken} of {len(records)} records do not have {len(header)} cells like the header")
    columns = zip(*records, strict=True) if records else ([] for _ in header)
    return {name: np.array(column, dtype=object) for name, column in zip(header, columns, strict=True)}


def parquet_columns(path: Path) -> dict[str, np.ndarray]:
    """A parquet file's columns: numbers as numbers, everything else as text, null as blank or nan."""
    table = _pyarrow_file(path).read()
    if len(set(table.column_names)) < len(table.column_names):
        raise ConfigError(f"{path}: two columns have the same name")
    columns = {}
    for name in table.column_names:
        column = table.column(name).to_numpy()
        if column.dtype.kind not in "biuf":
            cells = table.column(name).to_pylist()
            column = np.array(["" if cell is None else str(cell) for cell in cells], dtype=object)
        columns[name] = column
    return columns


def _pyarrow_file(path: Path) -> Any:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError as error:
        raise ConfigError(f"{path.name} needs pyarrow: pip install pate-pipelines[parquet]") from error
    try:
        return parquet.ParquetFile(path)
    except (ArrowInvalid, OSError) as error:
        raise ConfigError(f"{path} is damaged or no parquet file") from error


def _table(path: Path, columns: dict[str, np.ndarray], label: str | None, group_by: str | None) -> Raw:
    labels = columns.pop(label, None) if label else None
    group = columns.pop(group_by, None) if group_by else None
    if not columns:
        raise ConfigError(f"{path} has no feature columns besides the label and the group")
    return Raw(str(path), tabulated(columns), labels, group)
