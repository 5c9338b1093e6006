"""Artifacts are whole or not there, are checked when read, and the private side is the owner's alone."""

import hashlib
import json
import os
import stat
import threading
from dataclasses import dataclass

import numpy as np
import pytest

from pate.errors import ConfigError, DamagedArtifact
from pate.models.classifier import Classifier
from pate.workspace.artifact import Artifact
from pate.workspace.store import Store


@dataclass(frozen=True)
class Thing(Artifact):
    values: np.ndarray
    words: list[str]
    extra: np.ndarray | None = None


ABOUT = {"seconds": 1.0, "summary": "", "notes": []}
THING = Thing(np.arange(6).reshape(2, 3), ["a", "b"])


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "workspace")


def write(store, side="private", value=THING):
    store.write(side, "stage", "key", {"thing": value}, ABOUT)
    return store.folder(side, "stage", "key")


def test_what_is_written_is_read_back(store):
    write(store)
    thing = store.read("private", "stage", "key", "thing", Thing)
    np.testing.assert_array_equal(thing.values, THING.values)
    assert thing.words == ["a", "b"]
    assert thing.extra is None


def test_classifiers_are_safetensors(store):
    layers = {"0.weight": np.ones((3, 2), np.float32), "0.bias": np.zeros(3, np.float32)}
    store.write("release", "student", "key", {"student": Classifier(layers, "none")}, ABOUT)
    assert (store.folder("release", "student", "key") / "student.safetensors").is_file()
    model = store.read("release", "student", "key", "student", Classifier)
    np.testing.assert_array_equal(model.layers["0.weight"], layers["0.weight"])


@pytest.mark.parametrize("file", ["thing.npz", "thing.json"])
@pytest.mark.parametrize("damage", ["flip", "truncate", "remove"])
def test_a_damaged_artifact_is_named_not_used(store, file, damage):
    path = write(store) / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(content if damage == "flip" else content[:-3])
    with pytest.raises(DamagedArtifact, match=file):
        store.read("private", "stage", "key", "thing", Thing)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"files": {}, "about": {}}', '{"files": [], "about": 3}'])
def test_a_damaged_manifest_is_damage(store, text):
    (write(store) / "manifest.json").write_text(text)
    with pytest.raises(DamagedArtifact, match="manifest"):
        store.read("private", "stage", "key", "thing", Thing)


def test_pickled_arrays_are_refused_even_with_a_right_manifest(store):
    folder = write(store)
    np.savez(folder / "thing.npz", values=np.array([{"a": 1}], dtype=object))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["thing.npz"] = hashlib.sha256((folder / "thing.npz").read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DamagedArtifact, match="Python objects"):
        store.read("private", "stage", "key", "thing", Thing)


def test_a_failed_write_leaves_nothing(store, monkeypatch):
    monkeypatch.setattr(np, "savez", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write(store)
    assert not store.has("private", "stage", "key")
    assert list((store.root / "private" / "stage").iterdir()) == []


def test_writing_again_replaces(store):
    write(store)
    first = store.identity("stage", "key", ["private"])
    write(store, value=Thing(np.zeros(2), []))
    assert store.identity("stage", "key", ["private"]) != first
    assert store.read("private", "stage", "key", "thing", Thing).words == []


def test_equal_content_has_equal_identity(store):
    write(store)
    first = store.identity("stage", "key", ["private"])
    write(store)
    assert store.identity("stage", "key", ["private"]) == first


def test_private_is_the_owners_and_release_is_not_hidden(store):
    old = os.umask(0o077)
    try:
        private, release = write(store, "private"), write(store, "release")
    finally:
        os.umask(old)
    for path in [store.root / "private", private.parent, private, *private.iterdir()]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE((release / "thing.npz").stat().st_mode) == 0o644
    assert stat.S_IMODE((store.root / "private" / "secret").stat().st_mode) == 0o600


def test_a_private_side_open_to_others_is_refused(tmp_path):
    (tmp_path / "private").mkdir(mode=0o755)
    (tmp_path / "private").chmod(0o755)
    with pytest.raises(ConfigError, match="chmod 700"):
        Store(tmp_path)


def test_a_private_side_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "private").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="symbolic link"):
        Store(tmp_path)


def test_a_lost_secret_is_an_error_not_a_fresh_start(store):
    write(store)
    (store.root / "private" / "secret").unlink()
    with pytest.raises(ConfigError, match="secret is gone"):
        Store(store.root)


def test_one_run_at_a_time_makes_an_artifact(store):
    waited = []
    with store.lock("stage", "key", lambda: waited.append("first")):
        other = threading.Thread(target=lambda: store.lock("stage", "key", lambda: waited.append("second")).__enter__())
        other.start()
        other.join(timeout=0.3)
        assert other.is_alive()
    other.join(timeout=120)
    assert not other.is_alive()
    assert waited == ["second"]


def test_what_a_killed_writer_left_is_swept(store):
    left = store.folder("private", "stage", "key").parent / ".key-abc"
    write(store)
    left.mkdir()
    write(store)
    assert not left.exists()


def test_keys_depend_on_the_workspace_secret(tmp_path):
    a, b = Store(tmp_path / "a"), Store(tmp_path / "b")
    assert a.key("same") == Store(tmp_path / "a").key("same")
    assert a.key("same") != b.key("same")
    assert a.key("same") != a.key("other")


def resealed(folder, name):
    """The manifest as somebody would mend it who changed a file."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["thing.npz", "thing.json", "manifest.json"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_of_the_store_is_not_read(store, tmp_path, name, kind):
    file = write(store) / name
    file.rename(tmp_path / name)
    if kind == "link":
        file.symlink_to(tmp_path / name)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    with pytest.raises(DamagedArtifact, match="symbolic link" if kind == "link" else "no regular file"):
        store.read("private", "stage", "key", "thing", Thing)


def test_links_inside_the_private_side_are_refused(store, tmp_path):
    folder = write(store)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedArtifact, match="symbolic link"):
        store.read("private", "stage", "key", "thing", Thing)
    folder.unlink()
    folder.parent.rename(tmp_path / "stage")
    folder.parent.symlink_to(tmp_path / "stage")
    with pytest.raises(ConfigError, match="symbolic link"):
        Store(store.root)


def test_a_lock_that_is_a_link_is_not_followed(store, tmp_path):
    (tmp_path / "precious").write_text("kept")
    (store.root / "private" / "locks").mkdir(mode=0o700, exist_ok=True)
    (store.root / "private" / "locks" / "stage-key").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError), store.lock("stage", "key", lambda: None):
        pass
    assert (tmp_path / "precious").read_text() == "kept"


def test_the_secret_is_a_file_of_the_owners(store, tmp_path):
    secret = store.root / "private" / "secret"
    secret.chmod(0o640)
    with pytest.raises(ConfigError, match=r"can be read by others .* chmod 600"):
        Store(store.root)
    secret.chmod(0o600)
    secret.rename(tmp_path / "secret")
    secret.symlink_to(tmp_path / "secret")
    with pytest.raises(ConfigError, match="secret is a symbolic link"):
        Store(store.root)


def test_a_file_that_is_not_in_the_manifest_is_not_read(store):
    folder = write(store)
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["files"]["thing.npz"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DamagedArtifact, match="not in its manifest"):
        store.read("private", "stage", "key", "thing", Thing)


@pytest.mark.parametrize("name", ["../thing.npz", "/etc/passwd", "a/b"])
def test_a_manifest_leads_nowhere_else(store, name):
    folder = write(store)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DamagedArtifact, match="manifest unreadable"):
        store.read("private", "stage", "key", "thing", Thing)


@pytest.mark.parametrize(
    "facts",
    ['{"words": "ab"}', '{"words": [1]}', '{"words": null}', "{}", "[]", '{"words": [], "more": 1}', "[" * 10**5],
)
def test_facts_of_other_types_are_found_when_they_are_read(store, facts):
    folder = write(store)
    (folder / "thing.json").write_text(facts)
    resealed(folder, "thing.json")
    with pytest.raises(DamagedArtifact, match="does not read as Thing"):
        store.read("private", "stage", "key", "thing", Thing)


def test_python_objects_are_not_written_either(store):
    with pytest.raises(TypeError, match="only plain arrays"):
        write(store, value=Thing(np.array([{}], dtype=object), []))


LARGE = Thing(np.arange(100_000), [])


def stored(store, key, value=LARGE, side="private", stage="stage"):
    store.write(side, stage, key, {"thing": value}, ABOUT)
    return store.folder(side, stage, key) / "thing.npz"


def test_what_another_key_of_a_stage_holds_already_is_stored_once(store):
    one, two = stored(store, "one"), stored(store, "two")
    assert one.stat().st_ino == two.stat().st_ino
    assert stat.S_IMODE(two.stat().st_mode) == 0o600
    assert store.identity("stage", "one", ["private"]) == store.identity("stage", "two", ["private"])
    store.discard("private", "stage", "one")
    np.testing.assert_array_equal(store.read("private", "stage", "two", "thing", Thing).values, LARGE.values)


@pytest.mark.parametrize(
    "other",
    [
        {"value": Thing(np.arange(1, 100_001), [])},  # as long, and not the same
        {"side": "release"},  # others may read that one
        {"stage": "another"},
    ],
)
def test_nothing_else_is_shared(store, other):
    assert stored(store, "one").stat().st_ino != stored(store, "two", **other).stat().st_ino


def test_a_damaged_file_is_not_shared_and_what_is_rebuilt_is_whole(store):
    file = stored(store, "one")
    content = bytearray(file.read_bytes())
    content[-1000] ^= 1
    file.write_bytes(content)
    assert stored(store, "two").stat().st_ino != file.stat().st_ino
    store.verify("private", "stage", "two")
    assert {path.name for path in (store.root / "private" / "stage" / "two").iterdir()} == {
        "thing.npz", "thing.json", "manifest.json"
    }  # fmt: skip


def test_where_there_are_no_links_there_are_copies(store, monkeypatch):
    def refused(*_, **__):
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)
    stored(store, "one"), stored(store, "two")
    assert store.verify("private", "stage", "one")["files"] == store.verify("private", "stage", "two")["files"]
