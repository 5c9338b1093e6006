"""Every loader with a valid sample of what it reads; `load` returns, or raises what the user would see."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from pate.aggregation.labels import Labels, read_labels
from pate.aggregation.votes import Predictions, Votes, read_votes
from pate.data import clients
from pate.data.adult import Adult
from pate.data.cifar10 import Cifar10
from pate.data.encoding import Columns
from pate.data.idx import Mnist
from pate.data.split import Private, Public, Test, Truth
from pate.data.svhn import Svhn
from pate.evaluation.evidence import Evidence
from pate.evaluation.scores import Scores
from pate.features.encoder import Encoded
from pate.features.linear import LinearEncoder
from pate.features.scattering import ScatteringEncoder
from pate.learning.checkpoint import Checkpoint
from pate.models.classifier import Classifier
from pate.models.convnet import ConvNet, build
from pate.models.kernel_machine import KernelMachine
from pate.models.neighbours import Neighbours
from pate.models.predictor import Predictor
from pate.models.tanhnet import TanhNet
from pate.models.tanhnet import build as build_tanh
from pate.release.predict import predict, published, read_inputs
from pate.report.run.panel import Panel
from pate.report.sweep.comparison import compare, print_comparison
from pate.report.sweep.jobs import begin, groups, rows
from pate.workspace.artifact import Artifact
from pate.workspace.store import Store
from tests.fuzz.data_files import (
    CANARY,
    NUMBER,
    X,
    Y,
    adult,
    archive_tgz,
    archive_whl,
    cifar,
    csv_pool,
    download,
    installed,
    known,
    mnist,
    npy_folder,
    npz_images,
    npz_pool,
    own,
    parquet_pool,
    svhn,
)

RNG = np.random.default_rng(0)
ABOUT = {"stage": "s", "seconds": 1.0, "summary": "", "notes": []}
KEY = "0" * 32


@dataclass(frozen=True)
class Target:
    """`victims` are the files to be changed, `sealed` says whose hashes are mended in the manifest beside them."""

    name: str
    make: Callable[[Path], None]
    load: Callable[[Path], object]
    victims: tuple[str, ...]
    share: float = 1.0  # of the files others get: for loaders that take long
    outside: tuple[str, ...] = field(default=())  # what the loader is asked to write


# -- votes and labels -----------------------------------------------------------------------------------

PREDICTIONS = RNG.integers(0, 4, (9, 7)).astype(np.int32)
COUNTS = np.stack([(label == PREDICTIONS).sum(axis=0) for label in range(4)], axis=1).astype(np.int32)


def checked_votes(path):
    votes = read_votes(path, 4)
    votes.check()
    return votes


def checked_labels(path):
    labels = read_labels(path, 7, 4)
    labels.check()
    return labels


# -- published students -----------------------------------------------------------------------------------

IMAGES = RNG.random((5, 8, 8)).astype(np.float32)


def weights(*shape):
    return RNG.normal(scale=0.3, size=shape).astype(np.float32)


def classifier(features, classes=3):
    return Classifier({"0.weight": weights(classes, features), "0.bias": weights(classes)}, "none")


def machine():
    return KernelMachine(weights(6, 5), weights(6, 3), 0.5, np.ones(5, np.float32), weights(3))


def neighbours():
    shares = np.abs(weights(9, 3)) + 0.1
    return Neighbours(
        weights(64), weights(64, 4), weights(9, 4), np.ones(9, np.float32), shares / shares.sum(1, keepdims=True), 3
    )


def network(empty, kind):
    return kind({name: weights(*tensor.shape) for name, tensor in empty.state_dict().items()}, [8, 8, 1])


def students():
    pca = LinearEncoder(weights(64), weights(64, 5), low=0.0, high=1.0)
    wavelets = {"scales": 2, "angles": 2, "groups": None, "flip": False}
    patches = {"mean": weights(9), "whitening": weights(9, 9), "prototypes": weights(4, 1, 3, 3)}
    seen = 4 * (1 + 4 + 4) + 16 * 4
    columns = Columns([("age", 40.0, 10.0)], [("job", ["cook", "poet"])])
    table = Predictor(LinearEncoder(), classifier(3), list("abc"), [3], "float32", vars(columns))
    images = {
        "classifier": (classifier(5), pca),
        "kernel machine": (machine(), pca),
        "neighbours": (neighbours(), LinearEncoder(low=0.0, high=1.0)),
        "convnet": (network(build([8, 8, 1], 2, 5, 3), ConvNet), LinearEncoder()),
        "tanhnet": (
            network(build_tanh([16, 16, 1], 3), lambda layers, _: TanhNet(layers, [16, 16, 1])),
            LinearEncoder(),
        ),
        "scattering": (classifier(5), ScatteringEncoder(weights(seen), weights(seen, 5), wavelets, patches)),
    }
    shapes = {"tanhnet": [16, 16]}
    made = {
        name: Predictor(encoder, model, list("abc"), shapes.get(name, [8, 8]), "float32")
        for name, (model, encoder) in images.items()
    }
    return made | {"table": table}


def student(one, folder):
    store = Store(folder / "workspace")
    store.write("release", "student", KEY, {"student": one}, ABOUT)
    for file in store.folder("release", "student", KEY).iterdir():
        file.rename(folder / file.name)
    (folder / "input.csv").write_text(f"age,job\n{NUMBER},cook\n,{CANARY}\n")
    np.save(folder / "input.npy", RNG.random((4, *one.shape)).astype(np.float32))


def ask(folder):
    """Whatever it says are probabilities."""
    found, _ = published(folder / "student.safetensors")
    given = folder / ("input.csv" if found.columns else "input.npy")
    belief = predict(found, read_inputs(given, found))
    assert belief.shape[1] == len(found.classes)
    assert np.isfinite(belief).all()


# -- the workspace ----------------------------------------------------------------------------------------

STORED: dict[str, Artifact] = {
    "private": Private(X, Y, ["0", "1"], np.array([f"{CANARY}{i}" for i in range(12)])),
    "public": Public(IMAGES, list("abc")),
    "test": Test(IMAGES),
    "truth": Truth(Y, Y),
    "features": Encoded(X),
    "encoder": students()["scattering"].encoder,
    "predictions": Predictions(PREDICTIONS, 4),
    "votes": Votes(COUNTS, PREDICTIONS),
    "labels": Labels(np.arange(4), np.arange(4), "toy"),
    "scores": Scores(list("abc"), {"pate": {"accuracy": 0.5}}),
    "predictor": students()["classifier"],
    "evidence": Evidence({"median": 3.0}, {}, [{"truth": "a", "answer": "b"}], images=np.zeros((1, 4, 4), np.uint8)),
    "panel": Panel(
        "gamma", [0.1], [5], [1e-5], [{"valid": True}], [[[[1.0]]]], [[0.9]], [[1.0]], [0, 0, 0], "r", 5, True
    ),
}


def artifact(name, folder):
    Store(folder).write("private", "stage", KEY, {"thing": STORED[name]}, ABOUT)


def read_artifact(name, folder):
    Store(folder).read("private", "stage", KEY, "thing", type(STORED[name]))


def pieces(folder):
    for index in range(3):
        Store(folder).pieces("stage", KEY).save(index, np.full(5, index, np.int32))


def read_pieces(folder):
    kept = Store(folder).pieces("stage", KEY)
    assert all(isinstance(array, np.ndarray) for array in kept.load().values())


def checkpoint(folder):
    Checkpoint(Store(folder).pieces("stage", KEY)).save({"a": X, "generator": np.arange(9, dtype=np.uint8)})


def read_checkpoint(folder):
    Checkpoint(Store(folder).pieces("stage", KEY)).load()


def job(folder):
    figures = dict.fromkeys(("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"), 1)
    method = {"name": "pate", "epsilon": 1.5, "accuracy": 0.9, "by_class": {"a": 0.5}, "delta": 1e-5}
    method |= {"guarantee": "this data set", "relation": "one record replaced by nothing", "epsilon_publishable": None}
    figures["accountants"] = [{"valid": True, "guarantee": "every data set", "epsilon": 2.5}]
    dataset = {"name": "digits", "path": None}
    found = {
        "methods": [method],
        "pate": figures,
        "quality": None,
        "stages": {"votes": {"key": "a", "reused": True}, "labels": {"key": "b", "reused": False}},
        "config": {"dataset": dataset, "student": {"_target_": "a.B", "c": [1]}, "seed": 0},
        "notes": [],
    }
    (folder / "results.json").write_text(json.dumps(found))


def read_job(folder):
    jobs = begin(folder / "nothing", None).__class__(folder, None, {}).jobs()
    rows(jobs), groups(jobs), [(one.private_data, one.stages) for one in jobs]
    with redirect_stdout(io.StringIO()):
        print_comparison(*compare([str(folder)], 1.0, folder))


def targets():
    artifacts = [
        Target(f"stored {name}", partial(artifact, name), partial(read_artifact, name), ("private/stage/*/*",), 0.5)
        for name in STORED
    ]
    asked = [
        Target(f"student {name}", partial(student, one), ask, ("student.safetensors", "student.json", "manifest.json"))
        for name, one in students().items()
    ]
    return [
        Target("npz", npz_pool, lambda folder: own(folder, "pool.npz", private=6), ("pool.npz",), 2),
        Target("npz images", npz_images, lambda folder: own(folder, group=None), ("private.npz", "public.npz")),
        Target("npy", npy_folder, own, ("*.npy",), 2),
        Target(
            "csv",
            csv_pool,
            lambda folder: own(folder, "pool.csv", private=6, label="y", classes=["0", "1"]),
            ("pool.csv",),
            2,
        ),
        Target(
            "parquet", parquet_pool, lambda folder: own(folder, "pool.parquet", private=6, label="y"), ("pool.parquet",)
        ),
        Target("idx", mnist, partial(known, Mnist), ("*-ubyte",)),
        Target("idx.gz", partial(mnist, ending=".gz"), partial(known, Mnist), ("*-ubyte.gz",)),
        Target("cifar10", cifar, partial(known, Cifar10), ("*.bin",), 0.3),
        Target("svhn", svhn, partial(known, Svhn), ("*.mat",)),
        Target("svhn plain", partial(svhn, compressed=False), partial(known, Svhn), ("*.mat",), 0.5),
        Target("adult", adult, partial(known, Adult), ("adult.*",), 0.5),
        Target("npm", archive_tgz, partial(download, lambda _: clients.Npm("toy", "package/data")), ("toy.tgz",)),
        Target("wheel", archive_whl, partial(download, lambda _: clients.PyPI("toy", "toy")), ("toy.whl",)),
        Target("installed gz", installed, partial(download, lambda folder: clients.Installed(str(folder))), ("*.gz",)),
        Target(
            "votes npz",
            lambda f: np.savez(f / "v.npz", predictions=PREDICTIONS, classes=4),
            lambda f: checked_votes(f / "v.npz"),
            ("v.npz",),
        ),
        Target("votes npy", lambda f: np.save(f / "v.npy", COUNTS), lambda f: checked_votes(f / "v.npy"), ("v.npy",)),
        Target(
            "labels",
            lambda f: np.savez(f / "l.npz", index=np.arange(5), label=np.arange(5) % 4, seeded=False, wrong=0.1),
            lambda f: checked_labels(f / "l.npz"),
            ("l.npz",),
        ),
        *asked,
        Target("input npy", partial(student, students()["classifier"]), ask, ("input.npy",)),
        Target("input csv", partial(student, students()["table"]), ask, ("input.csv",)),
        *artifacts,
        Target("pieces", pieces, read_pieces, ("private/stage/*/*.npy",), 0.5),
        Target("checkpoint", checkpoint, read_checkpoint, ("private/stage/*/*.npy",), 0.5),
        Target("secret", artifact_of_any, partial(read_artifact, "truth"), ("private/secret",), 0.2),
        Target("results.json", job, read_job, ("results.json",)),
    ]


def artifact_of_any(folder):
    artifact("truth", folder)
