"""The Python of CONTRIBUTING and of the pages people follow names what is there, and calls it as it can be called.

What is called `mine` in a recipe is its reader's, and is not looked for.
"""

import ast
import builtins
import contextlib
import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pate.pipelines
import pytest

import pate
from tests.page import BLOCK
from tests.test_docs import FOLLOWED, ROOT, named


def in_blocks(page: Path) -> list[ast.Module]:
    """Its Python, each block as it stands: a SyntaxError for one that is none."""
    blocks = [body for language, _, body in BLOCK.findall(page.read_text()) if language == "python"]
    return [ast.parse(body, f"{named(page)}, block {number}") for number, body in enumerate(blocks, 1)]


@pytest.fixture(scope="module")
def names() -> dict[str, list[object]]:
    """All that a module of the project calls by a name, its own and what it imports."""
    found: dict[str, list[object]] = {name: [value] for name, value in vars(builtins).items()}
    rooms = [(pate.__path__, "pate."), (pate.pipelines.__path__, "pate.pipelines.")]
    for module in (one for room in rooms for one in pkgutil.walk_packages(*room)):
        for name, value in vars(importlib.import_module(module.name)).items():
            found.setdefault(name, []).append(value)
    return found


def imported(block: ast.AST) -> set[str]:
    """Names that it imports."""
    found = (node for node in ast.walk(block) if isinstance(node, ast.Import | ast.ImportFrom))
    return {(one.asname or one.name).partition(".")[0] for node in found for one in node.names}


def defined(block: ast.AST) -> set[str]:
    """Names that it gives to something itself."""
    made = {node.name for node in ast.walk(block) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    made |= {str(node.name) for node in ast.walk(block) if isinstance(node, ast.ExceptHandler)}
    made |= {node.arg for node in ast.walk(block) if isinstance(node, ast.arg)}
    return made | {
        node.id for node in ast.walk(block) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def takes(several: Iterable[object], call: ast.Call) -> bool:
    """Whether one of these can be called like that."""
    keywords = {str(one.arg): None for one in call.keywords if one.arg}
    for one in several:
        with contextlib.suppress(TypeError, ValueError):
            inspect.signature(one).bind(*call.args, **keywords)  # type: ignore[arg-type]
            return True
    return False


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *FOLLOWED], ids=named)
def test_what_the_python_of_a_page_names_is_there(page, names):
    """A recipe outlives the code it is about, unless somebody looks."""
    blocks = in_blocks(page)
    own, brought = set().union(*map(defined, blocks)), set().union(*map(imported, blocks))
    for node in (node for block in blocks for node in ast.walk(block)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pate."):
            missing(node)
        elif isinstance(node, ast.Name) and node.id not in own | brought:
            assert node.id in names, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in own:
            modules = [one for one in names.get(node.value.id, []) if isinstance(one, ModuleType)]
            ours = [one for one in modules if one.__name__.startswith("pate.")]
            assert not ours or any(hasattr(one, node.attr) for one in ours), ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in own:
            ours = [one for one in names.get(node.func.id, []) if getattr(one, "__module__", "").startswith("pate.")]
            assert not ours or takes(ours, node), ast.unparse(node)


def missing(node: ast.ImportFrom) -> None:
    """An error that names what cannot be imported, of a module that is not the reader's."""
    if str(node.module).endswith(".mine"):
        return
    module = importlib.import_module(str(node.module))
    for one in node.names:
        assert hasattr(module, one.name) or find_spec(f"{node.module}.{one.name}"), f"{node.module}.{one.name}"


def test_a_recipe_that_names_what_is_gone_is_noticed(names):
    block = ast.parse('Price("basic", 1.0, EVERY, "a theorem")\nfor_every("basic", 1.0)')
    gone = {node.id for node in ast.walk(block) if isinstance(node, ast.Name) and node.id not in names}
    assert gone == {"Price", "EVERY"}
    assert not takes(names["for_every"], ast.parse('for_every("basic", 1.0)', mode="eval").body)
