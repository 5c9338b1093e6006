"""What a stage is: a function, the artifacts it reads and writes, and on which side of the privacy barrier they lie.

    @stage(reads=[PUBLIC, LABELS], writes=[STUDENT])
    def student(run, public, labels): ...

A stage that writes to the releasable side reads the releasable side only, unless it names the mechanism that makes
crossing safe (`crosses="..."`). `Pipeline` refuses everything else when it is built, long before anything runs.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

from pate.choice import Choice
from pate.errors import GraphError
from pate.workspace.artifact import Artifact
from pate.workspace.catalogue import enter
from pate.workspace.sides import Side

# Moving, storing and showing artifacts does not change what is in them: edits in these rooms and modules rerun nothing.
_MACHINERY = ("pate.workspace", "pate.ledger", "pate.app")
_MACHINES = {"pate", "pate.choice", "pate.errors", "pate.learning.telling", "pate.models.onnx",
             "pate.pipelines.artifacts", "pate.pipelines.needs", "pate.progress", "pate.settings"}  # fmt: skip


@dataclass(frozen=True)
class Ref:
    """The name of an artifact, its side of the barrier, and the type it is read back as."""

    side: Side
    name: str
    kind: type[Artifact]


def owned(name: str, kind: type[Artifact]) -> Ref:
    """One that stays with the owner of the private data."""
    return Ref("private", name, kind)


def releasable(name: str, kind: type[Artifact]) -> Ref:
    """One that may leave: public from the start, or drawn by a mechanism that is paid for."""
    return Ref("release", name, kind)


@dataclass(frozen=True)
class Need:
    """What must be there for a stage to be part of a run, and what is said if it is not."""

    met: Callable[[Any], bool]  # of the settings
    otherwise: str  # behind `stage=NAME`


@dataclass(frozen=True)
class Effort:
    """What a stage's time goes by: which work it is, the choice that carries it out, and on how many records."""

    work: str
    choice: Choice
    records: float


@dataclass(frozen=True)
class Stage:
    """A declared stage. `config` names the parts of the configuration its result depends on, `ignores` those within
    them that it does not. It sees no other setting, but for what `sees` names, each with the reason why it is no part
    of the key: a price that draws nothing, or a file whose content is part of it. `derived` is what else it takes from
    the settings, as a value: part of its own key, and not of what was declared to get to a draw, which knows it by the
    bytes of its input. One that brings private data in says what its `account` is called by default; one that
    `publishes` writes what leaves the workspace. `effort` is asked before anything runs, how long it may take."""

    name: str
    function: Callable[..., Any]
    reads: tuple[Ref, ...] = ()
    writes: tuple[Ref, ...] = ()
    config: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    sees: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    files: Callable[[Any], list[Path]] | None = None
    crosses: str = ""
    publishes: bool = False
    derived: Callable[[Any], Any] | None = None
    account: Callable[[Any], str] | None = None
    effort: Callable[[Any], Effort] | None = None

    @property
    def sides(self) -> list[Side]:
        return sorted({ref.side for ref in self.writes})

    @property
    def gathers(self) -> bool:
        """Whether a pipeline may hand it whatever it makes, beside what it always reads."""
        taken = signature(self.function).parameters.values()
        return any(one.kind is one.VAR_KEYWORD or one.default is not one.empty for one in taken)

    @property
    def summary(self) -> str:
        """What it does: what its module says of it, or its function if the module is named after another stage."""
        about, _, rest = (sys.modules[self.function.__module__].__doc__ or "").partition(": ")
        return _sentence(rest if about == self.name else self.function.__doc__ or "")


def stage(
    *,
    reads: Sequence[Ref] = (),
    writes: Sequence[Ref] = (),
    config: Sequence[str] = (),
    ignores: Sequence[str] = (),
    sees: Mapping[str, str] | None = None,
    needs: Sequence[Need] = (),
    files: Callable[[Any], list[Path]] | None = None,
    crosses: str = "",
    publishes: bool = False,
    derived: Callable[[Any], Any] | None = None,
    account: Callable[[Any], str] | None = None,
    effort: Callable[[Any], Effort] | None = None,
    name: str = "",
) -> Callable[[Callable[..., Any]], Stage]:
    """Declare a function as a stage; `files` lists outside files whose content it depends on."""

    def declare(function: Callable[..., Any]) -> Stage:
        declared = Stage(
            name or function.__name__,
            function,
            tuple(reads),
            tuple(writes),
            tuple(config),
            tuple(ignores),
            dict(sees or {}),
            tuple(needs),
            files,
            crosses,
            publishes,
            derived,
            account,
            effort,
        )
        enter(declared)
        return declared

    return declare


def _sentence(text: str) -> str:
    """The first one, in one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


@dataclass(frozen=True)
class Pipeline:
    """The stages of one configuration, in an order in which each finds its inputs already made; `notes` say what was
    left out. It can be built only if nothing private reaches the releasable side but through a named mechanism."""

    stages: tuple[Stage, ...]
    notes: tuple[str, ...] = ()
    _maker: dict[Ref, Stage] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.stages:
            for ref in one.reads:
                if ref not in self._maker:
                    raise GraphError(f"stage {one.name} reads {ref.side} {ref.name}, which no stage before it writes")
            leak = [ref for ref in one.reads if ref.side == "private"]
            if leak and (one.publishes or ("release" in one.sides and not one.crosses)):
                raise GraphError(
                    f"stage {one.name} writes to the releasable side but reads private {leak[0].name}: only a stage "
                    "that names its mechanism (crosses=...) may do that, and none that publishes"
                )
            for ref in one.writes:
                if ref in self._maker:
                    raise GraphError(f"{ref.side} {ref.name} is written by both {self._maker[ref].name} and {one.name}")
                self._maker[ref] = one

    def __contains__(self, ref: Ref) -> bool:
        return ref in self._maker

    def maker(self, ref: Ref) -> Stage:
        return self._maker[ref]

    def named(self, name: str) -> Stage:
        return next(one for one in self.stages if one.name == name)

    def brought(self, stage: Stage) -> list[Stage]:
        """The stages that brought in the private data a stage's result is from, or was drawn from: not those of which
        only what is public, and on the releasable side from the start, is behind it."""
        found = {stage.name: stage} if stage.account else {}
        for ref in stage.reads:
            maker = self._maker[ref]
            public = ref.side == "release" and maker.account
            found |= {} if public else {one.name: one for one in self.brought(maker)}
        return list(found.values())

    def needed(self, targets: Iterable[str]) -> list[Stage]:
        """The targets and all they depend on, in order."""
        wanted = set(targets)
        for one in reversed(self.stages):
            if one.name in wanted:
                wanted |= {self._maker[ref].name for ref in one.reads}
        return [one for one in self.stages if one.name in wanted]


def code_version(stage: Stage, chosen: Iterable[str] = ()) -> str:
    """A hash of the source a stage runs: its own module, those of what was `chosen` for it, and every pate module these
    import, however deep."""
    modules = [stage.function.__module__, *chosen]
    pending = [(module, _file(module) or _foreign_file(module)) for module in modules]
    sources: dict[str, str] = {}
    while pending:
        module, file = pending.pop()
        if file is not None and module not in sources and not _is_machinery(module):
            sources[module], imported = _source(module, file)
            pending += [(name, _file(name)) for name in imported]
    return hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()[:16]


def _is_machinery(module: str) -> bool:
    return module in _MACHINES or f"{module}.".startswith(tuple(f"{room}." for room in _MACHINERY))


@cache
def _source(module: str, file: Path) -> tuple[str, list[str]]:
    """The hash of a source file, and every name it imports."""
    text = file.read_bytes()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for node in _statements(ast.parse(text).body):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return hashlib.sha256(text).hexdigest(), names


def _statements(some: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """However deep: an import is one of them, and no expression holds any."""
    for one in some:
        yield one
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _statements(getattr(one, part, ()))


@cache
def _file(module: str) -> Path | None:
    """The file of one of our own modules, found without importing anything; None for every other name."""
    top = next((name for name in ("pate.pipelines", "pate") if f"{module}.".startswith(f"{name}.")), None)
    spec = importlib.util.find_spec(top) if top else None
    if top is None or spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*module[len(top) + 1 :].split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _foreign_file(module: str) -> Path | None:
    """The file of a user's own (or another library's) module; it was imported when its class was built."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and file.endswith(".py") else None
