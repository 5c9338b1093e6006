"""Hostile files for every loader; the long form is `python -m tests.fuzz`."""

import pytest

from tests.fuzz.oracle import hunt
from tests.fuzz.targets import targets


@pytest.mark.slow
def test_every_loader_reads_or_refuses_whatever_it_is_given(tmp_path):
    plan = {target.name: max(20, round(60 * target.share)) for target in targets()}
    found = hunt(plan, 1, tmp_path)
    failures = [f"{name}, {line}" for name, row in found.items() for line in row["why"]]
    assert not failures, "\n\n".join(failures[:10])
    for name, row in found.items():  # a damaged checkpoint or piece counts as none
        assert row["refused"] > row["tried"] / 10 or name in ("checkpoint", "pieces"), (name, row)
