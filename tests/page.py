"""A page of the documentation as a reader would follow it: its files written, its Python and its commands run in order.

In a `console` block a line that begins with `$ ` is a command, what follows is what it said: a line that begins with
`pate: ` there means that it was refused. A block marked `slow` is for the slow tests. A `python` block is run; one that
begins with a comment that names its file is written there instead, and so is a `yaml` block that names one. With
`quick` everything runs on small settings.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
LAZY = ("dp_accounting.pld.privacy_loss_distribution", "opendp.prelude", "sklearn.linear_model", "sklearn.datasets")
QUICK = {
    "stage": "student", "teachers": "ridge", "teachers.count": "10", "labels.queries": "8", "dpsgd.epochs": "1",
    "n_jobs": "1",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A command with whether it is to be refused, Python to run, or a file to write."""

    command: str = ""
    refused: bool = False
    slow: bool = False
    python: str = ""
    file: tuple[str, str] = ("", "")


def steps(text: str) -> Iterator[Step]:
    """What a page asks its reader to do."""
    for language, mark, body in BLOCK.findall(text):
        if language == "console":
            for command, said in re.findall(r"^\$ (.+?)\n((?:(?!\$ ).*\n)*)", body, re.M):
                yield Step(command, bool(re.search(r"^pate: ", said, re.M)), "slow" in mark)
        elif language == "python" and (path := re.match(r"# (\S+\.py)\n", body)):
            yield Step(file=(path[1], body))
        elif language == "python":
            yield Step(python=body)
        elif language == "yaml" and (path := re.search(r"^# (\S+\.yaml)$", body, re.M)):
            yield Step(file=(path[1], body))


class Reader:
    """Follows pages. One process imports the program once and forks for every command: seconds saved on each."""

    def __init__(self) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        environment = os.environ | alone | {"NO_COLOR": "1", "COLUMNS": "120", "PATH": path}
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def follow(self, text: str, folder: Path, quick: bool) -> None:
        """All a page asks for, in one folder."""
        for step in steps(text):
            if step.file[0]:
                (folder / step.file[0]).parent.mkdir(parents=True, exist_ok=True)
                (folder / step.file[0]).write_text(step.file[1])
            elif not (step.slow and quick):
                self.take(step, folder, quick)

    def take(self, step: Step, folder: Path, quick: bool) -> None:
        words = shlex.split(step.command, comments=True)
        if step.python:
            (folder / "page.py").write_text(step.python)
            words = ["python", "page.py"]
        asked: dict[str, Any] = {"shell": step.command or "python page.py"}  # a process of its own, word for word
        if quick and words[0] == "pate":
            asked = {"pate": [*words[1:], *small(words[1:])]}
        elif quick and words[0] == "python":
            asked = {"python": (folder / words[1]).read_text(), "file": str(folder / words[1]), "words": words[1:]}
        code, said = self.ask(asked, folder)
        assert (code != 0) == step.refused, f"{step.command or step.python}\nended with {code}\n{said}"

    def ask(self, asked: dict[str, Any], folder: Path) -> tuple[int, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(asked | {"folder": str(folder)}), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        return code, (folder / "said.txt").read_text()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def small(words: list[str]) -> list[str]:
    """Settings that make a command quick, but for what it says itself and what `stage=` it asks for alone."""
    if any(word in ("--version", "--help", "--cfg") for word in words) or "compare.runs" in " ".join(words):
        return []
    given = {word.partition("=")[0] for word in words}
    left = {key: value for key, value in QUICK.items() if key not in given}
    if "stage" in left and any(key.startswith("dpsgd") for key in given):
        left["stage"] = "dpsgd"
    # an experiment has teachers of its own; elsewhere as many as usual, as noise is in proportion to their number
    left.pop("teachers" if "+experiment" in given else "teachers.count", None)
    return [f"{key}={value}" for key, value in left.items()]


def _serve() -> None:
    """Import once; then fork for each line of JSON, and answer with its exit code."""
    import importlib
    import pkgutil

    import pate
    from pate.app.cli import main

    for module in pkgutil.walk_packages(pate.__path__, "pate."):  # what a forked child needs is imported before
        importlib.import_module(module.name)
    for name in LAZY:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:  # and what it would compute and keep in memory, on one thread
        for law in (["aggregator=lnmax"], ["aggregator=gnmax", "aggregator.sigma=30"]):
            pate.run([*small(["stage"]), "stage=labels", f"workspace={folder}/workspace", *law])

    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _child(asked, main)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _child(asked: dict[str, Any], main: Any) -> None:
    os.chdir(asked["folder"])
    said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(said, f"\n>>> {asked}\n".encode())
    os.dup2(said, 1)
    os.dup2(said, 2)
    code = 0
    try:
        if "pate" in asked:
            sys.argv = ["pate", *asked["pate"]]
            main()
        elif "python" in asked:
            sys.argv = asked["words"]
            exec(compile(asked["python"], asked["file"], "exec"), {"__name__": "__main__", "__file__": asked["file"]})
        else:
            code = subprocess.run(["bash", "-c", asked["shell"]]).returncode
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
