"""A private record has an owner, and nobody's records lie on both sides of the barrier."""

import numpy as np
import pytest

from pate.data.owners import refuse_in_public, refuse_on_both_sides
from pate.errors import ConfigError
from tests.data.own_files import WHO, X, Y, arrays, write


def test_public_records_need_no_owner(tmp_path):
    write(tmp_path, "csv", "private", X, Y, WHO)
    write(tmp_path, "csv", "public", X, None, [""] * 20)
    split = arrays(tmp_path, label="y").load("who")
    assert split.private.group.tolist() == WHO.astype(str).tolist()
    assert split.public.x.shape == (20, 2)


def test_groups_in_whole_floats_are_numbers(tmp_path):
    write(tmp_path, "npz", "private", X, Y, WHO.astype(float))
    assert arrays(tmp_path).load("who").private.group.dtype == np.int64


@pytest.mark.parametrize("odd", ["1.5", "nan", "inf"])
def test_a_text_that_is_a_number_and_no_whole_one_is_nobodys_name(tmp_path, odd):
    write(tmp_path, "csv", "private", X, Y, [odd, *WHO[1:]])
    write(tmp_path, "csv", "public", X, Y, WHO + 100)
    with pytest.raises(ConfigError, match="1 records have no group, or a fractional one"):
        arrays(tmp_path, label="y", classes=["0", "1"]).load("who")


def test_a_persons_number_is_the_same_written_as_a_fraction(tmp_path):
    groups = []
    for who in (WHO, WHO.astype(float)):
        write(tmp_path, "csv", "private", X, Y, who)
        write(tmp_path, "csv", "public", X, Y, WHO + 100)
        groups.append(arrays(tmp_path, label="y", classes=["0", "1"]).load("who").private.group.tolist())
    assert groups[0] == groups[1]


def test_a_split_that_tears_people_apart_is_refused():
    refuse_on_both_sides(np.array([1, 1, 2, 3]), 2)
    refuse_on_both_sides(None, 2)
    with pytest.raises(ConfigError, match="2 groups would have private and public records"):
        refuse_on_both_sides(np.array(["a", "b", "b", "a", "c"]), 2)


def test_people_in_both_files_are_counted_however_their_number_is_written():
    refuse_in_public(np.array([1, 2]), np.array([3.0, 4.0]), "public.npz")
    with pytest.raises(ConfigError, match="1 groups have records in the private and in the public file"):
        refuse_in_public(np.array([1, 2]), np.array(["2.0", "3"]), "public.csv")


def test_a_public_file_may_say_of_some_records_only_whose_they_are():
    refuse_in_public(np.array(["1", "2"]), np.array(["", "3"]), "public.csv")
    with pytest.raises(ConfigError, match="1 groups have records"):
        refuse_in_public(np.array(["1", "2"]), np.array(["", "2"]), "public.csv")
    refuse_in_public(np.array(["1", "2"]), None, "public.csv")
    refuse_in_public(None, np.array(["1"]), "public.csv")
