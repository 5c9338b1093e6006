"""What may go from a workspace, for reading."""

import pytest

from pate.report.run.cleaning import print_cleaning, size
from pate.workspace.clean import Cleaning, Item

ITEMS = [Item("[of] no run", f"private/encode/{n}", 1500) for n in range(2)]


@pytest.mark.parametrize("removed", [True, False])
def test_a_line_each_their_room_together_and_whether_they_are_gone(capsys, removed):
    print_cleaning(Cleaning("here", ITEMS, 3000, removed))
    told = capsys.readouterr().out
    assert told.count("[of] no run") == told.count("1.5 KB") == 2
    assert "3.0 KB" in told
    assert ("nothing was removed: clean.yes=true does it" in told) != removed


def test_nothing_is_said_to_be_nothing(capsys):
    print_cleaning(Cleaning("here", [], 0, True))
    assert capsys.readouterr().out.startswith("nothing to clean")


def test_sizes_read_well():
    assert [size(count) for count in (0, 999, 1000, 123_456, 5e9, 7e15)] == [
        "0 bytes", "999 bytes", "1.0 KB", "123.5 KB", "5.0 GB", "7000.0 TB"
    ]  # fmt: skip
