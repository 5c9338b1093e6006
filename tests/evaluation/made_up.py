"""Results that no run found: as few facts as a test is about, in the shape of the first version's results.json."""

from pate.evaluation.results import Results
from pate.evaluation.results_file import results_of

RELATION = "one record replaced by nothing"
FIRST = {
    "methods": [
        {
            "name": "pate", "epsilon": 1.0, "delta": 1e-5, "epsilon_publishable": 4.0, "guarantee": "this data set",
            "relation": RELATION, "accuracy": 0.9, "accuracy_standard_error": 0.01, "public_accuracy": 0.91,
            "calibration_error": 0.02, "by_class": {"0": 0.9}, "confusion": [[9]], "seconds": 1.5,
        },
        {
            "name": "dpsgd", "epsilon": 1.0, "delta": 1e-5, "epsilon_publishable": None, "guarantee": "every data set",
            "relation": RELATION, "accuracy": 0.8, "ahead": [0.1, 0.01, 0.0], "steps": 20, "noise_multiplier": 1.5,
        },
        {"name": "nonprivate", "epsilon": None, "delta": None, "epsilon_publishable": None, "accuracy": 0.95},
    ],
    "pate": {"queries": 20, "accountants": [
        {"accountant": "basic", "epsilon": 4.0, "guarantee": "every data set", "theorem": "t", "valid": True,
         "delta": 1e-5, "relation": RELATION, "publishable": True, "assumes_fixed_queries": False},
    ]},
    "stages": {"labels": {"key": "k", "seconds": 0.5, "memory": None, "reused": True, "seeded": False, "summary": "s"}},
    "config": {"dataset": {"name": "toy"}}, "notes": ["a note"],
}  # fmt: skip


def typed(found: dict) -> Results:
    return results_of({"stages": {}, "notes": [], "pate": {}, "config": {"dataset": {"name": "toy"}}} | found)
