"""A data set everybody knows: its pools are divided, and what is not there is said."""

import gzip
import hashlib

import pytest

from pate.data.digits import Digits
from pate.data.fetch import Published
from pate.data.idx import Mnist
from pate.data.split import Sizes
from pate.errors import ConfigError
from tests.data.packages import Known, contents


def test_no_public_records_leaves_all_to_the_test():
    split = Digits(public=0).load()
    assert len(split.public.x) == 0
    assert len(split.test.x) == 597
    assert Digits(public=0).sizes() == Sizes(1200, 0, 597)


def test_grouping_by_a_column_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="digits cannot be grouped by 'patient'"):
        Digits().load("patient")


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
