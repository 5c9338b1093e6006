"""What the card of a model learned from a noisy sum says about privacy."""

from __future__ import annotations

from collections.abc import Mapping

from pate.consensus.noisy_sum import NoisySum
from pate.release.statement import PUBLIC_INPUTS, Statement

_SUMMED = (
    "Every private record answered, in one bounded vector, where it stands among the public inputs and of which class "
    "it is. Sums of all answers were released with noise; this model learned from public inputs and what was released "
    "alone."
)
_ADDER = (
    "**A trusted adder.** Whoever added the answers and the noise saw the private records, and is trusted to have kept "
    "them; nothing but noisy sums was published."
)
_BASIS = (
    "**The basis.** In which directions records answer was fixed by public inputs, the number of records and the "
    "epsilon alone, and no record that counts as private is among the public inputs."
)
_BUDGETS = (
    "**Budgets of their own.** A record gave less of its answer where it allowed less; what it allowed was read from a "
    "cell of its own, and what each cell means was declared beforehand. A record with a cell that nobody declared gave "
    "nothing. That of each cell holds for a record with this cell replaced by nothing, cell and all, and for this "
    "release alone. Which of two cells a record has is hidden by both their epsilons together, and no better."
)


def of_sum(drawn: NoisySum, *, data: str, account: Mapping[str, str] | None = None) -> Statement:
    """What noisy sums paid; their noise follows from the epsilon, whatever the records."""
    found, other = drawn.guarantees()
    times, directions, classes = drawn.total.shape
    return Statement(
        method="consensus",
        data=data,
        mechanism=drawn.mechanism,
        learned=_SUMMED,
        trusted=_ADDER,
        guarantee=found,
        replace_one=other,
        facts=(
            ("sums released", f"{times}, each of {directions} directions x {classes} classes"),
            *((f"a record whose {where}", str(one)) for where, one in drawn.of_levels()),
        ),
        rests_on=(_BASIS, *[_BUDGETS] * bool(drawn.levels)),
        not_covered=(PUBLIC_INPUTS,),
        exact_noise=drawn.exact_noise,
        account=account,
    )
