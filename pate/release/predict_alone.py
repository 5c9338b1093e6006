"""Ask the model in this folder about new inputs. It needs Python, numpy and onnxruntime, and nothing else.

    python predict.py INPUT OUTPUT

INPUT is an npy file, an npz file with an array `x`, or for a model of tables a csv with the columns MODEL_CARD.md
lists. OUTPUT is a csv with a line an input, its class and how sure the model is; or an npz with `label`, `probability`
(inputs x classes) and `classes`.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
ROWS = 256  # asked about at once, so that memory does not grow with the input
UTC = timezone.utc  # noqa: UP017, this file may meet an older Python
FARTHEST = 1e6  # standard deviations a number of a table may lie from the mean


def main(given: Path, wanted: Path) -> None:
    if not given.is_file():
        sys.exit(f"{given}: no such file")
    about = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
    if wanted.suffix.lower() not in (".csv", ".npz"):
        sys.exit(f"{wanted}: expected a name that ends in .csv or .npz")
    x = read(given, about)
    check(x, about)
    write(wanted, *ask(x, len(about["classes"])), about["classes"])


def ask(x: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The probability of each class for each input, and the class that is answered: the most probable one, unless the
    model says which."""
    try:
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError:
        sys.exit("onnxruntime is not installed here: pip install onnxruntime")
    session = onnxruntime.InferenceSession(str(FOLDER / "model.onnx"), providers=["CPUExecutionProvider"])
    parts = [session.run(None, {"input": x[start : start + ROWS]}) for start in range(0, len(x), ROWS)]
    belief = np.concatenate([np.empty((0, classes), np.float32), *(part[0] for part in parts)])
    answers = [part[1] if len(part) > 1 else part[0].argmax(axis=1) for part in parts]
    return belief, np.concatenate([np.empty(0, np.int64), *answers])


def read(path: Path, about: dict[str, Any]) -> np.ndarray:
    """Inputs as the model knows them."""
    form = path.suffix.lower()
    if form not in (".npy", ".npz", ".csv"):
        sys.exit(f"{path}: expected a file that ends in .npy, .npz or .csv")
    if (form == ".csv") != (about["columns"] is not None):
        what = f"arrays of shape {tuple(about['shape'])}" if about["columns"] is None else "tables, as csv"
        sys.exit(f"{path}: this model reads {what}")
    if form == ".csv":
        return encoded(table(path), path, **about["columns"])
    x = np.load(path, allow_pickle=False)
    if form == ".npz":
        x = x["x"]
    if x.ndim == 4 and x.shape[3] == 1:
        x = x[..., 0]
    return x if x.dtype == np.uint8 and x.ndim > 2 else x.astype(np.float32)


def table(path: Path) -> dict[str, list[str]]:
    """The columns of a csv, by the names in its first line."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        lines = [[cell.strip() for cell in line] for line in csv.reader(stream) if line]
    if not lines or "" in lines[0] or len(set(lines[0])) < len(lines[0]):
        sys.exit(f"{path}: the first line must name every column, each once")
    if any(len(line) != len(lines[0]) for line in lines):
        sys.exit(f"{path}: some lines do not have {len(lines[0])} cells like the first")
    return {name: [line[place] for line in lines[1:]] for place, name in enumerate(lines[0])}


def encoded(
    columns: dict[str, list[str]], path: Path, numeric: list[Any], categorical: list[Any], dates: Sequence[Any] = ()
) -> np.ndarray:
    """Numbers and dates standardised (a missing one is the mean), then categories one-hot (an unknown one is zeros)."""
    missing = [entry[0] for entry in [*numeric, *dates, *categorical] if entry[0] not in columns]
    if missing:
        sys.exit(f"{path} lacks {len(missing)} columns the model reads: {', '.join(missing[:5])}")
    parts, unknown = [], {}
    for (name, mean, deviation), read in [*((one, number) for one in numeric), *((one, days) for one in dates)]:
        unknown[name] = sum(math.isnan(read(cell, math.nan)) for cell in columns[name])
        values = np.array([read(cell, mean) for cell in columns[name]], np.float64)
        parts.append(np.clip((values - mean) / deviation, -FARTHEST, FARTHEST)[:, None])
    for name, categories in categorical:
        cells = [category(cell) for cell in columns[name]]
        unknown[name] = sum(cell not in categories for cell in cells)
        parts.append(np.array([[cell == known for known in categories] for cell in cells]))
        parts[-1] = parts[-1].reshape(len(cells), len(categories))
    for name, count in unknown.items():
        if count:
            print(
                f"warning: {count} of {len(columns[name])} cells of {name} hold nothing the model knows",
                file=sys.stderr,
            )
    return np.hstack(parts).astype(np.float32)


def number(cell: str, otherwise: float) -> float:
    """The finite number in a cell, or what stands for none."""
    if cell.casefold() in ("true", "false"):
        return float(cell.casefold() == "true")
    try:
        value = float(cell)
    except ValueError:
        return otherwise
    return value if math.isfinite(value) else otherwise


def category(cell: str) -> str:
    """3 and 3.0 are one, and so are 1e5 and 100000."""
    whole = re.fullmatch(r"[+]?(-?\d+)\.0*|[-+]?\d+(?:\.\d+)?[eE][-+]?\d+", cell)
    if whole is None:
        return cell
    if whole[1]:
        return whole[1] if whole[1].strip("-0") else whole[1].removeprefix("-")
    value = float(cell)
    return str(int(value)) if value.is_integer() and abs(value) < 2**63 else cell


def days(cell: str, otherwise: float) -> float:
    """Days since 1970 of a date that begins with the year, the fraction of a day of a time, or what stands for none."""
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?", cell)
    if clock is not None:
        hour, minute, second = int(clock[1]), int(clock[2]), float(clock[3] or 0)
        return (hour * 3600 + minute * 60 + second) / 86400 if hour < 24 and minute < 60 and second < 60 else otherwise
    parts = re.fullmatch(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ](.*))?", cell)
    if parts is None:
        return otherwise
    year, _, month, day, time = parts.groups()
    try:
        moment = datetime.fromisoformat(
            f"{year}-{month:0>2}-{day:0>2}" + (f"T{re.sub('Z$', '+00:00', time)}" if time else "")
        )
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() / 86400
    except (ValueError, OverflowError):
        return otherwise


def check(x: np.ndarray, about: dict[str, Any]) -> None:
    """Refuse what the model was not made for, rather than answer nonsense."""
    if list(x.shape[1:]) != about["shape"] or str(x.dtype) != about["dtype"]:
        made_for = f"{tuple(about['shape'])} {about['dtype']}"
        sys.exit(f"inputs of shape {x.shape[1:]} {x.dtype}: this model was made for {made_for}")
    if not np.isfinite(x).all():
        sys.exit("some values are nan or infinite")
    low, high = about["encoder"]["low"], about["encoder"]["high"]
    if len(x) and low is not None and high is not None and about["columns"] is None:
        far = high - low
        if x.min() < low - far or x.max() > high + far:
            sys.exit(f"some values lie far outside: this model was made for {low:g} to {high:g}")


def write(path: Path, belief: np.ndarray, answer: np.ndarray, classes: list[str]) -> None:
    if path.suffix.lower() == ".npz":
        np.savez(path, label=answer, probability=belief, classes=np.array(classes))
        return
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(["row", "class", "probability"])
        lines.writerows((row, classes[one], f"{belief[row, one]:.4f}") for row, one in enumerate(answer))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
