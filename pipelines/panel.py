"""panel: what other noise, more queries or another delta would cost. For the owner; draws nothing."""

import numpy as np

from pate.accounting.costs import relation
from pate.aggregation.selection import Queries, in_order
from pate.aggregation.votes import Votes
from pate.report.run.panel import Panel
from pate.report.run.panel import panel as priced
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import PANEL, QUERIES, VOTES
from .needs import PUBLIC_INPUTS, VOTES_OF_THIS_RUN


@stage(
    reads=[VOTES, QUERIES],
    writes=[PANEL],
    config=["aggregator", "delta", "partition", "labels.selection", "seed"],
    needs=[PUBLIC_INPUTS, VOTES_OF_THIS_RUN],
)
def panel(run: Run, votes: Votes, queries: Queries) -> Panel:
    settings, selection = run.settings, run.settings.labels.selection
    nested = selection in ("random", "first")
    order = in_order(selection, len(votes.counts), settings.seed) if nested else queries.index
    order = order[: 2 * len(queries.index)]
    predictions = None if votes.predictions is None else np.asarray(votes.predictions[:, order])
    run.summary = "what other settings would cost on these votes: the owner's"
    return priced(
        settings.aggregator,
        votes.counts[order],
        predictions,
        len(queries.index),
        settings.delta,
        relation(settings.partition.group_by),
        adaptive=selection == "active",
        exact_order=nested,
        n_jobs=settings.n_jobs,
    )
