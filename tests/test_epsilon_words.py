"""A guarantee alone words an epsilon: nowhere else is one rounded, or called publishable or the owner's."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUARANTEE = ROOT / "pate" / "accounting" / "guarantee.py"
MODULES = [file for folder in ("pate", "pipelines") for file in sorted((ROOT / folder).rglob("*.py"))]
NUMBERS = {"pate/report/run/panel.py": "delta * factor"}  # deltas to compute at, three digits long: no words
FROZEN = "pate/evaluation/first_results.py"  # what the first version wrote, which changes no more


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


def formatted(file: Path) -> list[str]:
    """The epsilons and deltas to which a module gives a format of its own."""
    tree = ast.parse(file.read_text())
    found = [one for one in ast.walk(tree) if isinstance(one, ast.FormattedValue) and one.format_spec]
    return [words for one in found if re.search("epsilon|delta", words := ast.unparse(one.value))]


@pytest.mark.parametrize("file", [one for one in MODULES if one != GUARANTEE], ids=named)
def test_no_module_gives_an_epsilon_or_a_delta_a_format_of_its_own(file):
    assert [one for one in formatted(file) if one != NUMBERS.get(named(file))] == []


def test_whoever_would_is_found(tmp_path):
    (tmp_path / "one.py").write_text("f'{row.epsilon:.3f}, {plan[\"delta\"]:g}, {share:.1%}'")
    assert formatted(tmp_path / "one.py") == ["row.epsilon", "plan['delta']"]
    assert formatted(GUARANTEE)


@pytest.mark.parametrize("words", ["the owner's, not publishable", "-differentially private"])
def test_whose_an_epsilon_is_and_what_it_promises_are_worded_once(words):
    assert [named(one) for one in MODULES if words in one.read_text()] in (
        [named(GUARANTEE)],
        [named(GUARANTEE), FROZEN],
    )


def test_the_script_of_the_page_rounds_no_epsilon():
    """It is handed the words; what it floors itself is a share."""
    script = (ROOT / "pate" / "report" / "web" / "page.js").read_text()
    assert "Math.ceil" not in script
    assert [line for line in script.splitlines() if "toFixed" in line and "percent" not in line] == []
    assert "panel.shown" in script
    page = (ROOT / "pate" / "report" / "web" / "page.html").read_text()
    assert not re.search(r'"%[^"]*[gf]"', page)
