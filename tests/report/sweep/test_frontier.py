"""The frontier against its definition, on made-up configurations; kinds of epsilon are never mixed."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pate.evaluation.measure import ACCURACY, Measure, of
from pate.noise import SEEDED
from pate.report.sweep.frontier import Configuration, best, by_kind, frontier, frontiers, measure_of
from pate.report.sweep.frontier_table import print_frontier
from pate.report.sweep.jobs import Mean, groups
from tests.evaluation.made_up import typed
from tests.report.sweep.made_up import configurations, facts, job, method

LESS = "replaced by nothing"
few = st.sampled_from([0.1, 0.5, 1.0, 2.0, 3.5])  # few values: ties are common
some_points = st.lists(st.tuples(few, few), max_size=12).map(
    lambda pairs: [Configuration({"at": str(n)}, e, Mean(a, None, 1)) for n, (e, a) in enumerate(pairs)]
)


def beats(one, other):
    no_worse = one.epsilon <= other.epsilon and one.score.value >= other.score.value
    return no_worse and (one.epsilon, one.score.value) != (other.epsilon, other.score.value)


@given(some_points)
def test_the_frontier_is_what_no_other_beats(points):
    kept = frontier(points, ACCURACY)
    expected = [point for point in points if not any(beats(other, point) for other in points)]
    assert {point.choices["at"] for point in kept} == {point.choices["at"] for point in expected}
    assert len(kept) == len(expected)
    assert [point.epsilon for point in kept] == sorted(point.epsilon for point in kept)
    assert frontier(kept, ACCURACY) == kept
    assert bool(kept) == bool(points)


@given(some_points, few)
def test_the_best_is_affordable_on_the_frontier_and_nothing_affordable_is_better(points, limit):
    chosen = best(points, limit, ACCURACY)
    affordable = [point for point in points if point.epsilon <= limit]
    if chosen is None:
        assert not affordable
    else:
        assert chosen in frontier(points, ACCURACY)
        assert chosen.epsilon <= limit
        assert chosen.score.value == max(point.score.value for point in affordable)


def test_an_epsilon_for_this_data_set_and_a_publishable_one_have_frontiers_of_their_own():
    cheap = method(epsilon=0.5, epsilon_publishable=9.0, accuracy=0.8)  # cheap for the owner, dear to publish
    dear = method(epsilon=2.0, epsilon_publishable=3.0, accuracy=0.7)
    found = {
        (kind.promise.holds_for, kind.publishable): points
        for kind, points in frontiers(configurations(([cheap], []), ([dear], [])), ACCURACY).items()
    }
    assert [point.choices["gamma"] for point in found["this data set", False]] == ["0"]
    assert [(point.choices["gamma"], point.epsilon) for point in found["every data set", True]] == [
        ("1", 3.0),
        ("0", 9.0),
    ]


def test_methods_deltas_relations_and_publication_are_kept_apart():
    everywhere = {"guarantee": "every data set", "accuracy": 0.9}
    owners = method("dpsgd", epsilon=1.0, epsilon_publishable=None, **everywhere)
    public = method("dpsgd_publishable", epsilon=1.0, epsilon_publishable=1.0, **everywhere)
    looser = method("dpsgd", epsilon=1.0, epsilon_publishable=None, delta=1e-3, **everywhere)
    person = method(
        "dpsgd",
        epsilon=1.0,
        epsilon_publishable=None,
        relation="all records of one p replaced by nothing",
        **everywhere,
    )
    pate = method("pate", epsilon=1.0, epsilon_publishable=1.0, **everywhere)
    kinds = by_kind(configurations(([owners, public, pate], []), ([looser], []), ([person], [])), ACCURACY)
    assert [len(points) for points in kinds.values()] == [1] * 5
    assert all(kind.promise.promise in str(kind) and kind.promise.holds_for in str(kind) for kind in kinds)


def test_the_largest_epsilon_and_the_mean_accuracy_of_repetitions_count():
    runs = [method(epsilon=e, epsilon_publishable=4.0, accuracy=a) for e, a in ((1.0, 0.6), (1.5, 0.8))]
    jobs = [job(str(seed), f"seed={seed}", methods=[one]) for seed, one in enumerate(runs)]
    (this, every) = by_kind(groups(jobs), ACCURACY).values()
    assert (this[0].epsilon, every[0].epsilon) == (1.5, 4.0)
    assert (this[0].score.value, this[0].score.runs) == (0.7, 2)


def test_seeded_noise_has_nothing_to_publish_and_still_a_price_for_every_data_set(capsys):
    jobs = [
        job(
            str(n),
            f"gamma={n} noise.seed=1",
            methods=[method(epsilon_publishable=None, accuracy=0.5 + n / 10)],
            notes=[SEEDED],
        )
        for n in range(2)
    ]
    for n, one in enumerate(jobs):
        ladder = [
            ("a", 5.0 + n, "every data set", True),
            ("b", 1.0, "every data set", False),
            ("c", 0.5, "this data set", True),
        ]
        keys, promise = (
            ("accountant", "epsilon", "guarantee", "valid"),
            {"delta": 1e-4, "relation": f"one record {LESS}"},
        )
        prices = [promise | dict(zip(keys, price, strict=True)) for price in ladder]
        found = facts(methods=[method(epsilon_publishable=None, accuracy=0.5 + n / 10)], notes=[SEEDED])
        found["pate"]["accountants"] = prices
        jobs[n] = replace(one, results=typed(found))
    kinds = by_kind(groups(jobs), ACCURACY)
    assert not any(kind.publishable for kind in kinds)
    assert [
        [point.epsilon for point in points]
        for kind, points in kinds.items()
        if kind.promise.holds_for == "every data set"
    ] == [[5.0, 6.0]]
    print_frontier(groups(jobs), 10.0, ACCURACY)
    assert "no configuration has an epsilon that may be published" in " ".join(capsys.readouterr().out.split())


@given(some_points, few)
def test_where_less_is_better_the_frontier_is_that_of_what_is_turned_round(points, limit):
    turned = [replace(one, score=replace(one.score, value=-one.score.value)) for one in points]
    loss = Measure("log_loss", "log loss", "", better="lower")
    assert [one.choices for one in frontier(points, loss)] == [one.choices for one in frontier(turned, ACCURACY)]
    chosen, mirrored = best(points, limit, loss), best(turned, limit, ACCURACY)
    assert (chosen and chosen.choices) == (mirrored and mirrored.choices)


def judged(number, measure, **known):
    one = job(str(number), f"gamma={number}", methods=[method(**known)])
    return replace(one, results=replace(one.results, measure=measure))


def test_all_runs_of_a_sweep_are_decided_by_one_measure():
    """One of them had noisy labels that put most into one class, and the other just missed it."""
    skewed = of("balanced_accuracy", "61% of the noisy labels are `no`")
    assert measure_of([judged(0, ACCURACY), judged(1, skewed)]) == skewed
    assert measure_of([judged(0, ACCURACY), judged(1, ACCURACY)]) == ACCURACY
    asked = of("macro_f1", "asked for")
    assert measure_of([judged(0, skewed), judged(1, asked)]) == asked
    assert measure_of([judged(0, skewed), judged(1, asked)], "auc").name == "auc"
    assert measure_of([]) == ACCURACY


def test_the_best_by_one_measure_is_not_the_best_by_another():
    """One always answers the common class, and the other recognises both."""
    jobs = [judged(n, ACCURACY, epsilon=1.0, epsilon_publishable=1.0) for n in range(2)]
    for n, metrics in enumerate(
        ({"accuracy": 0.94, "balanced_accuracy": 0.5}, {"accuracy": 0.9, "balanced_accuracy": 0.8})
    ):
        rows = [replace(row, metrics=metrics) for row in jobs[n].results.methods]
        jobs[n] = replace(jobs[n], results=replace(jobs[n].results, methods=rows))
    for measure, at in ((ACCURACY, "0"), (of("balanced_accuracy", ""), "1")):
        for points in by_kind(groups(jobs), measure).values():
            assert best(points, 2.0, measure).choices == {"gamma": at}
