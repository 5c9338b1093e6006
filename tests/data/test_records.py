"""Files become records of one kind, and where owners are asked for each has one."""

import numpy as np
import pytest

from pate.errors import ConfigError
from tests.data.own_files import WHO, X, Y, arrays, write, write_csv


def test_sides_must_be_of_one_kind(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    write(tmp_path, "npz", "public", X[:, :1])
    with pytest.raises(ConfigError, match="records of shape"):
        arrays(tmp_path).load()
    write(tmp_path, "npz", "private", np.zeros((4, 8, 8), np.uint8), Y[:4])
    write(tmp_path, "npz", "public", np.zeros((4, 8, 8)))
    with pytest.raises(ConfigError, match=r"uint8.*float32|float32.*uint8"):
        arrays(tmp_path).load()


def test_tables_must_have_the_same_columns(tmp_path):
    write_csv(tmp_path / "private.csv", {"a": [1], "extra": [2], "y": [0]})
    write_csv(tmp_path / "public.csv", {"a": [1]})
    with pytest.raises(ConfigError, match=r"only in .*private.csv: extra: take them out"):
        arrays(tmp_path, label="y", classes=["0", "1"]).load()


def test_groups_must_be_there_for_every_private_record(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    with pytest.raises(ConfigError, match="has no 'who' to group by"):
        arrays(tmp_path).load("who")
    with pytest.raises(ConfigError, match="'y' is no group"):
        arrays(tmp_path).load("y")
    write(tmp_path, "npz", "private", X, Y, WHO[:7])
    with pytest.raises(ConfigError, match=r"groups of shape \(7,\)"):
        arrays(tmp_path).load("who")
    for nameless in (np.where(WHO == 3, np.nan, WHO), np.where(WHO == 3, "", WHO.astype(str))):
        write(tmp_path, "npz", "private", X, Y, nameless)
        with pytest.raises(ConfigError, match="2 records have no group"):
            arrays(tmp_path).load("who")
