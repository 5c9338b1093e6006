"""account: what answering the queries costs, by every accountant. It draws nothing, so it can be asked beforehand."""

import numpy as np

from pate.accounting.costs import Costs, Plan, relation
from pate.accounting.guarantee import KEPT, shown
from pate.accounting.ladder import price
from pate.accounting.plan import CHOSEN_ON_VOTES, queries_for, queries_for_votes
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.release.withheld import withheld
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import COSTS, PLAN, QUERIES, VOTES
from .needs import PUBLIC_INPUTS, VOTES_OF_THIS_RUN

_CONFIG = ["aggregator", "delta", "partition", "noise", "account"]
_NEEDS = [PUBLIC_INPUTS, VOTES_OF_THIS_RUN]


@stage(reads=[VOTES, QUERIES], writes=[COSTS, PLAN], config=_CONFIG, needs=_NEEDS)
def account(run: Run, votes: Votes, queries: Queries) -> tuple[Costs, Plan]:
    return _told(run, votes, queries.index)


@stage(
    name="account",
    reads=[VOTES, QUERIES],
    writes=[COSTS, PLAN],
    config=_CONFIG,
    needs=_NEEDS,
    derived=lambda settings: KEPT,
)
def account_kept(run: Run, votes: Votes, queries: Queries) -> tuple[Costs, Plan]:
    """Of labels that are the owner's: what they would cost."""
    return _told(run, votes, queries.index, KEPT)


def _told(run: Run, votes: Votes, asked: np.ndarray, kept: str = "") -> tuple[Costs, Plan]:
    settings = run.settings
    predictions = None if votes.predictions is None else votes.predictions[:, asked]
    promise = relation(settings.partition.group_by)
    for_all = not settings.account.data_dependent
    costs = price(settings.aggregator, votes.counts[asked], settings.delta, predictions, promise, adaptive=for_all)
    run.summary = f"{len(asked)} queries: {costs.describe(withheld(run.all_notes) or kept)}"
    return costs, _plan(run, votes)


@stage(
    name="account",
    reads=[VOTES],
    writes=[COSTS, PLAN],
    config=[*_CONFIG, "labels.queries"],
    needs=_NEEDS,
)
def account_in_rounds(run: Run, votes: Votes) -> tuple[Costs, Plan]:
    """Queries chosen from earlier answers: what so many answers cost, whatever was asked and voted."""
    settings, queries = run.settings, run.settings.labels.queries
    counts, promise = votes.counts[:queries], relation(settings.partition.group_by)
    costs = price(settings.aggregator, counts, settings.delta, relation=promise, adaptive=True)
    run.summary = f"{queries} queries: {costs.describe(withheld(run.all_notes))}"
    return costs, _plan(run, votes)


def _plan(run: Run, votes: Votes) -> Plan:
    """How many queries the target epsilon buys, if one was given."""
    settings, target = run.settings, run.settings.account.target_epsilon
    if target is None:
        return Plan()
    pool, on_votes = len(votes.counts), settings.account.on_votes
    if on_votes:
        fit = queries_for_votes(settings.aggregator, target, settings.delta, votes.counts)
        run.notes += (CHOSEN_ON_VOTES,)
    else:
        fit = queries_for(settings.aggregator, target, settings.delta, votes.teachers, pool)
    run.summary += f"; {fit} queries fit epsilon {shown(target)}" + " on these votes" * on_votes
    return Plan(target, fit, on_votes)
