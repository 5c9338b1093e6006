"""account: what the answered queries cost, by every accountant. Pricing draws nothing, so delta may change freely."""

from pate.accounting.ladder import price
from pate.accounting.price import Costs, shown
from pate.aggregation.labels import Labels
from pate.aggregation.votes import Votes
from pate.runner import Run
from pate.stage import stage

from .artifacts import COSTS, LABELS, VOTES


@stage(reads=[VOTES, LABELS], writes=[COSTS], config=["aggregator", "delta"])
def account(run: Run, votes: Votes, labels: Labels) -> Costs:
    costs = price(run.settings.aggregator, votes.counts[labels.index], run.settings.delta)
    best, publishable = costs.best, costs.publishable
    run.summary = (
        f"epsilon {shown(best.epsilon)} ({best.accountant}, {best.guarantee}); publishable "
        f"{shown(publishable.epsilon)} ({publishable.accountant}); delta {costs.delta:g}, {costs.relation}"
    )
    return costs
