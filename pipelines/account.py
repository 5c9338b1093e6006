"""account: what the answered queries cost, by every accountant. Pricing draws nothing, so delta may change freely."""

from pate.accounting.ladder import price
from pate.accounting.price import Costs, shown
from pate.aggregation.labels import Labels
from pate.aggregation.votes import Votes
from pate.noise import SEEDED
from pate.runner import Run
from pate.stage import stage

from .artifacts import COSTS, LABELS, VOTES


@stage(reads=[VOTES, LABELS], writes=[COSTS], config=["aggregator", "delta"])
def account(run: Run, votes: Votes, labels: Labels) -> Costs:
    costs = price(run.settings.aggregator, votes.counts[labels.index], run.settings.delta)
    best, publishable = costs.best, costs.publishable
    may_leave = "nothing is publishable, " + SEEDED if labels.seeded else f"publishable {shown(publishable.epsilon)}"
    run.summary = (
        f"epsilon {shown(best.epsilon)} ({best.accountant}, {best.guarantee}); "
        f"{may_leave} ({publishable.accountant}); delta {costs.delta:g}, {costs.relation}"
    )
    return costs
