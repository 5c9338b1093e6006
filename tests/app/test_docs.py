"""pate docs: where the pages are that came with this version, and which there are."""

import os
import re
import subprocess
import sys
from pathlib import Path

from pate.app import docs as carried

DOCS = Path(__file__).parents[2] / "docs"


def test_the_program_says_where_the_pages_are():
    assert carried.folder() == DOCS
    told = carried.listing()
    assert told[0] == str(DOCS)
    assert len(told) == 1 + len(list(DOCS.rglob("*.md")))
    assert all(re.match(r"  \S+\.md +\w", line) for line in told[1:])


def test_a_command_lists_the_pages():
    told = subprocess.run([sys.executable, "-m", "pate.app", "docs"], capture_output=True, text=True, env=os.environ)
    assert told.stdout.splitlines()[0] == str(DOCS)
