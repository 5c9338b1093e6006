"""What may leave is a list of what may: models kept by the owner and whatever comes later stay behind."""

import copy
import json

from pate.report.run.audience import public_view
from pate.workspace.typed_json import to_json
from tests.evaluation.made_up import typed


def test_what_is_added_to_the_results_later_stays_behind(public_run):
    found = copy.deepcopy(public_run[0])
    found["teachers_secret"] = "CANARY"
    found["pate"]["teachers_secret"] = "CANARY"
    for row in found["methods"]:
        row["secret"] = "CANARY"
    assert "CANARY" not in json.dumps(to_json(public_view(typed(found))))


def test_models_kept_by_the_owner_are_not_on_it(owners_run):
    names = [row.name for row in public_view(typed(owners_run[0])).methods]
    assert names == ["pate"]
