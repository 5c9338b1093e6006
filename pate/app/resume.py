"""The commands that go on where a run stopped: finished stages and teachers are stored, so nothing is done twice."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import cast

from hydra.conf import HydraConf
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Quote, QuotedString
from hydra.types import RunMode
from omegaconf import ListConfig, OmegaConf

from pate.app.earlier import EARLIER

_PLAIN = re.compile(r"[\w./-]+", re.ASCII)  # what Hydra reads as one value without quotes


def same_command(arguments: Sequence[str], begun: Collection[str]) -> str:
    """The command line again, without forcing what was forced: a stage that has begun needs it no more."""
    return shlex.join(["pate", *(again for one in arguments if (again := _less_force(one, begun)))])


def job_alone(folder: Path, begun: Collection[str]) -> str:
    """The running job of a sweep as a command of its own: its overrides, its workspace, its folder."""
    config = HydraConfig.get()
    started = Path(config.runtime.cwd)
    where = str(folder.relative_to(started) if folder.is_relative_to(started) else folder)
    if not _PLAIN.fullmatch(where):
        where = QuotedString(where, Quote.single).with_quotes()
    alike = ["hydra.job.chdir=true"] if config.job.chdir else []  # then its workspace is in its folder
    overrides = cast(list[str], OmegaConf.to_container(cast(ListConfig, config.overrides.task)))  # ${seed} as it is
    return same_command([*flags(config), *overrides, f"hydra.run.dir={where}", *alike], begun)


def flags(config: HydraConf) -> Iterator[str]:
    """Where its configuration came from, if not from this package."""
    for source in config.runtime.config_sources:
        if source.provider == "command-line":
            yield from ("--config-dir", source.path)
        elif source.provider == "main" and source.path != "pate.conf":
            yield from ("--config-path", source.path)
    if config.job.config_name not in ("config", EARLIER):
        yield from ("--config-name", str(config.job.config_name))


def sweep_of(folder: Path) -> Path | None:
    """The folder of the sweep that the run in this one is a job of: Hydra leaves its multirun.yaml there, which a job
    that is resumed alone finds too."""
    config = HydraConfig.get()
    if config.mode == RunMode.MULTIRUN:
        return Path(config.runtime.cwd, config.sweep.dir)
    return next((one for one in folder.parents if (one / "multirun.yaml").is_file()), None)


def _less_force(argument: str, begun: Collection[str]) -> str:
    name, _, value = argument.partition("=")
    if name != "force":
        return argument
    left = [stage for stage in re.findall(r"\w+", value) if stage not in begun]
    return f"force=[{','.join(left)}]" if left else ""
