"""`pate docs`: where the documentation is that came with this version, and which pages there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pate
from pate.errors import PateError

# In the order in which a reader meets them; what is in none of these folders stands first.
_FOLDERS = ("howto", "explanation", "reference")


def folder() -> Path:
    """The folder with the documentation: within an installed package, or beside it in a checkout."""
    package = Path(pate.__file__).resolve().parent
    for place in (package / "docs", package.parent / "docs"):
        if (place / "tutorial.md").is_file():
            return place
    raise PateError(f"no documentation beside {package}: install the package again")


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with its title."""
    top = folder()
    for place in (top, *(top / name for name in _FOLDERS)):
        for page in sorted(place.glob("*.md")):
            yield page, _title(page)


def listing() -> list[str]:
    """The folder, then a line a page."""
    top = folder()
    named = {str(page.relative_to(top)): title for page, title in pages()}
    widest = max(map(len, named))
    return [str(top), *(f"  {name:<{widest}}  {title}" for name, title in named.items())]


def _title(page: Path) -> str:
    """Its first heading."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), "")
