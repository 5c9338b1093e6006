"""Runs of a grid that nobody ran, and what is to be drawn of them."""

from pate.accounting.guarantee import KEPT, for_every, for_this
from pate.evaluation.curve import Failed, LeftOut, Ran, curve
from pate.evaluation.leads import Lead
from pate.evaluation.measure import ACCURACY
from pate.evaluation.results import Baseline, Labelling, MethodResult, Results, StageResult


def row(name, accuracy, epsilon, *, delta=1e-5, error=0.01, over=None, **known):
    """`over` are leads over other methods, in accuracy, each of a standard error of 0.01."""
    prices = [for_this("a", epsilon / 4, delta, "t"), for_every("b", epsilon, delta, "t").without(KEPT)]
    return MethodResult(
        name=name,
        title=name,
        stage=name,
        guarantees=prices,
        metrics={"accuracy": accuracy, "log_loss": 1 - accuracy},
        standard_errors={"accuracy": error},
        leads={
            other: {"accuracy": Lead(by, 0.01, 0.01 if abs(by) > 0.02 else 0.5)} for other, by in (over or {}).items()
        },
        kept=True,
        **known,
    )


def ran(epsilon, seed, *rows, keys=None, measure=ACCURACY, queries=7, **known):
    """`keys` say which models are the same as those of another run."""
    given = {one.name: StageResult((keys or {}).get(one.name, f"{one.name}/{epsilon}/{seed}"), False) for one in rows}
    bound = MethodResult("bound", "bound", private=False, stage="bound", metrics={"accuracy": 0.99})
    return Ran(
        epsilon,
        seed,
        Results(
            methods=[*rows, bound],
            pate=Labelling(queries=queries),
            stages=given | {"bound": StageResult("bound", True)},
            config={"dataset": {"name": "toy"}},
            notes=["a note"],
            measure=measure,
            baseline=Baseline("a", {"accuracy": 0.3}, {"accuracy": 0.02}),
            **known,
        ),
    )


def made_up(**known):
    """Two methods at three epsilons, of which one has no point at the smallest; and one run that failed."""
    return curve(
        "toy",
        [
            ran(0.1, 0, row("sums", 0.6, 0.1)),
            ran(1.0, 0, row("votes", 0.7, 0.998, from_labels=True, mark="o", colour="pate"), row("sums", 0.8, 1.0)),
            ran(4.0, 0, row("votes", 0.9, 3.99, from_labels=True, mark="o", colour="pate"), row("sums", 0.85, 4.0)),
        ],
        [0.1, 1.0, 4.0, 8.0],
        [0],
        [LeftOut("votes", 0.1, "no noise is <enough>")],
        [Failed(8.0, 0, "the <disk> is full")],
        **{"command": "pate stage=curve"} | known,
    )
