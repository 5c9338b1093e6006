"""What has to hold before anything runs: whatever the configuration alone can tell is said at once, in one line."""

from __future__ import annotations

from omegaconf import DictConfig

from pate.app.compose import settle
from pate.app.verbs import asked, verb_of
from pate.errors import one_of
from pate.settings import Settings
from pate.workspace.owner import refuse_anothers


def checked(config: DictConfig) -> Settings:
    """The settings of a composed configuration, or a ConfigError; nothing is written either way."""
    settings = settle(config)
    one_of("stage", settings.stage, asked())
    refuse_anothers(settings.workspace)
    verb_of(settings).require(settings)
    return settings
