"""A guarantee: an epsilon with everything it is never without. It alone decides how one is rounded and worded.

(epsilon, delta)-differential privacy: for any two data sets that are neighbours under `relation`, and any event E,
Pr[M(D) in E] <= exp(epsilon) Pr[M(D') in E] + delta (Dwork & Roth 2014, Definition 2.4).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Literal, Self

HoldsFor = Literal["this data set", "every data set"]
KEPT = "the owner's, not publishable"


class Adjacency(Enum):
    """What happens to a unit of data between neighbours."""

    ZERO_OUT = "replaced by nothing"  # positions stay (dp_accounting: REPLACE_SPECIAL)
    REPLACE_ONE = "replaced by another"
    LABEL_ONLY = "with another label"
    LOCAL = "replaced by another, before it is sent"

    @property
    def term(self) -> str:
        """The field's word for it."""
        return _TERMS[self]


_TERMS = {
    Adjacency.ZERO_OUT: "zero-out adjacency",
    Adjacency.REPLACE_ONE: "replace-one adjacency",
    Adjacency.LABEL_ONLY: "label differential privacy",
    Adjacency.LOCAL: "local differential privacy",
}


@dataclass(frozen=True)
class Relation:
    """Which data sets are neighbours: one record of theirs differs, or all of one `group`, a column that names whose a
    record is."""

    adjacency: Adjacency = Adjacency.ZERO_OUT
    group: str | None = None

    def __str__(self) -> str:
        return f"{f'all records of one {self.group}' if self.group else 'one record'} {self.adjacency.value}"

    @classmethod
    def of(cls, text: str) -> Relation:
        """The relation of these words; a ValueError if they say none."""
        for adjacency in Adjacency:
            found = re.fullmatch(rf"(one record|all records of one (.+)) {adjacency.value}", text, re.DOTALL)
            if found:
                return cls(adjacency, found[2])
        raise ValueError(f"{text!r} is no neighbouring relation")

    @classmethod
    def common(cls, several: Iterable[Relation]) -> Relation:
        """What several releases promise together. One record is part of its person's records, so what hides all of them
        hides it, and not the other way round; only zero-out and replace-one of the same unit are never mixed."""
        found = set(several) or {cls()}
        if len({one.adjacency for one in found}) > 1:
            raise ValueError("guarantees under different adjacencies do not add up")
        return found.pop() if len(found) == 1 else cls(found.pop().adjacency)


def neighbours(several: Iterable[Relation]) -> str:
    """Which data sets are neighbours, with the field's word for it, said once where it is the same for all."""
    found = sorted(set(several), key=str)
    if len({one.adjacency for one in found}) == 1:
        return f"{'; '.join(map(str, found))} ({found[0].adjacency.term})"
    return "; ".join(f"{one} ({one.adjacency.term})" for one in found)


ZERO_OUT = Relation()
REPLACE_ONE = Relation(Adjacency.REPLACE_ONE)


@dataclass(frozen=True)
class Guarantee:
    """What one accountant says of one release, or of several together.

    A data-dependent epsilon is a function of the private data: valid only for queries fixed in advance, and for the
    owner's eyes unless it is `sanitised`, drawn with noise that hides what it tells of any record (Papernot et al.
    2018, Appendix B). `valid` is false for a bound shown as published that does not hold in both directions. `withheld`
    says why an epsilon that might leave by its kind may not be published all the same (seeded noise, ...).
    """

    epsilon: float
    delta: float
    relation: Relation
    data_dependent: bool
    accountant: str
    theorem: str
    valid: bool = True
    withheld: str = ""
    sanitised: bool = False

    @property
    def publishable(self) -> bool:
        return self.valid and (not self.data_dependent or self.sanitised) and not self.withheld

    @property
    def fixed_queries(self) -> bool:
        """Whether it holds only for what was fixed before the first answer."""
        return self.data_dependent

    @property
    def holds_for(self) -> HoldsFor:
        return "this data set" if self.data_dependent else "every data set"

    @property
    def use(self) -> str:
        """Whom it may be shown to."""
        if self.publishable:
            return "publishable"
        return self.withheld or (KEPT if self.valid else "to compare with papers")

    @property
    def shown(self) -> str:
        return shown(self.epsilon)

    @property
    def promise(self) -> str:
        """What two guarantees must share to be compared."""
        return f"delta {given(self.delta)}, {self.relation}"

    @property
    def claim(self) -> str:
        """Where what it promises is said beside it, for several together."""
        return f"epsilon {self.shown} for {self.holds_for} ({self.use})"

    @property
    def terms(self) -> str:
        """All that its epsilon is never without."""
        return f"for {self.holds_for} ({self.use}), {self.promise}"

    @property
    def formal(self) -> str:
        """As the literature writes it."""
        return f"({self.shown}, {given(self.delta)})-differentially private, {self.relation}, for {self.holds_for}"

    def __str__(self) -> str:
        return f"epsilon {self.shown} {self.terms}"

    def alike(self, other: Guarantee) -> bool:
        """Whether two epsilons are of one kind, so that the smaller one is the stronger promise."""
        return _kind(self) == _kind(other)

    def without(self, why: str) -> Guarantee:
        """The same, which may not be published any more."""
        return replace(self, withheld="; ".join(dict.fromkeys(filter(None, (self.withheld, why)))))

    written: ClassVar[dict[str, Any]] = {
        "epsilon": float, "delta": float, "relation": str, "data_dependent": bool, "accountant": str, "theorem": str,
        "valid": bool, "withheld": str, "sanitised": bool, "publishable": bool, "holds_for": str,
        "fixed_queries": bool,
    }  # fmt: skip

    def plain(self) -> dict[str, Any]:
        """As JSON, with what follows from it."""
        return asdict(self) | {
            "relation": str(self.relation),
            "publishable": self.publishable,
            "holds_for": self.holds_for,
            "fixed_queries": self.fixed_queries,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """From what `plain` wrote; what was written before any was sanitised does not say so."""
        epsilon, delta = (_number(plain[name]) for name in ("epsilon", "delta"))
        if delta > 1:  # also null: no epsilon stands without its delta
            raise ValueError("a delta is a number of at most 1")
        words = [plain[name] for name in ("accountant", "theorem", "withheld", "relation")]
        truths = [plain["data_dependent"], plain["valid"], plain.get("sanitised", False)]
        if not all(isinstance(one, str) for one in words) or not all(isinstance(one, bool) for one in truths):
            raise ValueError("a guarantee has words, and says yes or no")
        accountant, theorem, withheld, relation = words
        dependent, valid, sanitised = truths
        return cls(epsilon, delta, Relation.of(relation), dependent, accountant, theorem, valid, withheld, sanitised)


def for_every(accountant: str, epsilon: float, delta: float, theorem: str, valid: bool = True) -> Guarantee:
    """A data-independent one: on every data set, whatever was asked. It may be published, and budgets rest on it."""
    return Guarantee(epsilon, delta, ZERO_OUT, False, accountant, theorem, valid)


def for_this(accountant: str, epsilon: float, delta: float, theorem: str, valid: bool = True) -> Guarantee:
    """A data-dependent one: on the private data at hand, for queries fixed in advance. The owner's."""
    return Guarantee(epsilon, delta, ZERO_OUT, True, accountant, theorem, valid)


def one_direction(name: str, as_published: float, best: float, delta: float, theorem: str) -> list[Guarantee]:
    """A paper's data-dependent bound of D || D' alone, as it is there and by all orders: shown, never claimed."""
    said = f"{theorem}, as published, one direction only"
    better = f"{theorem}, all orders, closed-form conversion, one direction only"
    return [
        for_this(name, as_published, delta, said, valid=False),
        for_this(f"{name}_optimal", best, delta, better, valid=False),
    ]


def least(several: Iterable[Guarantee]) -> Guarantee | None:
    """The smallest epsilon."""
    return min(several, key=lambda one: one.epsilon, default=None)


def best(several: Iterable[Guarantee]) -> Guarantee | None:
    """The smallest epsilon that holds: the owner's."""
    return least(one for one in several if one.valid)


def publishable(several: Iterable[Guarantee]) -> Guarantee | None:
    """The smallest epsilon that may leave."""
    return least(one for one in several if one.publishable)


def worst_case(several: Iterable[Guarantee]) -> Guarantee | None:
    """The smallest epsilon that holds for every data set, whether or not it may leave."""
    return least(one for one in several if one.valid and not one.data_dependent)


def shown(epsilon: float) -> str:
    """An epsilon for reading, rounded up: never less than what was spent."""
    return f"{math.ceil(epsilon * 1000) / 1000:.3f}" if math.isfinite(epsilon * 1000) else "infinite"


def remaining(epsilon: float) -> str:
    """What is left of a budget, rounded down."""
    return f"{math.floor(epsilon * 1000) / 1000:.3f}"


def given(value: float) -> str:
    """A delta, or an epsilon that somebody asked for: as it was given, so not rounded either way."""
    return f"{value:g}"


def _number(plain: Any) -> float:
    """JSON knows no infinity: null stands for it."""
    if plain is None:
        return math.inf
    if not isinstance(plain, int | float) or isinstance(plain, bool) or not plain >= 0:
        raise ValueError("an epsilon or a delta is a number of at least 0")
    return float(plain)


def _kind(one: Guarantee) -> tuple[Any, ...]:
    return one.delta, one.relation, one.data_dependent, one.publishable
