"""run=FOLDER: everything as an earlier run had it, nothing retyped; what stands on the command line goes on top.

Its configuration is taken as it was recorded, whole, and not composed again: defaults, experiment files and
--config-dir may have changed since or be gone, and what it drew would be drawn again. What it chose of a group is one
more choice of that group, so that another one may still be taken (`student=graph`); what was not known then has its
default.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from pate.accounting.guarantee import given
from pate.app.compose import CHOICES, SECTIONS, Config, own_kinds
from pate.errors import ConfigError
from pate.evaluation.again import model_of
from pate.evaluation.results import Results
from pate.evaluation.results_file import read_results
from pate.release.withheld import withheld
from pate.report.sweep.unfinished import UNFINISHED
from pate.report.sweep.unfinished import read as read_unfinished
from pate.workspace.files import Unreadable

EARLIER = "earlier"  # the name of its configuration, and of what it chose in each group
_ASKED_THEN = ("run", "stage", "force", "output", "input", "student_path", "views", "owner", "clean")
_FILES = ("dataset", "votes", "labels")  # whose `path` is relative to where a run is made
_OTHERS = re.compile(r"(--config-name|--config-path|-cn|-cp)\b")
_SEVERAL = ("sweep.json", "multirun.yaml", "compare.json")


@dataclass(frozen=True)
class Earlier:
    """A run as its folder tells of it; `base` is what its relative paths are relative to."""

    folder: Path
    found: Results
    base: Path

    @classmethod
    def of(cls, named: str) -> Earlier:
        """The run in this folder, or of this results.json; a ConfigError says why it is none."""
        place = Path(named).expanduser()
        folder = place.parent if place.name == "results.json" else place
        try:
            _refuse_unfinished(named, folder)
            found = read_results(folder / "results.json")
        except Unreadable as problem:
            raise ConfigError(f"run={named}: {folder / 'results.json'} {problem}") from None
        except OSError as error:
            raise ConfigError(f"run={named} cannot be read: {error.strerror}") from None
        if not {"workspace", "seed", "dataset"} <= found.config.keys():
            raise ConfigError(f"run={named}: its results.json does not tell its configuration")
        return cls(folder, found, _base(found, folder.resolve()))

    @property
    def workspace(self) -> Path:
        return Path(self._there(self.found.config["workspace"]))

    def config(self) -> dict[str, Any]:
        """What it was configured with, as far as it says what is computed; files are found from here too."""
        then = {name: value for name, value in self.found.config.items() if name not in _ASKED_THEN}
        then["workspace"] = str(self.workspace)
        if "compare" in then:  # by which measure, and not which runs
            then["compare"] = {name: value for name, value in then["compare"].items() if name != "runs"}
        for name in _FILES:
            if (then.get(name) or {}).get("path"):
                then[name] = then[name] | {"path": self._there(then[name]["path"])}
        usual = os.path.join("data", str(then["dataset"].get("name")))  # of a data set that names no path
        if then["dataset"].get("path") is None and self._there(usual) != usual and Path(self._there(usual)).is_dir():
            then["dataset"] = then["dataset"] | {"path": self._there(usual)}
        if then.get("delta") == then["dataset"].get("delta"):
            del then["delta"]  # the data set's, also if another one is chosen
        if "budget" in then:  # a stricter budget is given up by whoever says so, once
            then["budget"] = {name: value for name, value in then["budget"].items() if name != "lift"}
        return then

    def here(self, path: Path | None) -> Path | None:
        """A path of that run's, as it is from here."""
        return None if path is None else Path(self._there(str(path)))

    def _there(self, path: str) -> str:
        place = Path(path).expanduser()
        return path if place.is_absolute() or self.base == Path.cwd() else str(self.base / place)


def recall(overrides: Sequence[str]) -> str:
    """Which configuration these overrides are of: that of the run they name, made known to Hydra, or the usual one."""
    named = _said(overrides, "run")
    if named is None:
        return "config"
    if word := next((word for word in overrides if _OTHERS.match(word)), ""):
        raise ConfigError(f"{word}: run={named} brings a whole configuration, and this names another: leave one out")
    earlier = Earlier.of(named)
    _refuse_unknown(named, earlier.found.config)
    config = earlier.config()
    then, now = config.get("epsilon"), _said(overrides, "epsilon")
    if now is not None and (then is None or float(now) != then):
        raise ConfigError(
            f"run={named} has noise and queries of its own" + (f", for epsilon={given(then)}" if then else "") + ": "
            f"epsilon={now} plans them anew; name that run's choices in place of run="
        )
    if _said(overrides, "workspace") is None and not (earlier.workspace / "private").is_dir():
        raise ConfigError(
            f"run={named}: its workspace {earlier.workspace} is not there any more; workspace=FOLDER says where it is "
            "now"
        )
    if _said(overrides, "stage") == "predict" and _said(overrides, "student_path") is None:
        config["student_path"] = str(_student(named, earlier, overrides))
    _declare(config, earlier.found.config["workspace"])
    return EARLIER


def _declare(then: dict[str, Any], workspace: str) -> None:
    """The root with that run's values in the place of defaults, and its choices in the place of the usual ones."""
    root: Any = OmegaConf.to_container(OmegaConf.create(files("pate.conf").joinpath("config.yaml").read_text()))
    usual, store = root.pop("defaults"), ConfigStore.instance()
    groups = {name for entry in usual if isinstance(entry, dict) for name in entry if isinstance(then.get(name), dict)}
    defaults = [dict.fromkeys(entry, EARLIER) if groups & set(entry) else entry for entry in usual]
    for name in groups:
        chosen = then.pop(name)
        literal = _within(chosen, workspace) if name == "tracking" else _literal(chosen)  # its files lie there
        store.store(group=name, name=EARLIER, node=OmegaConf.create(literal, flags={"struct": False}))
    for name, value in then.items():
        partly = name in SECTIONS and isinstance(value, dict)  # a field that came later has its default
        root[name] = (root[name] if partly else {}) | _literal(value) if isinstance(value, dict) else _literal(value)
    store.store(name=EARLIER, node=OmegaConf.create({"defaults": defaults} | root))


def _literal(value: Any) -> Any:
    """A value that was composed, once more: what looks like an interpolation is none."""
    if isinstance(value, dict):
        return {name: _literal(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_literal(one) for one in value]
    return value.replace("${", "\\${") if isinstance(value, str) else value


def _within(chosen: dict[str, Any], workspace: str) -> dict[str, Any]:
    """What names a place in the workspace names it wherever that is now."""
    there = f"{workspace}/"
    return {
        name: "${workspace}/" + _literal(value.removeprefix(there))
        if isinstance(value, str) and value.startswith(there)
        else _literal(value)
        for name, value in chosen.items()
    }


def _student(named: str, earlier: Earlier, overrides: Sequence[str]) -> Path:
    """The model of the method that is named, or else of the one that left or may leave; an owner may ask any."""
    method = _said(overrides, "release.method") or ""
    owner = (_said(overrides, "owner") or "").lower() == "true"
    stored = replace(earlier.found, published=None)  # what left may have been taken away since
    places = (earlier.here(one) for one in (model_of(earlier.found, method, owner), model_of(stored, method, owner)))
    place = next((one for one in places if one is None or one.exists()), None)
    if place is None:
        which = f"no model of {method}" if method else "no model"
        rows = ", ".join(row.name for row in earlier.found.methods if row.private) or "none"
        why = withheld(earlier.found.notes)
        raise ConfigError(
            f"run={named}: {which} that may leave is part of it (its methods: {rows}{f'; {why}' if why else ''})"
            + ("" if owner else "; owner=true asks one of your own")
        )
    return place


def _said(overrides: Sequence[str], key: str) -> str | None:
    """What the last of these overrides that sets a key sets it to."""
    found = None
    for word in overrides:
        if word.partition("=")[0].lstrip("+") == key:
            (one,) = OverridesParser.create().parse_overrides([word])
            if one.is_sweep_override():
                if key == "run":
                    raise ConfigError(f"{word}: one run at a time; what it is swept over may be anything else")
                continue
            value = one.value()
            found = None if value is None else str(getattr(value, "text", value))
    return found


def _refuse_unfinished(named: str, folder: Path) -> None:
    """A ConfigError for whatever is not the folder of one run that came to its end."""
    if not folder.is_dir():
        raise ConfigError(f"run={named}: no such folder; give that of an earlier run, or its results.json")
    if (folder / UNFINISHED).exists():
        left = read_unfinished(folder / UNFINISHED)
        resume = f"; to resume: {left.resume}" if left.resume else ""
        raise ConfigError(f"run={named} did not finish: {left.error}{resume}")
    if os.path.lexists(folder / "results.json"):
        return
    if any((folder / name).is_file() for name in _SEVERAL):
        jobs = sorted(file.parent for file in folder.glob("*/results.json"))
        one = f", such as run={jobs[0]}" if jobs else ""
        raise ConfigError(f"run={named}: several runs, each with a configuration of its own; name one of them{one}")
    begun = (folder / ".hydra" / "overrides.yaml").is_file()
    raise ConfigError(
        f"run={named}: it left no results.json, so it did not finish, or was no run; its own command goes on with it"
        if begun
        else f"run={named}: holds no results.json, so it is no folder of a run"
    )


def _refuse_unknown(named: str, config: Iterable[str]) -> None:
    known = {item.name for item in fields(Config)} | set(CHOICES) | set(own_kinds())
    if unknown := sorted(set(config) - known):
        raise ConfigError(
            f"run={named}: nothing here knows its setting {unknown[0]}: another version made it, or a method of a "
            "package that is not installed"
        )


def _base(found: Results, folder: Path) -> Path:
    """Where it was made: above its workspace if it lies in that, which may have been moved since; else as it says."""
    workspace = Path(found.config["workspace"])
    for above in () if workspace.is_absolute() else folder.parents:
        if above / workspace in folder.parents and (above / workspace / "private").is_dir():
            return above
    return Path(found.made_in) if found.made_in else Path.cwd()
