"""Valid files of records, as users bring them and as data sets are fetched, and the loaders that read them."""

import gzip
import hashlib
import io
import tarfile
import zipfile

import numpy as np
from scipy.io import savemat

from pate.data import clients
from pate.data.arrays import Arrays
from pate.data.cifar10 import Cifar10
from pate.data.fetch import Published, fetch
from pate.data.svhn import Svhn

CANARY, NUMBER = "CANARY", 987654  # no message may show them
RNG = np.random.default_rng(0)

# -- a user's data ------------------------------------------------------------------------------------

X = RNG.normal(size=(12, 3)).astype(np.float32)
X[3, 1] = NUMBER
Y = np.arange(12) % 2
TABLE = {
    "a": [str(NUMBER), *map(str, range(11))],
    "b": [CANARY, *"cdecdecdece"],
    "y": list("01" * 6),
    "who": list("abcdefghijkl"),
}


def npz_pool(folder):
    np.savez(folder / "pool.npz", x=X, y=Y, who=np.arange(12))


def npz_images(folder):
    np.savez_compressed(
        folder / "private.npz", x=RNG.integers(0, 255, (6, 4, 4), np.uint8), y=np.array(list("aba" * 2))
    )
    np.savez(folder / "public.npz", x=RNG.integers(0, 255, (3, 4, 4), np.uint8))


def npy_folder(folder):
    for name, array in {"x": X, "y": Y, "who": np.array([f"{CANARY}{i // 2}" for i in range(12)])}.items():
        np.save(folder / f"private_{name}.npy", array)
    np.save(folder / "public_x.npy", X[:4])


def csv_pool(folder):
    lines = [",".join(TABLE), *(",".join(row) for row in zip(*TABLE.values(), strict=True))]
    (folder / "pool.csv").write_text("\n".join(lines))


def parquet_pool(folder):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(TABLE | {"a": [float(cell) for cell in TABLE["a"]], "y": [int(cell) for cell in TABLE["y"]]})
    parquet.write_table(table, folder / "pool.parquet")


def own(folder, name="", group="who", **fields):
    data = Arrays(path=str(folder / name), **fields)
    data.sizes(), data.image_shape()
    split = data.load(group)
    for side in (split.private, split.public, split.test, split.truth):
        side.check()
    assert len(split.private.x) == len(split.private.y)
    return split


# -- known sets ---------------------------------------------------------------------------------------


def idx_bytes(array):
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.astype(np.uint8).tobytes()


def mnist(folder, ending=""):
    for name, count in (("train", 8), ("t10k", 5)):
        for kind, array in (("images-idx3", RNG.integers(0, 255, (count, 6, 6))), ("labels-idx1", np.arange(count))):
            content = idx_bytes(array)
            (folder / f"{name}-{kind}-ubyte{ending}").write_bytes(
                gzip.compress(content, mtime=0) if ending else content
            )


def cifar(folder):
    for name in Cifar10.raw:
        record = RNG.integers(0, 255, (2, 3073), np.uint8)
        record[:, 0] = [1, 9]
        (folder / name).write_bytes(record.tobytes())


def svhn(folder, compressed=True):
    for name in Svhn.raw:
        x, y = RNG.integers(0, 255, (32, 32, 3, 3), np.uint8), np.array([[1], [10], [3]], np.uint8)
        savemat(folder / name, {"X": x, "y": y}, do_compression=compressed)


def adult(folder):
    line = f"39, {CANARY}, {NUMBER}, Bachelors, 13, Never, Clerk, Not, White, Male, 2174, 0, 40, Cuba, "
    (folder / "adult.data").write_text("\n".join([line + "<=50K", line + ">50K"] * 3) + "\n\n")
    (folder / "adult.test").write_text(
        "|1x3 Cross validator\n" + "\n".join([line + "<=50K.", line + ">50K."] * 3) + "\n"
    )


def known(kind, folder):
    data = kind(path=str(folder), public=2)
    data.sizes(), data.image_shape()
    return data.load()


# -- downloads ----------------------------------------------------------------------------------------

FILES = {"one.bin": b"first" * 100, "two.bin": b"second" * 100}
SEALS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}


def archive_tgz(folder):
    with tarfile.open(folder / "toy.tgz", "w:gz") as archive:
        for name, content in FILES.items():
            info = tarfile.TarInfo(f"package/data/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def archive_whl(folder):
    with zipfile.ZipFile(folder / "toy.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(f"toy/{name}", content)


def installed(folder):
    for name, content in FILES.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))


def download(source, folder):
    """The client leaves what is in the folder; all of it arrives, or nothing."""

    def leave(command, cwd):
        for file in [*folder.glob("*.tgz"), *folder.glob("*.whl")]:
            (cwd / file.name).symlink_to(file)

    real, clients.run = clients.run, leave
    try:
        fetch("toy", folder / "made", Published(SEALS, (source(folder),)))
    finally:
        clients.run = real
    assert {file.name: file.read_bytes() for file in (folder / "made").iterdir()} == FILES
