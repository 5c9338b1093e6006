"""sanitise: what the labels cost on this very data set, with noise that lets it be published, and what that costs."""

from dataclasses import replace

from pate.accounting.costs import relation
from pate.accounting.mechanism import require_known
from pate.accounting.smooth_sensitivity import Sanitised, cost_of_release, sanitised_epsilon
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.ledger.ledger import Release
from pate.noise import source
from pate.release.withheld import withheld
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import QUERIES, SANITISED, VOTES
from .needs import A_THEOREM_TO_PUBLISH_BY, PUBLIC_INPUTS, VOTES_OF_THIS_RUN


@stage(
    reads=[VOTES, QUERIES],
    writes=[SANITISED],
    config=["aggregator", "delta", "sanitise", "noise"],
    sees={"partition": "it made the partitions the votes are of, and is in what was declared to get to them"},
    needs=[PUBLIC_INPUTS, VOTES_OF_THIS_RUN, A_THEOREM_TO_PUBLISH_BY],
    crosses="Gaussian noise in proportion to the smooth sensitivity of the price (Papernot et al. 2018, Appendix B)",
)
def sanitise(run: Run, votes: Votes, queries: Queries) -> Sanitised:
    settings, wanted = run.settings, run.settings.sanitise
    require_known(settings.aggregator)
    sigma = settings.aggregator.smooth_sigma
    assert sigma is not None  # others are refused: the bounds are those of GNMax
    noise, promise = source(settings.noise.seed), relation(settings.partition.group_by)
    release = Release(
        kind="sanitised epsilon",
        mechanism="the divergence at one order plus Gaussian (floating-point) noise, by smooth sensitivity",
        parameters={"order": wanted.order, "beta": wanted.beta, "sigma_ss": wanted.sigma_ss},
        relation=promise,
        cost=cost_of_release(wanted.beta, wanted.sigma_ss, settings.delta),
    )
    run.spending.whole(release, begun=False)
    found = sanitised_epsilon(
        votes.counts[queries.index],
        sigma,
        wanted.order,
        wanted.beta,
        wanted.sigma_ss,
        settings.delta,
        noise,
        relation=promise,
    )
    why = withheld(run.all_notes)
    run.summary = f"{found.priced().without(why)}; its own release is included, and queries were fixed in advance"
    return replace(found, publishable=not why)
