"""One record, or one person, reaches one teacher, whatever everybody else does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.data.partition import assign, assign_groups
from pate.errors import ConfigError

SEEDS = st.integers(0, 2**32)
PEOPLE = st.lists(st.text(st.characters(codec="ascii", exclude_characters="\x00"), max_size=4), min_size=2, max_size=60)


@given(st.integers(1, 500), st.integers(1, 50), SEEDS)
def test_every_record_has_one_teacher_and_sizes_differ_by_at_most_one(records, count, seed):
    count = min(count, records)
    teachers = assign(records, count, seed)
    assert teachers.shape == (records,)
    sizes = np.bincount(teachers, minlength=count)
    assert len(sizes) == count
    assert sizes.sum() == records
    assert sizes.max() - sizes.min() <= 1


def test_assignment_follows_the_seed_and_is_not_the_order_of_the_file():
    assert np.array_equal(assign(100, 10, 3), assign(100, 10, 3))
    assert not np.array_equal(assign(100, 10, 3), assign(100, 10, 4))
    assert not np.array_equal(assign(100, 10, 3), np.arange(100) % 10)


@given(PEOPLE, SEEDS)
def test_one_persons_records_reach_one_teacher(people, seed):
    groups = np.array(people)
    teachers = assign_groups(groups, min(5, len(np.unique(groups))), seed)
    assert all(len(set(teachers[groups == person])) == 1 for person in groups)


@given(PEOPLE, SEEDS, st.data())
def test_renaming_blanking_or_removing_a_person_moves_nobody_else(people, seed, data):
    groups = np.array(people)
    person = data.draw(st.sampled_from(people))
    others = groups != person
    before = assign_groups(groups, 1 if len(set(people)) < 3 else 2, seed)
    count = 1 if len(set(people)) < 3 else 2
    for name in ("", "somebody with a much longer name"):
        renamed = np.array([name if one == person else one for one in people])
        if len(np.unique(renamed)) >= count:
            assert np.array_equal(assign_groups(renamed, count, seed)[others], before[others])
    if others.any():
        assert np.array_equal(assign_groups(groups[others], count, seed), before[others])


def test_groups_spread_over_the_teachers_and_follow_the_seed():
    groups = np.arange(1000)
    sizes = np.bincount(assign_groups(groups, 10, 0), minlength=10)
    assert sizes.min() > 60  # 100 expected, standard deviation 9.5
    assert not np.array_equal(assign_groups(groups, 10, 0), assign_groups(groups, 10, 1))


def test_a_number_and_its_text_are_the_same_person():
    assert np.array_equal(assign_groups(np.arange(50), 5, 1), assign_groups(np.arange(50).astype(str), 5, 1))


def test_more_teachers_than_records_or_groups_is_refused():
    with pytest.raises(ConfigError, match="11 teachers for 10 private records"):
        assign(10, 11, 0)
    with pytest.raises(ConfigError, match="3 teachers for 2 private groups"):
        assign_groups(np.array([1, 1, 2, 2]), 3, 0)
    with pytest.raises(ConfigError, match="at least 1"):
        assign(10, 0, 0)
