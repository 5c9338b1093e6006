"""A finished workspace, made once; tests spoil copies of it."""

import os

import pytest

from .world import make_template


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    return make_template(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="session")
def root():
    if os.getuid() != 0:
        pytest.skip("needs root: a file system of its own, or another user")
