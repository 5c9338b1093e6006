"""What leaves holds nothing of what is private: every private artifact is searched for in it, byte for byte."""

import json
from pathlib import Path

import numpy as np
import pytest

import pate
from tests.release.canary import found_in

WINDOW = 24  # numbers in a row that are somebody's and not chance
PEOPLE = 120
NAMES = {
    f"{name} in {code}": name.encode(code)
    for name in ("PATIENT-CANARY", "WARD-CANARY")
    for code in ("utf-8", "utf-16-le", "utf-32-le")
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A released run on a table whose private rows hold names and values that are nowhere else."""
    folder = tmp_path_factory.mktemp("clinic")
    rng = np.random.default_rng(5)
    for side, count in (("private", 2 * PEOPLE), ("public", 90), ("test", 50)):
        age = rng.normal(50, 12, count)
        dose = rng.normal(3, 1, count)
        ill = (age / 12 + dose + rng.normal(0, 0.5, count) > 7.2).astype(int)
        ward = [f"WARD-CANARY-{i % 7}" if side == "private" and i % 5 == 0 else f"ward {i % 3}" for i in range(count)]
        who = "PATIENT-CANARY" if side == "private" else side
        rows = [f"{who}-{i // 2},{age[i]:.9f},{dose[i]:.9f},{ward[i]},{['well', 'ill'][ill[i]]}" for i in range(count)]
        (folder / f"{side}.csv").write_text("\n".join(["patient,age,dose,ward,state", *rows]) + "\n")
    clinic = [
        "dataset=arrays", f"dataset.path={folder}", "dataset.label=state", "dataset.classes=[well,ill]", "delta=1e-3",
        "partition.group_by=patient", "teachers=ridge", "teachers.count=20", "student=supervised",
        "aggregator.gamma=0.5", "labels.queries=40", "dpsgd.lot=32", "dpsgd.epochs=2", "n_jobs=1",
        f"workspace={folder / 'workspace'}",
    ]  # fmt: skip
    pate.run([*clinic, f"hydra.run.dir={folder / 'run'}"])
    pate.run([*clinic, "stage=release", f"output={folder / 'leaves'}", f"hydra.run.dir={folder / 'release'}"])
    return folder


def windows(array: np.ndarray) -> dict[str, bytes]:
    """A stretch of an array, as the types and the text it might be written in; none if it could be anybody's."""
    values = array.ravel()
    start = max((len(values) - WINDOW) // 2, 0)
    part = values[start : start + WINDOW]
    enough = len(part) >= (4 if array.dtype.kind == "f" else WINDOW)
    if array.dtype.kind not in "fiu" or not enough or len(np.unique(part)) < 2:
        return {}
    kinds = {kind: part.astype(kind) for kind in ("<f4", "<f8", "<i4", "<i8", "|u1")}
    if array.dtype.kind == "f" and (part != np.round(part)).any():  # fractions as whole numbers are mostly zeros
        kinds = {kind: kinds[kind] for kind in ("<f4", "<f8")}
    told = {kind: values.tobytes() for kind, values in kinds.items()}
    return told | {"text": json.dumps(part.tolist()).encode(), "lines": ",".join(map(str, part.tolist())).encode()}


def numbers(facts: object, path: str = "") -> dict[str, bytes]:
    """Every number of a JSON document that has enough digits to be told from chance."""
    if isinstance(facts, dict):
        return {k: v for name, inner in facts.items() for k, v in numbers(inner, f"{path}.{name}").items()}
    if isinstance(facts, list):
        return {k: v for i, inner in enumerate(facts) for k, v in numbers(inner, f"{path}[{i}]").items()}
    text = repr(facts) if isinstance(facts, float) else ""
    return {path: text.encode()} if len(text) > 9 else {}


def private_canaries(workspace: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for file in sorted((workspace / "workspace" / "private").rglob("*")):
        stage = file.relative_to(workspace / "workspace" / "private").parts[0]
        if file.suffix == ".npz":
            with np.load(file) as arrays:
                for name in arrays.files:
                    found |= {f"{stage}/{file.stem}.{name} {kind}": b for kind, b in windows(arrays[name]).items()}
        elif file.suffix == ".safetensors":
            from safetensors.numpy import load_file

            arrays = load_file(file)
            for name in arrays.keys() - {"model.centres"} if stage == "consensus_student" else arrays:  # public rows
                array = arrays[name]
                found |= {f"{stage}/{file.stem}.{name} {kind}": b for kind, b in windows(array).items()}
        elif file.suffix == ".json" and file.name != "manifest.json":
            facts = json.loads(file.read_text())
            facts = {
                name: value for name, value in facts.items() if name not in ("columns", "encoder")
            }  # of public rows
            if stage == "panel":  # prices for every data set are everybody's
                every = [one["holds_for"] == "every data set" for one in facts["accountants"]]
                facts["epsilon"] = [
                    [[e for e, all_ in zip(row, every, strict=True) if not all_] for row in by_delta]
                    for by_noise in facts["epsilon"]
                    for by_delta in by_noise
                ]
            facts["prices"] = [price for price in facts.get("prices", ()) if price["holds_for"] == "this data set"]
            found |= {f"{stage}/{file.stem}{k}": v for k, v in numbers(facts).items()}
        elif file.name == "manifest.json":
            hashes = json.loads(file.read_text())["files"]
            told = [name for name in hashes if file.with_name(name).stat().st_size > 99 and not name.endswith("json")]
            found |= {f"{stage} hash of {name}": hashes[name].encode() for name in told}
    return found


def test_no_private_artifact_is_found_in_the_release(workspace):
    canaries = private_canaries(workspace)
    stages = {name.split("/")[0] for name in canaries if "/" in name}
    assert {"data", "encode", "teachers", "votes", "account", "dpsgd", "nonprivate", "compare", "panel"} <= stages
    data = {name.split()[0] for name in canaries if name.startswith(("data/", "votes/", "teachers/"))}
    assert {"data/private.x", "data/private.y", "data/truth.public_y", "data/test.x"} <= data
    assert {"votes/votes.counts", "teachers/predictions.predictions"} <= data
    for leaves in (workspace / "leaves", workspace / "leaves.zip"):
        assert found_in(leaves, canaries) == []


def test_the_search_would_find_them(workspace):
    canaries = private_canaries(workspace)
    seen = {name for _, name in found_in(workspace / "workspace" / "private", canaries)}
    assert {name.rpartition(" ")[0] for name in canaries if name.endswith(("<f4", "<f8", "<i8", "<i4", "|u1"))} <= {
        name.rpartition(" ")[0] for name in seen
    }
    leaked = workspace / "leaked.zip"
    np.savez(
        leaked.with_suffix(".npz"),
        some=np.load(next((workspace / "workspace/private/votes").rglob("votes.npz")))["counts"],
    )
    assert found_in(leaked.with_suffix(".npz"), canaries)


def test_no_name_secret_or_owners_epsilon_is_found_in_the_release(workspace):
    secret = (workspace / "workspace" / "private" / "secret").read_bytes()
    results = json.loads((workspace / "run" / "results.json").read_text())
    owners = {
        row["accountant"]: repr(row["epsilon"]).encode()
        for row in results["pate"]["accountants"]
        if row["holds_for"] == "this data set"
    }
    shown = {f"{name} as shown": f"{float(value):.3f}".encode() for name, value in owners.items()}
    planted = NAMES | {"secret": secret, "hex": secret.hex().encode()}
    for leaves in (workspace / "leaves", workspace / "leaves.zip"):
        assert found_in(leaves, planted | owners | shown) == []


def test_nor_on_the_releasable_side_of_the_workspace_or_in_its_logs(workspace):
    canaries = private_canaries(workspace)
    assert found_in(workspace / "workspace" / "release", canaries | NAMES) == []
    for log in workspace.rglob("*.log"):
        assert found_in(log, NAMES) == []


def test_it_is_what_it_says(workspace):
    card = (workspace / "leaves" / "MODEL_CARD.md").read_text()
    assert "all records of one patient replaced by nothing" in card
    assert "All of them so far" in card
    manifest = json.loads((workspace / "leaves" / "manifest.json").read_text())
    assert set(manifest["files"]) == {file.name for file in (workspace / "leaves").iterdir()} - {"manifest.json"}
