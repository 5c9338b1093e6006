"""Every module has a test of its own name, in the folder of its own room."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "pipelines/artifacts.py": "declarations: their sides are tested in workspace/test_stage.py",
}


def modules():
    found = [*(ROOT / "pate").rglob("*.py"), *(ROOT / "pipelines").glob("*.py")]
    return sorted(str(file.relative_to(ROOT)) for file in found if not file.name.startswith("__"))


def mirror(module: str) -> Path:
    """pate/data/idx.py -> tests/data/test_idx.py, pipelines/votes.py -> tests/pipelines/test_votes.py"""
    room = Path(module.removeprefix("pate/")).parent
    return ROOT / "tests" / room / f"test_{Path(module).name}"


@pytest.mark.parametrize("module", modules())
def test_a_module_has_its_mirror(module):
    assert mirror(module).is_file() != (module in ELSEWHERE), f"{module}: expected tests in {mirror(module)}"


def test_exceptions_are_modules():
    assert set(ELSEWHERE) <= set(modules())
