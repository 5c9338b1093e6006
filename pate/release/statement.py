"""What goes out with a model: what its card says about privacy, and nothing computed from private data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pate.accounting.guarantee import REPLACE_ONE, ZERO_OUT, Guarantee, Relation
from pate.accounting.ladder import worst_case
from pate.aggregation.aggregator import Aggregator
from pate.release.chosen import Chosen


@dataclass(frozen=True)
class Statement:
    """A guarantee that holds for every data set, and what it rests on.

    `guarantee` is None where none is known: then the card says so, and promises nothing. `learned` says how the model
    came about, `trusted` who saw private records, `rests_on` and `not_covered` what else to know of this method, each a
    point of the card. `facts` are rows of its table. `exact_noise` is false where noise was drawn in floating point.
    `account` is what all releases from the same data come to, by name, if known, and `chosen` how this model was.
    """

    method: str
    data: str
    mechanism: str
    learned: str
    trusted: str
    guarantee: Guarantee | None = None
    replace_one: Guarantee | None = None
    facts: Sequence[tuple[str, str]] = ()
    rests_on: Sequence[str] = ()
    not_covered: Sequence[str] = ()
    exact_noise: bool = True
    account: Mapping[str, str] | None = None
    chosen: Chosen | None = None

    def __post_init__(self) -> None:
        if self.guarantee is None:
            return
        if not self.guarantee.publishable or self.guarantee.data_dependent:
            raise ValueError("what leaves holds for every data set, and nothing keeps it from being published")
        if not (math.isfinite(self.guarantee.epsilon) and self.guarantee.accountant and self.guarantee.theorem):
            raise ValueError("an epsilon is a finite number, and stands with its accountant and theorem")


_STUDENT = (
    "Teachers learned on disjoint parts of the private records and voted on public inputs. A noisy count of their "
    "votes labelled some of those inputs, and this model, the student, learned from public inputs and these noisy "
    "labels alone."
)
_AGGREGATOR = (
    "**A trusted aggregator.** Whoever trained the teachers, counted their votes and added the noise saw what is "
    "private, and is trusted to have kept it. The promise is about what was published, not about them."
)
_ADAPTIVE = (
    "**The queries** were chosen in rounds from public inputs and earlier noisy answers. The epsilon above is the sum "
    "of worst cases, and holds for queries chosen like that."
)
_FIXED = (
    "**The queries** were chosen from public inputs. The epsilon above holds however that was done, also by looking at "
    "earlier answers."
)
PUBLIC_INPUTS = "**The public inputs.** They are not protected."


def of_a_file(data: str, mechanism: str) -> Statement:
    """Of labels that came from elsewhere: what they cost is not known here."""
    return Statement("PATE", data, mechanism, _STUDENT, _AGGREGATOR, not_covered=(PUBLIC_INPUTS,))


def of_votes(
    aggregator: Aggregator,
    queries: int,
    teachers: int | None,
    delta: float,
    *,
    data: str,
    relation: Relation = ZERO_OUT,
    adaptive: bool = False,
    account: Mapping[str, str] | None = None,
) -> Statement:
    """The least price of so many answers that holds for every data set: no vote is looked at.

    It is the same under replace-one, because a record moves one vote either way; not for groups, whose name says
    which teacher they go to: another person in their place changes two. Where the number of teachers is not known,
    those that need it are left out.
    """
    found = worst_case(aggregator, queries, teachers or None, delta)
    who = "all records of one group" if relation.group else "each record"
    split = (
        f"**The split.** Which records are private does not depend on what is in them, {who} reached one teacher only, "
        "and no record that counts as private is among the public inputs."
    )
    return Statement(
        method="PATE",
        data=data,
        mechanism=aggregator.describe(),
        learned=_STUDENT,
        trusted=_AGGREGATOR,
        guarantee=replace(found, relation=relation),
        replace_one=replace(found, relation=REPLACE_ONE) if relation == ZERO_OUT else None,
        facts=(
            ("queries", f"{queries}, every one of them paid for, answered or not"),
            *((("teachers", str(teachers)),) if teachers is not None else ()),
        ),
        rests_on=(split, _ADAPTIVE if adaptive else _FIXED),
        not_covered=(PUBLIC_INPUTS,),
        exact_noise=aggregator.exact_noise,
        account=account,
    )
