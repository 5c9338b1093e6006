"""The same few records written in every format a user may bring."""

import csv

import numpy as np
import pytest

from pate.data.arrays import Arrays

X = np.arange(40, dtype=np.float64).reshape(20, 2)
Y = np.arange(20) % 2
WHO = np.arange(20) // 2
SECRET = 987654


def write_csv(path, columns):
    with path.open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))


def write_parquet(path, columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), path)


def write(folder, form, side, x, y=None, who=None):
    """The same records in any format."""
    folder.mkdir(exist_ok=True)
    arrays = {"x": x} | ({} if y is None else {"y": y}) | ({} if who is None else {"who": who})
    if form == "npz":
        np.savez(folder / f"{side}.npz", **arrays)
    elif form == "npy":
        for key, array in arrays.items():
            np.save(folder / f"{side}_{key}.npy", array)
    else:
        columns = {"a": x[:, 0], "b": x[:, 1]} | {key: array for key, array in arrays.items() if key != "x"}
        {"csv": write_csv, "parquet": write_parquet}[form](folder / f"{side}.{form}", columns)


def arrays(path, **fields):
    return Arrays(path=str(path), **fields)


def label_of(form):
    return "y" if form in ("csv", "parquet") else None
