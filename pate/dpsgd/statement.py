"""What the card of a model trained by DP-SGD says about privacy."""

from __future__ import annotations

from collections.abc import Mapping

from pate.dpsgd.accountant import Spent
from pate.release.statement import Statement

_TRAINED = (
    "It learned from the private records by DP-SGD: every step saw a random lot of them, and only through a sum of "
    "clipped gradients to which noise was added."
)
_TRAINER = (
    "**A trusted trainer.** Whoever ran the training saw the private records, and is trusted to have kept them; no "
    "gradient, loss or model from along the way was published."
)
_LOTS = "**The lots.** Each step drew each record on its own, by chance, and its plan was fixed before the first."


def of_gradients(spent: Spent, *, data: str, account: Mapping[str, str] | None = None) -> Statement:
    """What a training paid, by a plan that was fixed before its first step."""
    mechanism = (
        f"DP-SGD, {spent.steps} sums of clipped gradients with Gaussian (floating-point) noise of multiplier "
        f"{spent.noise_multiplier:.4g}, each over records drawn on their own with probability "
        f"{spent.sampling_rate:.4g}"
    )
    if spent.pca_noise is not None:
        mechanism += f"; before them, second moments of all records with noise of multiplier {spent.pca_noise:.4g}"
    return Statement(
        method="DP-SGD",
        data=data,
        mechanism=mechanism,
        learned=_TRAINED,
        trusted=_TRAINER,
        guarantee=spent.guarantee(),
        replace_one=spent.replace_one(),
        rests_on=(_LOTS,),
        exact_noise=False,
        account=account,
    )
