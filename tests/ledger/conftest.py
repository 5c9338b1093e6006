"""An empty ledger."""

import pytest

from pate.ledger.ledger import Ledger
from tests.ledger.entries import SECRET


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite", SECRET)
