"""The owner's files: whole or not at all, and nobody else's to read."""

import csv
import json
import os
import stat

from pate.report.files import write_facts, write_owned, write_rows


def test_they_are_the_owners_from_their_first_byte_and_replaced_whole(tmp_path):
    file = tmp_path / "notes.txt"
    old = os.umask(0)
    try:
        write_owned(file, b"first, and longer")
        with file.open("rb") as reader:  # whoever has it open keeps what was there
            write_owned(file, b"second")
            assert reader.read() == b"first, and longer"
    finally:
        os.umask(old)
    assert file.read_bytes() == b"second"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_rows_have_the_columns_of_the_first_and_their_notes_in_one_cell(tmp_path):
    write_rows([{"job": "0", "notes": ["a, b", "c"]}, {"job": "1", "notes": []}], tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="") as file:
        assert list(csv.DictReader(file)) == [{"job": "0", "notes": "a, b | c"}, {"job": "1", "notes": ""}]


def test_facts_are_json_that_every_program_reads(tmp_path):
    write_facts({"epsilon": 1.5, "error": float("nan")}, tmp_path / "facts.json")
    assert json.loads((tmp_path / "facts.json").read_text()) == {"epsilon": 1.5, "error": None}
