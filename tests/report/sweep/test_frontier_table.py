"""The frontier as a table: the best of each kind with all that belongs to its epsilon."""

from pate.evaluation.measure import ACCURACY
from pate.report.sweep.facts import frontier_facts
from pate.report.sweep.frontier_table import print_frontier
from tests.report.sweep.made_up import configurations, method


def test_the_best_is_named_for_each_kind_with_all_that_belongs_to_its_epsilon(capsys):
    rows = [
        ([method(epsilon=e, epsilon_publishable=3 * e, accuracy=a)], [])
        for e, a in ((1.0, 0.6), (2.0004, 0.8), (9.0, 0.9))
    ]
    print_frontier(configurations(*rows), 3.0, ACCURACY)
    out = " ".join(capsys.readouterr().out.split())
    told = "delta 0.0001, one record replaced by nothing; digits"
    public = f"PATE, epsilon for every data set (publishable), {told}"
    owners = f"PATE, epsilon for this data set (the owner's, not publishable), {told}"
    assert f"best within epsilon 3: gamma=0, 60.00% at epsilon 3.000; {public}" in out
    assert f"best within epsilon 3: gamma=1, 80.00% at epsilon 2.001; {owners}" in out
    assert out.index("(publishable)") < out.index("warning: to choose a configuration by its test accuracy is tuning")
    told = frontier_facts(configurations(*rows), 3.0, ACCURACY)
    assert [kind.best.choices for kind in told.kinds] == [{"gamma": "1"}, {"gamma": "0"}]


def test_nothing_to_choose_from_prints_nothing(capsys):
    print_frontier(configurations(([method(accuracy=0.5)], [])), None, ACCURACY)
    print_frontier(configurations(([method()], []), ([method()], [])), None, ACCURACY)
    assert capsys.readouterr().out == ""
