"""The words of a command line: those Hydra would not understand are refused in one line, with what was meant."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NoReturn

from hydra._internal.utils import get_args_parser

from pate.errors import ConfigError, did_you_mean, nearest

_EVERYTHING = ("run", "start", "go", "main", "pipeline")


def understood(arguments: Sequence[str], stages: Sequence[str]) -> list[str]:
    """A command line that Hydra takes, or a ConfigError about its first word that it would not."""
    parser = get_args_parser()
    parser.error = _refuse  # type: ignore[method-assign, assignment]
    shows_version: Any = next(action for action in parser._actions if action.dest == "version")
    shows_version.version = f"pate {version('pate-pipelines')}"  # in place of Hydra's
    known, unknown = parser.parse_known_args(list(arguments))
    for word in unknown:
        if word.startswith("-"):
            options = ("--quiet", *(name for action in parser._actions for name in action.option_strings))
            raise ConfigError(f"{word}: no such option{did_you_mean(word, options) or '; see pate --help'}")
        raise ConfigError(f"{word}: an option stands between the settings; put it before or behind all of them")
    for word in known.overrides:
        if "=" not in word and not word.startswith("~") and word != "help":
            raise ConfigError(f"{word}: expected key=value{_meant(word, stages) or '; see pate --help'}")
    asks = "help" in known.overrides
    return [*(word for word in arguments if not (asks and word == "help")), *["--help"] * asks]


def _meant(word: str, stages: Sequence[str]) -> str:
    """A stage, a choice or a group by its name alone."""
    if word in _EVERYTHING:
        return "; did you mean `pate` alone, which runs everything, or stage=NAME?"
    named = {stage: f"stage={stage}" for stage in stages}
    for group, choices in _groups().items():
        plus = "+" * (group == "experiment")
        named |= {choice: f"{plus}{group}={choice}" for choice in choices if choice not in named}
        named.setdefault(group, f"{plus}{group}=CHOICE")
    best = nearest(word, named)
    return f"; did you mean {named[best]}?" if best else ""


def _groups() -> dict[str, list[str]]:
    """The choices of every group, as the package brings them."""
    folders = [folder for folder in files("pate.conf").iterdir() if folder.is_dir() and folder.name != "hydra"]
    return {
        folder.name: sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))
        for folder in sorted(folders, key=lambda folder: (folder.name != "dataset", folder.name))
    }


def _refuse(message: str) -> NoReturn:
    """argparse would print its usage, over many lines."""
    raise ConfigError(f"{message}; see pate --help")
