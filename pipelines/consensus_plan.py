"""What a consensus would draw, told by the configuration alone: of no private record."""

from typing import Any

from pate.accounting.ladder import worst_case
from pate.consensus.noisy_sum import Plan
from pate.settings import Settings

from .needs import PATE

PATES = ["aggregator", "labels.queries", "teachers.count"]  # what PATE's epsilon for every data set depends on
SEES = {"dataset": "how many private records there are is part of the key; what is in them reaches no basis"} | (
    dict.fromkeys(PATES, "PATE's epsilon, where it is asked for, is part of the key")
)


def asked(settings: Settings) -> float:
    """The epsilon asked for: a number, or what PATE may publish, which no vote tells."""
    epsilon = settings.consensus.epsilon
    if epsilon != PATE:
        return float(epsilon)
    return worst_case(settings.aggregator, settings.labels.queries, settings.teachers.count, settings.delta).epsilon


def planned(settings: Settings) -> Plan:
    plan, budgets = (
        settings.consensus.plan(asked(settings), settings.delta, settings.partition.group_by),
        settings.partition.allowed,
    )
    return plan.keeping(budgets) if budgets else plan


def counted(settings: Settings) -> list[Any]:
    """What else decides which directions stand out: how many records there are, and the epsilon as a number."""
    return [settings.dataset.sizes().private, asked(settings)]
