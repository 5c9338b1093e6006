"""predict: a published student answers about new inputs. It needs its own two files and nothing else."""

from __future__ import annotations

import csv
import hashlib
import logging
from pathlib import Path

import numpy as np

from pate.data.encoding import Columns
from pate.data.formats import csv_columns, npz_arrays, numeric, parquet_columns
from pate.data.table import tabulated
from pate.errors import ConfigError
from pate.models.model import Floats
from pate.models.predictor import Predictor
from pate.progress import progress
from pate.release.contents import STAGE
from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable, opened, read_json, read_npy, read_safetensors
from pate.workspace.versions import MANIFEST, RELEASE, Newer, version_of

log = logging.getLogger("pate")
INPUTS = (".npy", ".npz", ".csv", ".parquet")
OUTPUTS = (".csv", ".npz")
_ROUNDING = 1e-3  # of probabilities, in single precision


def located(path: Path) -> Path:
    """The safetensors file of a student, by itself or by its folder."""
    return path if path.is_file() else _only(path)


def published(path: Path) -> tuple[Predictor, list[str]]:
    """A student by its folder or its safetensors file, checked against the manifest beside it if there is one.

    And what that manifest notes: a student of seeded noise says so wherever it goes.
    """
    if path.suffix == ".zip" and path.is_file():
        raise ConfigError(f"student_path={path}: unpack it, and name the folder that is in it")
    file = located(path)
    facts, manifest, notes = file.with_suffix(".json"), file.with_name("manifest.json"), []
    if not facts.is_file():
        raise ConfigError(f"student_path={path}: {facts.name} must lie beside {file.name}")
    try:
        if manifest.is_file():
            told = read_json(manifest)
            version_of(told, RELEASE if told["about"]["stage"] == STAGE else MANIFEST)
            notes, digests = told["about"]["notes"], told["files"]
            if not fits(notes, list[str]) or not all(note.isprintable() for note in notes):
                raise Unreadable("notes what cannot be shown")
            for name in (file.name, facts.name):
                with opened(file.with_name(name)) as stream:
                    if hashlib.file_digest(stream, "sha256").hexdigest() != digests[name]:
                        raise ConfigError(f"student_path={path}: {name} does not match its manifest: fetch it again")
        return Predictor.join(read_safetensors(file), read_json(facts)), notes
    except Newer as problem:
        raise ConfigError(f"student_path={path} {problem}") from None
    except (ValueError, KeyError, TypeError) as error:
        reason = f": {error}" if isinstance(error, ValueError) else ""
        raise ConfigError(f"student_path={path} is not a student of this program, or damaged{reason}") from None


def read_inputs(path: Path, student: Predictor) -> np.ndarray:
    """Inputs as the student knows them: arrays from npy or npz (`x`), rows of a table from csv or parquet."""
    form = path.suffix.lower()
    if form in (".csv", ".parquet"):
        return _rows(path, csv_columns(path) if form == ".csv" else parquet_columns(path), student)
    if student.columns is not None:
        raise ConfigError(f"input={path}: this student reads tables with its columns, as csv or parquet")
    if form == ".npz":
        arrays = npz_arrays(path)
        if "x" not in arrays:
            raise ConfigError(f"input={path} has no array 'x': save it with numpy.savez(file, x=...)")
        x = arrays["x"]
    else:
        try:
            x = read_npy(path)
        except Unreadable as problem:
            raise ConfigError(f"input={path} {problem}") from None
    return numeric(x, path)


def predict(student: Predictor, inputs: np.ndarray, views: bool = False) -> Floats:
    """The probability of each class for each input; with `views`, averaged over moved copies of it."""
    with progress("inputs encoded", len(inputs)) as advance:
        try:
            rows = student.rows(inputs, advance)
        except ValueError as error:
            raise ConfigError(f"input: {error}") from error
    with np.errstate(all="ignore"):  # what overflows is found below
        belief = student.model.views(rows) if views else student.model.proba(rows)
    if belief is None:
        raise ConfigError("views=true: this student was not trained to look at moved copies; leave it out")
    sure = np.isfinite(belief).all(axis=1) & (belief >= -_ROUNDING).all(axis=1)
    sure &= np.abs(belief.sum(axis=1) - 1) < _ROUNDING
    if not sure.all():
        raise ConfigError(
            f"the student's answers about {int((~sure).sum())} inputs are no probabilities: it is damaged"
        )
    return belief


def write(path: Path, belief: Floats, answer: np.ndarray, classes: list[str], owners: bool = False) -> None:
    """csv: a line an input, the class that is answered and how probable it is; npz: `label` and the whole `probability`
    (inputs x classes). What an owner's model answers nobody else can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}")
    if path.suffix.lower() == ".npz":
        with temporary.open("wb") as file:
            np.savez(file, label=answer, probability=belief, classes=np.array(classes))
    else:
        with temporary.open("w", newline="", encoding="utf-8") as stream:
            lines = csv.writer(stream)
            lines.writerow(["row", "class", "probability"])
            lines.writerows((row, classes[one], f"{belief[row, one]:.4f}") for row, one in enumerate(answer))
    if owners:
        temporary.chmod(0o600)
    temporary.rename(path)


def _only(folder: Path) -> Path:
    found = sorted(folder.glob("*.safetensors"))
    if not found and (below := sorted(folder.glob("*/*.safetensors"), key=lambda file: -file.stat().st_mtime)):
        raise ConfigError(
            f"student_path={folder} holds {len(below)} students: name one; the newest is {below[0].parent}"
        )
    if len(found) != 1:
        raise ConfigError(f"student_path={folder} holds {len(found)} safetensors files: name the one to use")
    return found[0]


def _rows(path: Path, columns: dict[str, np.ndarray], student: Predictor) -> np.ndarray:
    """Whatever other columns there are, a label's for instance, are not looked at."""
    if student.columns is None:
        raise ConfigError(f"input={path} is a table: this student reads arrays of {tuple(student.shape)}, npy or npz")
    known = Columns.of(student.columns)
    missing = [name for name in known.names if name not in columns]
    if missing:
        raise ConfigError(f"input={path} lacks {len(missing)} columns the student reads: {', '.join(missing[:5])}")
    table = tabulated(columns)
    for name, count in known.unknown(table).items():
        log.warning("  %s: %d of %d cells hold nothing the student knows", name, count, len(table))
    return known.transform(table)
