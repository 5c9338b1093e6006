"""From the name of a choice to its class: in the package, in an installed plug-in, or in a module of the user's own.

`teachers=ridge` is a YAML of conf/. `teachers=NAME` may as well be an entry point that an installed package brings, and
`teachers=MODULE.CLASS` any class; these two need no YAML.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from pate.errors import ConfigError
from pate.workspace.plugins import plugin, plugins

ENTRY_POINTS = {
    "dataset": "pate.datasets",
    "features": "pate.encoders",
    "teachers": "pate.teachers",
    "aggregator": "pate.aggregators",
    "student": "pate.students",
    "dpsgd": "pate.dpsgd",
    "consensus": "pate.consensus",
    "tracking": "pate.tracking",
}
_MOVED = {  # where a class was when somebody wrote a YAML that names it
    "pate.students.graph.Graph": "pate.students.graph.GraphStudent",
    "pate.teachers.graph.Graph": "pate.teachers.graph.GraphTeachers",
    "pate.tracking.MLflow": "pate.report.tracking.mlflow.MLflow",
    "pate.tracking.Tracking": "pate.report.tracking.tracking.Tracking",
    "pate.report.tracking.MLflow": "pate.report.tracking.mlflow.MLflow",
    "pate.report.tracking.Tracking": "pate.report.tracking.tracking.Tracking",
}
_CHOSEN = re.compile(rf"\+*({'|'.join(ENTRY_POINTS)})=(.+)")


def offer(overrides: Iterable[str]) -> None:
    """Make choices of what packages bring, and of the classes these overrides name; nothing is imported yet. A YAML of
    the same name comes first."""
    for group, entries in ENTRY_POINTS.items():
        for name in plugins(entries):
            _offer(group, name)
    for chosen in filter(None, map(_CHOSEN.fullmatch, overrides)):
        for name in chosen[2].split(","):  # of a sweep
            if re.fullmatch(r"\w+(\.\w+)+", name.strip()):
                _offer(chosen[1], name.strip())


def _offer(group: str, name: str) -> None:
    """Its fields are those of its class, so that here any may be set: `teachers.depth=5`."""
    node = OmegaConf.create({"_target_": name}, flags={"struct": False})
    ConfigStore.instance().store(group=group, name=name, node=node)


def offered(group: str, name: str) -> bool:
    """Whether it was chosen by its name, and so has fields of its own alone."""
    return f"{name}.yaml" in ConfigStore.instance().repo.get(group, {})


def located(group: str, target: str) -> Any:
    """What `_target_` names: an entry point of the group by its name, else a class by its place."""
    if "." not in target:
        found = plugin(ENTRY_POINTS[group], target)
        if found is None:
            there = ", ".join(sorted(plugins(ENTRY_POINTS[group]))) or "nothing"
            raise ConfigError(
                f"{group}._target_={target}: no installed package brings it, expected MODULE.CLASS or an entry point "
                f"of {ENTRY_POINTS[group]} ({there} is installed)"
            )
        return found
    module, _, name = _MOVED.get(target, target).rpartition(".")
    try:
        return getattr(_imported(module), name)
    except Exception as error:  # whatever somebody's module does when it is imported
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise ConfigError(f"{group}._target_={target} cannot be imported: {told}") from error


def refuse_kind_of_ours(group: str, choice: Any) -> None:
    """A class of somebody else's that declares the kind of one of ours would be served what that one drew."""
    kind, foreign = choice.known_as(), choice.__module__.partition(".")[0] != "pate"
    ours = _kinds(group).get(kind) if foreign and "." not in kind else None
    if ours:
        place = f"{choice.__module__}.{choice.__qualname__}"
        raise ConfigError(f"{group}: {place} declares kind {kind!r}, which is that of {group}={ours}: choose another")


def _kinds(group: str) -> dict[str, str]:
    """The kinds of ours in a group, each with a YAML that names its class."""
    targets = {}
    for file in files("pate.conf").joinpath(group).iterdir():
        if file.name.endswith(".yaml") and (named := re.search(r"^_target_: (\S+)", file.read_text(), re.M)):
            targets[file.name.removesuffix(".yaml")] = named[1]
    return {located(group, target).known_as(): name for name, target in sorted(targets.items(), reverse=True)}


def _imported(module: str) -> ModuleType:
    """The current folder counts too, after everything that is installed: no file there stands in for a library."""
    top = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != top:
            raise
        here = Path.cwd()
        if not ((here / f"{top}.py").is_file() or (here / top).is_dir()):
            raise ImportError(f"{error}: neither installed, nor {top}.py in {here}, nor on PYTHONPATH") from None
    sys.path.append(str(here))
    importlib.invalidate_caches()
    return importlib.import_module(module)
