"""Write docs/reference."""

from pathlib import Path

from docs.generate.pages import pages, results_json, small_run

folder = Path(__file__).resolve().parents[1] / "reference"
for name, text in (pages() | {"results_json.md": results_json(small_run())}).items():
    (folder / name).write_text(text)
    print(f"docs/reference/{name}")
