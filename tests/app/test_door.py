"""Hydra stands at the door: only pate/app knows it. And whoever leaves before the door is open is told in one word."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
AT_THE_DOOR = {"hydra", "omegaconf"}


def modules():
    """Every module of the package outside pate/app, with its file."""
    for room in ("pate", "pipelines"):
        for file in sorted((ROOT / room).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            if parts[:2] != ("pate", "app"):
                named = ("pate", *parts) if room == "pipelines" else parts
                yield ".".join(part for part in named if part != "__init__"), file


def imported(file):
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def test_no_module_outside_the_app_names_hydra():
    names = {module: {name.partition(".")[0] for name in imported(file)} for module, file in modules()}
    assert not [module for module, some in names.items() if some & AT_THE_DOOR]


def test_no_module_outside_the_app_asks_for_it_but_run_when_it_is_called():
    inward = {module for module, file in modules() if any(name.startswith("pate.app") for name in imported(file))}
    assert inward == {"pate"}


BLOCKED = """
import importlib, sys
for name in ("hydra", "omegaconf"):
    sys.modules[name] = None
for name in sys.argv[1:]:
    importlib.import_module(name)
assert not [name for name in sys.modules if name.startswith("pate.app")]
"""


def test_every_module_outside_the_app_is_imported_without_hydra():
    names = [name for name, _ in modules()]
    assert len(names) > 150
    done = subprocess.run([sys.executable, "-c", BLOCKED, *names], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


ENTRY = [sys.executable, "-m", "pate.app"]
SENT_WHILE_IMPORTING = """
import os, signal, sys

class Interrupts:  # as a person would, while the first heavy module is on its way
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from pate.app.__main__ import main
main()
"""


def test_an_interrupt_before_the_program_is_there_is_told_in_one_word(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SENT_WHILE_IMPORTING, "stage=data"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, preexec_fn=_listens,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def _listens():
    """A shell's background jobs ignore SIGINT, and so would the tests run in one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_the_entry_imports_nothing_before_it_can_be_interrupted():
    script = "import sys; before = set(sys.modules); import pate.app.__main__; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    heavy = {name.partition(".")[0] for name in done.stdout.split()} - set(sys.stdlib_module_names)
    assert heavy == {"pate"}


def test_the_entry_is_the_command_line(tmp_path):
    done = subprocess.run([*ENTRY, "--version"], cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0
    assert done.stdout.startswith("pate ")
