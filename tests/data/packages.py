"""Stand-ins for package clients and for what they bring."""

import gzip
import hashlib
import io
import tarfile
import zipfile

from pate.data.clients import Npm

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
