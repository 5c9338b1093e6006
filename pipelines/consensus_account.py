"""consensus_account: what one noisy sum would cost and could say, at this epsilon and at others. It draws nothing, and
reads no private record."""

from pate.consensus.forecast import Forecast, forecast
from pate.data.split import Public
from pate.features.encoder import Encoded
from pate.release.withheld import withheld
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import FORECAST, PUBLIC, PUBLIC_FEATURES
from .consensus_plan import SEES, asked, counted
from .needs import PRIVATE_RECORDS, PUBLIC_INPUTS


@stage(
    reads=[PUBLIC, PUBLIC_FEATURES],
    writes=[FORECAST],
    config=["consensus", "delta", "partition"],
    ignores=["consensus.student"],
    sees=SEES,
    needs=[PUBLIC_INPUTS, PRIVATE_RECORDS],
    derived=counted,
)
def consensus_account(run: Run, public: Public, public_features: Encoded) -> Forecast:
    settings, classes = run.settings, len(public.classes)
    found = forecast(
        settings.consensus,
        public_features.x,
        classes,
        settings.dataset.sizes().private,
        settings.delta,
        settings.partition.group_by,
        asked(settings),
    )
    told = "; ".join(str(one.without(withheld(run.all_notes))) for one in found.guarantees())
    whole = f", as if every '{settings.partition.budget_by}' allowed all of it" if settings.partition.allowed else ""
    run.summary = f"{found.describe()}{whole}: {told}, once it is named and drawn"
    return found
