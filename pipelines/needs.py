"""What a stage must have to be part of a run; one that is asked for without it is refused before anything is made."""

from pate.errors import ConfigError
from pate.settings import Settings
from pate.workspace.stage import Need

PATE, CONSENSUS = "pate", "consensus"  # keys, for what stands beside them: at PATE's epsilon, or as a student's bound
NOT_RELEASED = "{0} was made for your comparison: to release it, and to spend it, add release.method={0}"
NAME_IT = "it is made for your comparison until it is named: add release.method={}"
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
A_THEOREM_TO_PUBLISH_BY = Need(
    lambda settings: settings.aggregator.smooth_sigma is not None and settings.labels.selection != "active",
    "covers aggregator=gnmax aggregator.noise=continuous and queries fixed in advance: no theorem is known here for "
    "others",
)
TWO_EPSILONS = Need(
    lambda settings: settings.dpsgd.epsilon == PATE and settings.labels.selection != "active",
    "is part of runs with two epsilons of PATE's: dpsgd.epsilon=pate, not active",
)


def teaches(settings: Settings) -> bool:
    """Whether PATE is part of this run: it needs public inputs to ask about."""
    return PATE in settings.methods and settings.has_public


def a_student_learns(settings: Settings) -> bool:
    """Whether the run's student learns from anything that is released: from PATE's labels, or from a consensus."""
    consensus = CONSENSUS in settings.methods and settings.consensus.student == "student"
    return teaches(settings) or (consensus and settings.has_public)


def labels_have_a_price(settings: Settings) -> bool:
    """What PATE's labels cost is known where they are drawn."""
    return teaches(settings) and not settings.labels.path


def images_for(group: str, settings: Settings) -> None:
    """What learns from images fits no table: said before any label is drawn, and not after."""
    chosen, dataset = getattr(settings, group), settings.dataset
    if chosen.needs_images and not dataset.missing() and dataset.image_shape() is None:
        raise ConfigError(f"{group}={type(chosen).__name__} needs images (n x H x W), and {dataset.name} has rows")
