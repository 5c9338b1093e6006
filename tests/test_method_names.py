"""What compares, shows or ships goes through the list of methods, and names none of them."""

import ast
from pathlib import Path

import pytest
from pate.pipelines import OURS

ROOT = Path(__file__).parents[1] / "pate"
GENERIC = [file for room in ("report", "evaluation", "app", "release") for file in sorted((ROOT / room).rglob("*.py"))]
KEYS = {one.key for one in OURS}
PALETTE = {"pate", "dpsgd"}  # names of colours, which pages of earlier runs carry too
NAMED = {
    "evaluation/first_results.py": KEYS,  # the first version's results, which change no more
    "release/whose.py": KEYS,  # models that were kept when manifests named no side
    "release/statement.py": {"consensus"},  # the title of a card
    "evaluation/outlook.py": {"dpsgd", "consensus"},  # groups of choices, and how long they take
    "app/places.py": {"dpsgd", "consensus"},  # groups of choices
    "report/run/audience.py": {"dpsgd", "consensus"},  # settings, by the group they are of
    "report/draw/plots.py": PALETTE,
    "report/draw/curve.py": PALETTE,
    "report/draw/svg.py": PALETTE,
}


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


def keys_in(file: Path) -> set[str]:
    """The keys that stand in a module as texts; `pate` is also a package, a program, a logger and an experiment."""
    tree, program = ast.parse(file.read_text()), set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Call) and ast.unparse(one.func) in ("logging.getLogger", "shlex.join"):
            program |= set(map(id, ast.walk(one)))
        if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == "experiment":
            program.add(id(one.value))
        if isinstance(one, ast.Dict):
            salted = [ast.unparse(key) == "'svg.hashsalt'" for key in one.keys if key]
            program |= {id(value) for value, salt in zip(one.values, salted, strict=False) if salt}
        if isinstance(one, ast.Compare) and "__module__" in ast.unparse(one):
            program |= set(map(id, ast.walk(one)))
    texts = [one for one in ast.walk(tree) if isinstance(one, ast.Constant) and one.value in KEYS]
    return {one.value for one in texts if id(one) not in program}


@pytest.mark.parametrize("file", GENERIC, ids=named)
def test_no_generic_module_names_a_method(file):
    assert keys_in(file) <= NAMED.get(named(file), set())


def test_whoever_would_is_found(tmp_path):
    (tmp_path / "one.py").write_text("log = logging.getLogger('pate')\nwho = row.name == 'pate'\nrows['dpsgd']")
    assert keys_in(tmp_path / "one.py") == {"pate", "dpsgd"}
