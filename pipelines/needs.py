"""What a stage must have to be part of a run; one that is asked for without it is refused before anything is made."""

from pate.errors import ConfigError
from pate.settings import Settings
from pate.workspace.stage import Need

PUBLIC_INPUTS = Need(
    lambda settings: settings.has_public,
    "needs public inputs: dataset.public must be above 0",
)
PRIVATE_RECORDS = Need(
    lambda settings: settings.has_private,
    "needs private records, and the data set has none",
)
VOTES_OF_THIS_RUN = Need(
    lambda settings: not settings.labels.path,
    "is not part of a run that takes its labels from labels.path",
)
TEACHERS_OF_THIS_RUN = Need(
    lambda settings: not settings.votes.path,
    "is not part of a run that takes its votes from votes.path",
)
QUERIES_FIXED_IN_ADVANCE = Need(
    lambda settings: settings.labels.selection != "active",
    "draws nothing, and labels.selection=active asks by earlier answers",
)
TWO_EPSILONS = Need(
    lambda settings: settings.dpsgd.epsilon == "pate" and settings.labels.selection != "active",
    "is part of runs with two epsilons of PATE's: dpsgd.epsilon=pate, not active",
)


def images_for(group: str, settings: Settings) -> None:
    """What learns from images fits no table: said before any label is drawn, and not after."""
    chosen, dataset = getattr(settings, group), settings.dataset
    if chosen.needs_images and not dataset.missing() and dataset.image_shape() is None:
        raise ConfigError(f"{group}={type(chosen).__name__} needs images (n x H x W), and {dataset.name} has rows")
