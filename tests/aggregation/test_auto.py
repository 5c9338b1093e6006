"""aggregator=auto: LNMax, or for an epsilon whichever tells more."""

from pate.aggregation.auto import Auto
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.data.outline import Outline

FROZEN = {"gamma": None, "noise": "discrete"}
ANY = Outline(None, 900, 90, 3)


def test_laplace_noise_unless_an_epsilon_is_to_be_spent():
    assert Auto().suited(ANY) == (LNMax(), "")
    assert Auto(gamma=0.5, noise="continuous").suited(ANY) == (LNMax(0.5, "continuous"), "")


def test_who_says_gamma_has_chosen():
    assert Auto(noise="continuous").candidates() == (GNMax(noise="continuous"), LNMax(noise="continuous"))
    assert Auto(gamma=0.5).candidates() == ()
