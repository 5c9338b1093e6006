"""What is read of a job that did not finish."""

import json

import pytest

from pate.report.sweep.unfinished import UNFINISHED, read


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"error": 3, "resume": ""}', b'{"error": "a", "more": "b"}'])
def test_a_damaged_file_still_says_that_a_job_did_not_finish(tmp_path, content):
    (tmp_path / UNFINISHED).write_bytes(content)
    found = read(tmp_path / UNFINISHED)
    assert found.error.startswith("its unfinished.json is ")
    assert found.resume == ""
    json.dumps(found.error)
