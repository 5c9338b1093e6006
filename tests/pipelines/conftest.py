"""Artifacts of one finished run, made once: tests that only read share it."""

import pytest

from pate.workspace.store import Store


@pytest.fixture(scope="session")
def made(owners_run):
    """What a stage of the owner's run wrote."""
    found, place = owners_run
    store = Store(place.parents[1])
    return lambda ref, stage: store.read(ref.side, stage, found["stages"][stage]["key"], ref.name, ref.kind)
