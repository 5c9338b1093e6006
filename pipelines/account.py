"""account: what answering the queries costs, by every accountant. It draws nothing, so it can be asked beforehand."""

from pate.accounting.ladder import price
from pate.accounting.plan import CHOSEN_ON_VOTES, queries_for, queries_for_votes
from pate.accounting.price import Costs, Plan, relation, shown
from pate.aggregation.selection import select
from pate.aggregation.votes import Votes
from pate.noise import SEEDED
from pate.runner import Run
from pate.stage import stage

from .artifacts import COSTS, PLAN, VOTES

_QUERIES = ["labels.queries", "labels.selection", "seed"]


@stage(reads=[VOTES], writes=[COSTS, PLAN], config=["aggregator", "delta", "partition", "noise", "account", *_QUERIES])
def account(run: Run, votes: Votes) -> tuple[Costs, Plan]:
    settings = run.settings
    asked = select(settings.labels.selection, settings.labels.queries, len(votes.counts), settings.seed)
    predictions = None if votes.predictions is None else votes.predictions[:, asked]
    promise = relation(settings.partition.group_by)
    costs = price(settings.aggregator, votes.counts[asked], settings.delta, predictions, promise)
    seeded = settings.noise.seed is not None
    run.summary = f"{len(asked)} queries: {costs.describe(seeded)}"
    run.notes += (SEEDED,) * seeded
    return costs, _plan(run, votes)


def _plan(run: Run, votes: Votes) -> Plan:
    """How many queries the target epsilon buys, if one was given."""
    settings, target = run.settings, run.settings.account.target_epsilon
    if target is None:
        return Plan()
    pool, on_votes = len(votes.counts), settings.account.on_votes
    if on_votes:
        order = select(settings.labels.selection, pool, pool, settings.seed)
        fit = queries_for_votes(settings.aggregator, target, settings.delta, votes.counts[order])
        run.notes += (CHOSEN_ON_VOTES,)
    else:
        fit = queries_for(settings.aggregator, target, settings.delta, votes.teachers, pool)
    run.summary += f"; {fit} queries fit epsilon {shown(target)}" + " on these votes" * on_votes
    return Plan(target, fit, on_votes)
