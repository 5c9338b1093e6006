"""Methods of a made-up run, each with a score: one with two epsilons, one of the owner's, and the bound."""

from tests.report.sweep.made_up import method


def row(name, **known):
    facts = {
        "accuracy": 0.8,
        "accuracy_standard_error": 0.01,
        "accuracy_of_views": None,
        "seconds": 1.0,
        "by_class": {},
    }
    return method(name, **(facts | known))


PATE = row("pate", epsilon=1.0, epsilon_publishable=10.0)
DPSGD = row("dpsgd", epsilon=1.0, epsilon_publishable=None, guarantee="every data set", accuracy=0.6)
BOUND = row(
    "nonprivate", epsilon=None, epsilon_publishable=None, guarantee=None, relation=None, delta=None, accuracy=0.95
)
