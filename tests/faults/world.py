"""A finished workspace to spoil, the command line to run in it, and what a fault must end in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from . import pipeline
from .child import Child, Outcome
from .hooks import Hooks
from .invariants import State, Violation, look


class World:
    """One workspace in a folder of its own. `draws` are logged outside of it."""

    def __init__(self, folder: Path, template: Path | None = None, disk: Path | None = None) -> None:
        self.folder, self.workspace, self.log = folder, (disk or folder) / "workspace", folder / "drawn"
        folder.mkdir(parents=True, exist_ok=True)
        if template is not None:
            shutil.copytree(template, self.workspace)
            self.log.write_text("12\n")

    @property
    def private(self) -> Path:
        return self.workspace / "private"

    @property
    def ledger(self) -> Path:
        return self.private / "ledger.sqlite"

    def start(self, *overrides: str, first: Callable[[], object] = bool, hooks: Hooks | None = None) -> Child:
        """The command line in a child, in which something happens `first`."""
        count = len(list(self.folder.glob("output-*")))

        def work() -> int:
            settings = pipeline.composed(*pipeline.SMALL)
            pipeline.install(hooks or Hooks(self.log), settings)
            first()
            return pipeline.command(*pipeline.SMALL, f"workspace={self.workspace}", *overrides)

        return Child(work, self.folder / f"output-{count}")

    def run(self, *overrides: str, **options) -> Outcome:
        return self.start(*overrides, **options).wait()

    def quick(self, *overrides: str) -> Outcome:
        """The same without reading a configuration."""
        settings = pipeline.composed(*pipeline.SMALL, *overrides)
        work = partial(pipeline.quick, settings, self.workspace, (), Hooks(self.log))
        return Child(work, self.folder / "output").wait()

    def look(self, complete: bool = False) -> State:
        return look(self.workspace, self.log, complete=complete)

    def refuses(self, *words: str, codes: tuple[int, ...] = (1, 2), overrides: tuple[str, ...] = (), **options) -> str:
        """A run ends in one clear line that holds one of these words."""
        return refused(self.run(*overrides, **options), *words, codes=codes)

    def works(self, *overrides: str) -> State:
        """The workspace is usable: a run reaches its end, and everything holds."""
        outcome = self.quick(*overrides)
        if outcome.code:
            raise Violation(f"the workspace is not usable, exit code {outcome.code}: {outcome.said}")
        return self.look(complete=True)


def refused(outcome: Outcome, *words: str, codes: tuple[int, ...] = (1, 2)) -> str:
    line = outcome.one_line()
    if outcome.code not in codes:
        raise Violation(f"exit code {outcome.code}: {outcome.said}")
    if words and not any(word in line for word in words):
        raise Violation(f"says none of {words}: {line}")
    return line


def make_template(folder: Path) -> Path:
    """A finished workspace. Made in this process, whose children then find every table of the accountants made."""
    umask = os.umask(0o077)
    try:
        for name, overrides in (("template", ()), ("warm", ()), ("warm", ("labels.queries=15",))):
            if pipeline.quick(pipeline.composed(*pipeline.SMALL, *overrides), folder / name):
                raise Violation("the workspace to be spoilt could not be made")
    finally:
        os.umask(umask)
    return folder / "template"


@contextmanager
def small_disk(folder: Path, size: str = "8m") -> Iterator[Path]:
    """A file system of its own; only root can have one."""
    folder.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if made.returncode:
        raise PermissionError("no tmpfs for us")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
