"""Pieces of a long stage survive a kill; what is damaged, misnamed or a link does not count."""

import numpy as np
import pytest

from pate.workspace.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "workspace")


def test_pieces_survive_and_damaged_ones_do_not_count(store):
    pieces = store.pieces("teachers", "key")
    for index in range(3):
        pieces.save(index, np.full(4, index))
    file = next(iter(sorted((store.root / "private" / "teachers" / "key.pieces").glob("000001*"))))
    file.write_bytes(file.read_bytes()[:-2])
    assert sorted(store.pieces("teachers", "key").load()) == [0, 2]


def test_pieces_of_other_names_and_links_do_not_count(store, tmp_path):
    pieces = store.pieces("teachers", "key")
    pieces.save(0, np.arange(3))
    folder = store.root / "private" / "teachers" / "key.pieces"
    file = next(folder.glob("*.npy"))
    (folder / "1x-0000.npy").write_bytes(file.read_bytes())
    (folder / file.name.replace("000000", "000001")).symlink_to(file)
    assert sorted(pieces.load()) == [0]
