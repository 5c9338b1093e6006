"""What a manifest tells, also one of an earlier version."""

from types import SimpleNamespace

import pytest

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.noise import SEEDED
from pate.workspace.about import contents_of, own_notes, summary_of

READS_FILES, READS_STAGES = SimpleNamespace(reads=()), SimpleNamespace(reads=("something",))


def test_own_notes_are_those_it_says_by_itself():
    assert own_notes(READS_STAGES, {"own": ["mine"], "notes": ["mine", "inherited"]}) == ["mine"]


@pytest.mark.parametrize(("stage", "kept"), [(READS_FILES, ["a", CLASSES_FROM_PRIVATE]), (READS_STAGES, ["a"])])
def test_of_an_earlier_version_only_who_reads_files_found_the_class_list(stage, kept):
    assert own_notes(stage, {"notes": ["a", CLASSES_FROM_PRIVATE]}) == kept


@pytest.mark.parametrize(
    ("about", "contents"),
    [({"contents": ["a", "b"]}, ("a", "b")), ({"content": "a"}, ("a",)), ({"content": ""}, ()), ({}, ())],
)
def test_digests_of_private_data_are_one_or_several(about, contents):
    assert contents_of(about) == contents


def test_what_may_no_longer_leave_is_not_called_publishable():
    for said, now in (
        ("epsilon 2, publishable", f"epsilon 2, {SEEDED}"),
        ("epsilon 2 (publishable), delta 1e-05", f"epsilon 2 ({SEEDED}), delta 1e-05"),
        ("epsilon 2 (the owner's, not publishable)", "epsilon 2 (the owner's, not publishable)"),
    ):
        assert summary_of({"summary": said}, []) == said
        assert summary_of({"summary": said}, [SEEDED]) == now
