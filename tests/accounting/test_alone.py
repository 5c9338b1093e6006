"""The accountants serve whoever imports them: without Hydra, torch, scikit-learn, and without any aggregator."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ALONE = """
import importlib, json, pkgutil, sys

BLOCKED = {"hydra", "omegaconf", "torch", "sklearn"}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} may not be imported here")

sys.meta_path.insert(0, Blocked())
import pate.accounting
for module in pkgutil.iter_modules(pate.accounting.__path__):
    importlib.import_module(f"pate.accounting.{module.name}")
alone = sorted(name for name in sys.modules if name.startswith("pate."))

import numpy as np
from pate.accounting.ladder import price
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax

votes = np.load(sys.argv[1])["counts"][:100]
prices = {type(one).__name__: {each.accountant: each.epsilon for each in price(one, votes, 1e-5)}
          for one in (LNMax(0.05, "continuous"), GNMax(40.0, "continuous"))}
print(json.dumps({"alone": alone, "prices": prices, "blocked": sorted(BLOCKED & set(sys.modules))}))
"""


@pytest.fixture(scope="module")
def found():
    votes = Path(__file__).parent / "votes_mnistlike_250.npz"
    done = subprocess.run([sys.executable, "-c", ALONE, str(votes)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_votes_are_priced_where_hydra_torch_and_sklearn_cannot_be_imported(found):
    """Figures of docs/explanation/accounting.md at delta 1e-5."""
    assert found["blocked"] == []
    assert found["prices"]["LNMax"]["optimal_independent"] == pytest.approx(4.307, abs=1.1e-3)
    assert found["prices"]["LNMax"]["exact_rdp"] == pytest.approx(0.575, abs=1.1e-3)
    assert found["prices"]["GNMax"]["optimal_independent"] == pytest.approx(1.357, abs=1.1e-3)


def test_accountants_know_no_aggregator(found):
    assert "pate.accounting.ladder" in found["alone"]
    assert not [name for name in found["alone"] if name.startswith(("pate.aggregation", "pate.app", "pate.settings"))]


def test_what_blocks_would_be_noticed():
    """The block itself works: an import of what it forbids fails."""
    broken = ALONE.replace("import numpy as np", "import sklearn", 1)
    done = subprocess.run([sys.executable, "-c", broken, "-"], capture_output=True, text=True, timeout=120)
    assert "sklearn may not be imported here" in done.stderr


def test_an_accountant_names_no_aggregator():
    sources = [file.read_text() for file in Path("pate/accounting").glob("*.py")]
    assert len(sources) > 20
    assert not [text for text in sources if "pate.aggregation" in text or "isinstance(mechanism" in text]
    assert np.all(["LNMax(" not in text and "GNMax(" not in text for text in sources])
