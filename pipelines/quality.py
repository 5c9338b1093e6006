"""quality: how often labels would be right, at this noise and at others. For the owner; draws nothing."""

from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.data.split import Truth
from pate.evaluation.quality import Quality
from pate.evaluation.quality import quality as score
from pate.release.chosen import Table
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import QUALITY, QUERIES, TRUTH, VOTES
from .needs import PUBLIC_INPUTS, QUERIES_FIXED_IN_ADVANCE, VOTES_OF_THIS_RUN


@stage(
    reads=[TRUTH, VOTES, QUERIES],
    writes=[QUALITY],
    config=["aggregator", "quality"],
    needs=[QUERIES_FIXED_IN_ADVANCE, PUBLIC_INPUTS, VOTES_OF_THIS_RUN],
)
def quality(run: Run, truth: Truth, votes: Votes, queries: Queries) -> Quality:
    settings = run.settings
    run.facts = Table(accounts=(run.origin(VOTES.name)[1],), known=False).plain()
    found = score(votes, truth.public_y, queries.index, settings.aggregator, settings.quality.gammas)
    shares = {
        "one teacher": found.teacher_accuracy,
        "plurality": found.plurality_accuracy,
        "labels": found.pool_accuracy,
        f"the {found.queries} asked for": found.label_accuracy,
    }
    right = ", ".join(f"{name} {share:.2%}" for name, share in shares.items() if share is not None)
    run.summary = f"right: {right or 'unknown'}; median gap {found.median_gap:g} of {found.teachers} votes"
    return found
