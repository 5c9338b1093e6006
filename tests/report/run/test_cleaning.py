"""What may go from a workspace, for reading."""

from pate.report.run.cleaning import size


def test_sizes_read_well():
    assert [size(count) for count in (0, 999, 1000, 123_456, 5e9, 7e15)] == [
        "0 bytes", "999 bytes", "1.0 KB", "123.5 KB", "5.0 GB", "7000.0 TB"
    ]  # fmt: skip
