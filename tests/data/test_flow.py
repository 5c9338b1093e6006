"""A row goes one way: the files of pate/data stand in the order of its docstring, and import only from files above."""

import ast
import re
from pathlib import Path

import pytest

import pate.data

FOLDER = Path(pate.data.__file__).parent
ORDER = re.findall(r"^    (\w+) ", pate.data.__doc__, re.MULTILINE)


def imported(module):
    """Files of this folder that a file imports, also within functions and for types alone, and the names it takes."""
    found = []
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute here"
            names = [one.name for one in node.names]
            if node.module == "pate.data":
                found += [(name, "") for name in names]
            elif (node.module or "").startswith("pate.data."):
                found += [(node.module.removeprefix("pate.data."), name) for name in names]
        elif isinstance(node, ast.Import):
            found += [(one.name.removeprefix("pate.data."), "") for one in node.names if "pate.data." in one.name]
    return found


def test_every_file_has_its_place():
    assert len(ORDER) == len(set(ORDER))
    assert set(ORDER) == {file.stem for file in FOLDER.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("module", ORDER)
def test_a_file_imports_from_files_above_it(module):
    below = ORDER[ORDER.index(module) :]
    assert not [other for other, _ in imported(module) if other in below]


@pytest.mark.parametrize("module", ORDER)
def test_a_file_keeps_its_insides(module):
    assert not [name for _, name in imported(module) if name.startswith("_")]


def test_imports_are_found():
    assert ("advice", "") in imported("kinds")
    assert {"formats", "table", "labels", "owners"} <= {other for other, _ in imported("records")}
