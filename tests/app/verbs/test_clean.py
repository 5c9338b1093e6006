"""clean on the command line: a table or the name of a file, and nothing where there is nothing."""

import json

import pytest

import pate as library
from pate.errors import ConfigError
from tests.workspace.left_over import left_over


def test_it_is_a_table_with_a_total_or_the_name_of_a_file(pate, tmp_path):
    left_over(tmp_path / "workspace")
    told = pate("stage=clean")
    assert told.returncode == 0, told.stderr
    for words in (f"private/encode/{'0' * 32}", "together", "nothing was removed: clean.yes=true"):
        assert words in told.stdout
    quiet = pate("--quiet", "stage=clean", "clean.yes=true")
    (file,) = quiet.stdout.splitlines()
    assert json.loads((tmp_path / file).read_text())["removed"]
    assert not quiet.stderr
    assert "nothing to clean" in pate("stage=clean").stdout


def test_it_is_said_where_there_is_nothing_to_clean_and_to_whom_yes_is_said(tmp_path):
    with pytest.raises(ConfigError, match="nothing was run there, so there is nothing to clean"):
        library.run(["stage=clean", f"workspace={tmp_path}", f"hydra.run.dir={tmp_path}/runs/clean"])
    with pytest.raises(ConfigError, match=r"clean\.yes is for stage=clean, and this is stage=data"):
        library.run(["stage=data", "clean.yes=true", f"workspace={tmp_path}"])
