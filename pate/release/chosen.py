"""How the model that leaves was chosen, as far as its workspace tells: the epsilon of a winner is not the whole price.

Whoever compares models on private test data, or by scores no epsilon covers, and ships the best tells more than the
winner alone does (Papernot & Steinke 2022): its epsilon counts the mechanism, not the choice. What is free of that: a
method fixed before its scores were seen; a model beside which nothing was scored; and models that were all released,
scored on public test data, which is post-processing, at the price of all of them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pate.workspace.artifact import fits

How = Literal["by score", "among released", "fixed", "nothing scored"]


@dataclass(frozen=True)
class Table:
    """Scores that were shown together: of which private models (artifact -> method), from whose data, which method was
    fixed before, whether all of these models had been released at a known price, and whether the test data had been
    declared public then. Of an older table it is not known which models it held; nor can what tells how good many
    settings would be name a model."""

    models: Mapping[str, str] = field(default_factory=dict)
    accounts: tuple[str, ...] = ()
    fixed: str = ""
    released: bool = False
    public: bool = False
    known: bool = True

    def plain(self) -> dict[str, Any]:
        """As a manifest keeps it."""
        models, accounts = dict(self.models), list(self.accounts)
        told = {"fixed": self.fixed, "released": self.released, "public": self.public, "known": self.known}
        return {"models": models, "accounts": accounts, **told}

    @classmethod
    def of(cls, facts: Any) -> Table:
        """What a manifest says; one that was written before this was told, or is damaged, says nothing."""
        told = facts if isinstance(facts, dict) else {}
        if not (fits(told.get("models"), dict[str, str]) and fits(told.get("accounts"), list[str])):
            return cls(known=False)
        fixed = told.get("fixed")
        return cls(
            told["models"],
            tuple(told["accounts"]),
            fixed if isinstance(fixed, str) else "",
            told.get("released") is True,
            told.get("public") is True,
            told.get("known", True) is True,
        )

    def after(self, earlier: Iterable[Table]) -> Table:
        """The same, shown once more: a method is fixed only if it was when a model of its was first scored."""
        its = {model for model, method in self.models.items() if method == self.fixed}
        again = (one for one in earlier if not one.known or its & one.models.keys())
        return self if all(one.known and one.fixed == self.fixed for one in again) else replace(self, fixed="")


@dataclass(frozen=True)
class Chosen:
    """By what the model that leaves was chosen; among how many methods and models, None where that is not known."""

    how: How
    methods: int | None = None
    models: int | None = None

    @property
    def claim(self) -> str:
        """In a line: what is sure, and no more."""
        if self.how == "by score":
            return f"chosen among {self._many} by scores no epsilon covers"
        if self.how == "among released":
            return f"chosen among {self._many}, all of them released, by scores on public test data"
        return _UNSEEN[self.how]

    def sentence(self, priced: bool) -> str:
        """The same as a point of the card, with what it means for its epsilon, if that is known."""
        if self.how == "by score":
            alone = " The epsilon above is this model's alone: what the choice tells comes on top, and is not known."
            return f"**The choice.** This model was {self.claim}: they were there before it left.{alone * priced}"
        if self.how == "among released":
            alone = " The epsilon above is this model's alone: what covers the choice is the total of all of them."
            return f"**The choice.** This model was {self.claim}.{alone * priced}"
        return (
            f"**The choice.** As far as the workspace tells it was made in: {self.claim}. Scores seen elsewhere it "
            "cannot know."
        )

    def plain(self) -> dict[str, Any]:
        return {"how": self.how, "methods": self.methods, "models": self.models, "claim": self.claim}

    @property
    def _many(self) -> str:
        if self.methods is None or self.models is None:
            return "several models, how many is not known,"
        if self.methods == 1:
            return f"{self.models} models of one method"
        return f"{self.methods} methods" + (f" ({self.models} models)" if self.models > self.methods else "")


_UNSEEN = {
    "fixed": "the method was fixed before its scores were seen",
    "nothing scored": "no scores of other models were there when it left",
}


def chosen(model: str, account: str, tables: Iterable[Table], test_public: bool) -> Chosen:
    """How a model was chosen. Every other private model that was scored on the same data counts, but for those shown
    with this one's first scores under a method that had been fixed: later ones might have changed a mind too."""
    own = [one for one in tables if account in one.accounts or not (one.known or one.accounts)]
    seen = [one for one in own if not (model in one.models and one.fixed == one.models[model])]
    if not all(one.known for one in seen):
        return Chosen("by score")
    among = {name: method for one in seen for name, method in one.models.items()}
    among.setdefault(model, _method(model, own))
    if len(among) == 1:
        return Chosen("fixed" if len(seen) < len(own) else "nothing scored")
    free = test_public and all(one.released and one.public for one in seen)
    return Chosen("among released" if free else "by score", len(set(among.values())), len(among))


def _method(model: str, tables: Iterable[Table]) -> str:
    """Whose a model is that was never scored: that of one the same stage made, else one of its own."""
    stage = model.partition("/")[0]
    rows = (row for one in tables for row in one.models.items())
    return next((method for name, method in rows if name.partition("/")[0] == stage), stage)
