"""The mechanisms the accountants know: those whose `answer` their theorems are about.

A class derived from one of them may answer in another way, so it inherits no price: it is the type that is known.
"""

from __future__ import annotations

from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax

KNOWN: tuple[type[Aggregator], ...] = (LNMax, GNMax, ConfidentGNMax)


def require_known(aggregator: Aggregator) -> None:
    """Refuse, with a ValueError, to price what no theorem here is about."""
    if type(aggregator) not in KNOWN:
        names = ", ".join(kind.__name__ for kind in KNOWN)
        raise ValueError(
            f"no accountant knows {type(aggregator).__name__}, only {names} themselves: choose one of them, or give it "
            "a price of its own (CONTRIBUTING.md, A new aggregator)"
        )
