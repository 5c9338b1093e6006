"""A stand-in for package clients."""

import sys

import pytest


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
