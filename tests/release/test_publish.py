"""A release on disk: whole, hashed, the same every time, and never over somebody's work."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

import pate.release.publish as publishing
from pate.aggregation.labels import Labels, read_labels
from pate.errors import ConfigError
from pate.release.contents import contents, fingerprint
from pate.release.predict import predict, published
from pate.release.publish import publish
from tests.release.canary import found_in, of_array
from tests.release.made_up import LABELS, STATEMENT
from tests.release.predictors import plain, predictor


@pytest.fixture(scope="module")
def files():
    return contents(plain(), LABELS, STATEMENT, ["a note of the run"])


def test_the_manifest_tells_every_file(files, tmp_path):
    publish(tmp_path / "out", files)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    there = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir() if file.name != "manifest.json"}
    assert manifest["files"] == {name: hashlib.sha256(content).hexdigest() for name, content in there.items()}
    assert manifest["bytes"] == {name: len(content) for name, content in there.items()}
    assert manifest["about"]["stage"] == "release"
    assert manifest["about"]["notes"] == ["a note of the run"]
    assert set(there) == {
        "MODEL_CARD.md", "model.safetensors", "model.json", "model.onnx", "predict.py", "labels.npz"
    }  # fmt: skip


def test_pate_itself_reads_the_folder(files, tmp_path):
    publish(tmp_path / "out", files)
    student, notes = published(tmp_path / "out")
    assert notes == ["a note of the run"]
    x = np.array([[0.5, 0.1, 0.9]], np.float32)
    np.testing.assert_array_equal(predict(student, x), predict(plain(), x))


def test_the_labels_can_be_learned_from_again(files, tmp_path):
    publish(tmp_path / "out", files)
    again = read_labels(tmp_path / "out" / "labels.npz", pool=4, classes=2)
    np.testing.assert_array_equal(again.index, LABELS.index)
    np.testing.assert_array_equal(again.label, LABELS.label)
    assert float(again.wrong) == 0.25


def test_the_same_release_is_the_same_bytes(tmp_path):
    one = [contents(predictor("kernel", "pca"), LABELS, STATEMENT, ["a"]) for _ in range(2)]
    assert one[0] == one[1]
    assert fingerprint(one[0]) == fingerprint(one[1]) != fingerprint(contents(plain(), LABELS, STATEMENT, ["a"]))
    first, second = (publish(tmp_path / place / "out", one[0]).read_bytes() for place in ("here", "there"))
    assert first == second


def test_the_zip_holds_the_folder(files, tmp_path):
    with zipfile.ZipFile(publish(tmp_path / "out", files)) as archive:
        entries = archive.infolist()
        assert [entry.filename for entry in entries] == sorted(f"out/{name}" for name in files)
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        assert {name.removeprefix("out/"): archive.read(name) for name in archive.namelist()} == files


def test_what_leaves_can_be_read_by_others(files, tmp_path):
    archive = publish(tmp_path / "out", files)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755
    assert {file.stat().st_mode & 0o777 for file in [archive, *(tmp_path / "out").iterdir()]} == {0o644}


def test_a_release_that_is_there_is_left_alone(files, tmp_path):
    archive = publish(tmp_path / "out", files)
    before = {file: file.stat().st_ino for file in [archive, *(tmp_path / "out").iterdir()]}
    assert publish(tmp_path / "out", files) == archive
    assert before == {file: file.stat().st_ino for file in [archive, *(tmp_path / "out").iterdir()]}
    archive.unlink()
    assert publish(tmp_path / "out", files).is_file()


def test_an_earlier_release_is_replaced(files, tmp_path):
    archive = publish(tmp_path / "out", files)
    before = archive.read_bytes()
    publish(tmp_path / "out", contents(plain(), None, STATEMENT))
    assert not (tmp_path / "out" / "labels.npz").exists()
    assert archive.read_bytes() != before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out", "out.zip"]


@pytest.mark.parametrize("theirs", ["thesis.tex", "manifest.json", "sub/thesis.tex"])
def test_somebodys_work_is_not_touched(files, tmp_path, theirs):
    file = tmp_path / "out" / theirs
    file.parent.mkdir(parents=True)
    file.write_text('{"about": {"stage": "student"}, "files": {}}')
    with pytest.raises(ConfigError, match="something else"):
        publish(tmp_path / "out", files)
    assert file.read_text().startswith("{")
    assert not (tmp_path / "out.zip").exists()


def test_a_file_added_to_a_release_keeps_it(files, tmp_path):
    publish(tmp_path / "out", files)
    (tmp_path / "out" / "my_notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="something else"):
        publish(tmp_path / "out", contents(plain(), None, STATEMENT))
    assert (tmp_path / "out" / "my_notes.txt").read_text() == "mine"


def foreign(manifest, flags=0):
    """A zip that holds a manifest of whatever kind, said to be encrypted or not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
    content = bytearray(stream.getvalue())
    for header, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(header) + place] |= flags
    return bytes(content)


@pytest.mark.parametrize("content", [b"not a zip", b"", foreign("{}", 1), foreign("[" * 100_000), foreign("1" * 5000)])
def test_a_foreign_zip_is_not_touched(files, tmp_path, content):
    (tmp_path / "out.zip").write_bytes(content)
    with pytest.raises(ConfigError, match="in the way"):
        publish(tmp_path / "out", files)
    assert (tmp_path / "out.zip").read_bytes() == content


def test_a_file_or_a_link_is_no_folder(files, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("file", "link"):
        with pytest.raises(ConfigError, match="name a folder"):
            publish(tmp_path / name, files)


def test_a_failure_leaves_what_was_there(files, tmp_path, monkeypatch):
    publish(tmp_path / "out", files)

    def full(file, content):
        raise OSError("no space left")

    monkeypatch.setattr(publishing, "_write", full)
    with pytest.raises(OSError, match="space"):
        publish(tmp_path / "out", contents(plain(), None, STATEMENT))
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == files
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out", "out.zip"]


def test_nothing_else_than_what_was_handed_over_leaves(files, tmp_path):
    """The search finds what is there: a label, wherever it is packed. And what was not handed over it does not find."""
    rng = np.random.default_rng(0)
    secret = {"record": 1e6 * rng.normal(size=8), "votes": rng.integers(10**6, 10**9, 8)}
    canaries = {f"{name} {kind}": seen for name, array in secret.items() for kind, seen in of_array(array).items()}
    handed = Labels(secret["votes"], np.arange(8), "LNMax")
    publish(tmp_path / "told" / "out", contents(plain(), handed, STATEMENT))
    hits = found_in(tmp_path / "told", canaries)
    assert {name for _, name in hits} == {"votes <i8"}
    assert any("out.zip/out/labels.npz/index.npy" in where for where, _ in hits)
    publish(tmp_path / "kept" / "out", files)
    assert found_in(tmp_path / "kept", canaries) == []
