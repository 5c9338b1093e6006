"""A workspace of three stages."""

import pytest

from tests.workspace.flow import Flow


@pytest.fixture
def flow(tmp_path):
    return Flow(tmp_path)
