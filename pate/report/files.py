"""Files that are the owner's: whole or not at all, and nobody else's to read."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pate.workspace.typed_json import to_json


def write_owned(file: Path, content: bytes) -> None:
    temporary = file.with_name(f".{file.name}")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(content)
    temporary.rename(file)


def write_rows(table: Sequence[dict[str, Any]], file: Path) -> None:
    """Rows for a spreadsheet; every row has the columns of the first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | {"notes": " | ".join(row["notes"])} for row in table)
    write_owned(file, text.getvalue().encode())


def write_facts(facts: Any, file: Path) -> None:
    """Facts for a program: a dataclass, or plain ones."""
    write_owned(file, json.dumps(to_json(facts), indent=1, allow_nan=False).encode())
