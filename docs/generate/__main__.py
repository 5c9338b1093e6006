"""Write docs/reference."""

from pathlib import Path

from docs.generate.pages import pages

folder = Path(__file__).resolve().parents[1] / "reference"
for name, text in pages().items():
    (folder / name).write_text(text)
    print(f"docs/reference/{name}")
