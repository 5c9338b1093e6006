"""Markdown: rows, tables, and a page that says where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable

GENERATED = "<!-- made by make docs: edit the code or conf/, not this page -->"


def paragraph(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(heads: list[str], rows: Iterable[str]) -> list[str]:
    return [row(*heads), "|" + "---|" * len(heads), *rows]


def page(lines: Iterable[str]) -> str:
    return f"{GENERATED}\n\n" + re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
