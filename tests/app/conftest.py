"""Tables of a clinic."""

import numpy as np
import pytest

from tests.app.clinic import ROWS


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """A folder of csv files in the working directory; `change(side, table)` says what is odd about them."""
    monkeypatch.chdir(tmp_path)

    def write(change=lambda side, table: None):
        rng = np.random.default_rng(0)
        (tmp_path / "clinic").mkdir(exist_ok=True)
        for side, rows in ROWS.items():
            age = rng.normal(50, 12, rows).round(2)
            table = {
                "age": age.tolist(),
                "town": rng.choice(["Bern", "Oslo"], rows).tolist(),
                "y": (age > 50).astype(int).tolist(),
            }
            change(side, table)
            lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
            (tmp_path / "clinic" / f"{side}.csv").write_text("\n".join([",".join(table), *lines]) + "\n")
        return tmp_path

    return write
